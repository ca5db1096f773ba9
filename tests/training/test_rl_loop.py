"""The rl loop over scripted workers: what a step draws, keeps and writes, and every way a stage ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from verigrad.errors import Interrupted, Stopped
from verigrad.recipe import Limits, Train
from verigrad.records import Batch, Completion, Request, Rollout, Scored, Task, right, ungraded, wrong
from verigrad.rollouts import DrawPlan, Keep
from verigrad.sampling import Scripted
from verigrad.store import RunDirectory
from verigrad.training import Ended, Loop, looping, rl, train_rl

PLAN = DrawPlan(run_seed=5, stage=1, group=4, max_tokens=8, temperature=1.0)
TASKS = [Task.make(prompt=f"task {i}", gold=i) for i in range(1000)]
VARIED, RIGHT, WRONG, UNGRADED = "rwrw", "rrrr", "wwww", "uuuw"


@dataclass
class Scenes:
    """Workers whose verdicts are written down: the letters of a step's n-th group, `rwu` each."""

    script: Callable[[int, int], str]
    """(step, n-th task drawn in it) -> one letter an answer."""
    sampled: list[int] = field(default_factory=list)
    """Answers drawn, one number a call."""
    batches: list[tuple[int, Batch]] = field(default_factory=list)
    version: int = 0
    scripted: Scripted = field(default_factory=lambda: Scripted(lambda r: "x" * (1 + r.seed % 3)))
    seen: dict[int, dict[tuple[str, int], int]] = field(default_factory=dict)

    def sample(self, requests: Sequence[Request]) -> list[Completion]:
        self.sampled.append(len(requests))
        return [replace(c, version=(self.version, self.version)) for c in self.scripted.sample(requests)]

    def verify(self, rollouts: Sequence[Rollout]) -> list[Scored]:
        out = []
        for r in rollouts:
            of_step = self.seen.setdefault(r.draw.step, {})
            block = (r.task.key, r.draw.attempt // PLAN.group)
            n = of_step.setdefault(block, len(of_step))
            letter = self.script(r.draw.step, n)[r.draw.attempt % PLAN.group]
            verdict = {"r": right("1"), "w": wrong("0"), "u": ungraded("no program")}[letter]
            out.append(Scored(rollout=r, verdict=verdict, parts={"check": verdict.score or 0.0}, reward=verdict.score))
        return out

    def step(self, batch: Batch, *, step: int) -> Mapping[str, float]:
        self.batches.append((step, batch))
        return {"loss/policy": 0.25, "lr": 1.0}

    def publish(self) -> None:
        self.version += 1

    def save(self, folder: Path) -> None:
        (folder / "model").mkdir()
        (folder / "model" / "version").write_text(str(self.version))

    def load(self, folder: Path) -> None:
        self.version = int((folder / "model" / "version").read_text())


class Stream:
    def tasks(self, step: int) -> Sequence[Task]:
        return TASKS[2 * step : 2 * step + 2]

    def more(self, step: int, round_: int, count: int) -> Sequence[Task]:
        first = 100 + 50 * step + 2 * round_
        return TASKS[first : first + count]


@pytest.fixture
def run(tmp_path: Path):
    with RunDirectory.create(tmp_path / "run", recipe_text="", resolved={}) as run:
        yield run


def loop(run: RunDirectory, workers: Scenes, *, steps: int = 6, keep: Keep | None = None, **more) -> Loop:
    limits = more.pop("limits", Limits())
    train = Train(steps=steps, prompts=2, group=4, save_every=more.pop("save_every", 4), keep_last=2)
    return Loop(
        workers=workers,
        tasks=Stream(),
        plan=PLAN,
        keep=keep or Keep(rounds=2),
        train=train,
        limits=limits,
        run=run,
        **more,
    )


def dapo(rounds: int = 10) -> Keep:
    return Keep(varied=True, rounds=rounds - 1)


def always(letters: str) -> Scenes:
    return Scenes(lambda step, n: letters)


def test_a_stage_writes_every_step_and_its_last_two_checkpoints(run: RunDirectory) -> None:
    workers = always(VARIED)
    told: list[int] = []
    ended = train_rl(loop(run, workers, steps=10, told=lambda step, m, t: told.append(step)))
    assert ended == Ended(step=10, best=None, why="all steps done")
    assert told == run.steps(1) == list(range(1, 11))
    assert [m["step"] for m in run.read_metrics()] == told
    assert run.checkpoints(1) == [8, 10]
    assert [t["step"] for t in run.read_timings() if "save" in t] == [4, 8, 10]
    assert all(m["weights/lag"] == 0 for m in run.read_metrics())


def test_filtered_groups_are_refilled_until_the_step_is_full(run: RunDirectory) -> None:
    script = {1: [RIGHT, VARIED, WRONG, VARIED], 2: [VARIED, VARIED]}
    workers = Scenes(lambda step, n: script[step][n])
    train_rl(loop(run, workers, steps=2, keep=dapo()))
    assert workers.sampled == [8, 4, 4, 8]
    one, two = run.read_metrics()
    assert (one["sample/generated"], one["sample/used"], one["group/kept"]) == (16, 8, 0.5)
    assert (one["group/all_right"], one["group/all_wrong"]) == (0.25, 0.25)
    assert (two["sample/generated"], two["sample/used"]) == (8, 8)
    (_, batch), _ = workers.batches
    assert batch.reward_B.tolist() == [1, 0, 1, 0] * 2
    assert batch.totals.sequences == 8
    assert len(run.read_step(1, 1)) == 4


def test_the_cap_of_refill_rounds_goes_on_with_what_it_has(run: RunDirectory) -> None:
    workers = Scenes(lambda step, n: VARIED if n == 0 else WRONG)
    ended = train_rl(loop(run, workers, steps=2, keep=dapo(rounds=3)))
    assert ended.why == "all steps done"
    assert workers.sampled == [8, 4, 4] * 2
    assert [b.totals.groups for _, b in workers.batches] == [1, 1]


def test_dynamic_sampling_that_finds_no_group_ends_the_stage_saved(run: RunDirectory) -> None:
    workers = Scenes(lambda step, n: VARIED if step < 3 else RIGHT)
    ended = train_rl(loop(run, workers, steps=6, keep=dapo(rounds=3)))
    assert ended == Ended(step=3, best=None, why="step 3: no group with right and not right answers in 2 refill rounds")
    assert run.checkpoints(1) == [3]
    assert [step for step, _ in workers.batches] == [1, 2]
    assert "loss/policy" not in run.read_metrics()[-1]
    assert run.read_metrics()[-1]["sample/used"] == 0


def test_a_step_without_a_batch_leaves_no_lag_behind(run: RunDirectory) -> None:
    workers = Scenes(lambda step, n: UNGRADED if step == 2 else VARIED)
    train_rl(loop(run, workers, steps=4, limits=Limits(ungraded=0.5)))
    assert [step for step, _ in workers.batches] == [1, 3, 4]
    assert [m["weights/lag"] for m in run.read_metrics()] == [0, 0, 0, 0]


def test_ungraded_answers_stop_the_run_after_three_steps_in_a_row(run: RunDirectory) -> None:
    workers = Scenes(lambda step, n: "ruwr" if step in (1, 2, 4, 5, 6) else VARIED)
    with pytest.raises(Stopped, match=r"^step 6: over 5% of the answers could not be graded in 3 steps \(now 25%\)"):
        train_rl(loop(run, workers, steps=9))
    assert len(run.read_metrics()) == 6
    assert [b.rows for step, b in workers.batches if step != 3] == [6] * 5


def test_groups_without_a_gradient_for_ten_steps_end_the_stage(run: RunDirectory) -> None:
    workers = Scenes(lambda step, n: VARIED if step < 4 else RIGHT)
    ended = train_rl(loop(run, workers, steps=99, limits=Limits(dead=0.9)))
    assert ended.why == "step 13: over 90% of the groups carried no gradient in 10 steps"
    assert run.checkpoints(1) == [12, 13]


def test_a_baseline_over_the_step_needs_no_group_with_different_rewards(run: RunDirectory) -> None:
    workers = Scenes(lambda step, n: RIGHT if n else WRONG)
    keep = Keep(rounds=0, grade_at_least=1)
    assert train_rl(loop(run, workers, steps=12, keep=keep, limits=Limits(dead=0.9))).step == 12


def test_equal_rewards_all_over_the_step_end_it_under_such_a_baseline_too(run: RunDirectory) -> None:
    keep = Keep(rounds=0, grade_at_least=1)
    assert train_rl(loop(run, always(WRONG), steps=12, keep=keep, limits=Limits(dead=0.9))).step == 10


def test_a_run_killed_at_such_an_end_ends_there_again(run: RunDirectory) -> None:
    workers = Scenes(lambda step, n: VARIED if step < 4 else RIGHT)
    first = train_rl(loop(run, workers, steps=99, limits=Limits(dead=0.9)))
    run.cut_after(1, 13)
    assert train_rl(loop(run, workers, steps=99, limits=Limits(dead=0.9)), start=13) == first
    assert run.steps(1)[-1] == 13
    on = train_rl(loop(run, workers, steps=15, limits=Limits(dead=1.0)), start=13)
    assert on.step == 15


def test_the_hour_limit_ends_the_stage_saved(run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10**6, 60))
    monkeypatch.setattr(rl.time, "monotonic", lambda: next(clock))
    ended = train_rl(loop(run, always(VARIED), steps=99, limits=Limits(hours=0.5)))
    assert "run.limits.hours 0.5 reached" in ended.why
    assert 1 < ended.step < 10
    assert run.checkpoints(1)[-1] == ended.step


def test_the_memory_limit_stops_the_run(run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0.01 < looping.peak_memory_gb() < 100
    monkeypatch.setattr(looping, "peak_memory_gb", lambda: 7.25)
    with pytest.raises(Stopped, match=r"^step 1: 7.2 GB used, run.limits.memory_gb is 6$"):
        train_rl(loop(run, always(VARIED), limits=Limits(memory_gb=6.0)))


def test_asked_to_stop_it_finishes_the_step_saves_and_says_how_to_go_on(run: RunDirectory) -> None:
    workers = always(VARIED)
    with pytest.raises(Interrupted, match=r"^stopped after step 3, saved: train --resume .*run goes on$") as caught:
        train_rl(loop(run, workers, stop_asked=lambda: len(workers.batches) == 3))
    assert caught.value.exit_status == 130
    assert run.checkpoints(1) == [3]
    assert len(run.read_metrics()) == len(run.read_timings()) == 3


def test_what_is_asked_while_a_step_is_saved_waits_for_the_next_save(run: RunDirectory) -> None:
    """Whoever asks between the question and the raise must not be told "saved" of a step that is not."""
    answers = iter([False, True, True])
    with pytest.raises(Interrupted, match="after step 2, saved"):
        train_rl(loop(run, always(VARIED), stop_asked=lambda: next(answers)))
    assert run.checkpoints(1) == [2]


def looks(values: Mapping[int, float]) -> Callable[[int], Mapping[str, float]]:
    return lambda step: {"validation/right": values[step]}


def test_the_best_by_validation_is_kept_the_earlier_of_equals(run: RunDirectory) -> None:
    look = looks({3: 0.5, 6: 0.7, 9: 0.7, 12: 0.6, 15: 0.1})
    ended = train_rl(loop(run, always(VARIED), steps=15, look=look, every=3))
    assert ended.best == 6
    assert run.checkpoints(1) == [6, 12, 15]
    assert [m["step"] for m in run.read_metrics() if "validation/right" in m] == [3, 6, 9, 12, 15]


def test_a_look_also_stands_after_the_last_step(run: RunDirectory) -> None:
    ended = train_rl(loop(run, always(VARIED), steps=5, look=looks({4: 0.5, 5: 0.6}), every=4))
    assert ended.best == 5


@pytest.mark.parametrize("start", [4, 8])
def test_a_resumed_loop_replays_stored_steps_and_equals_the_undisturbed_one(
    start: int, run: RunDirectory, tmp_path: Path
) -> None:
    def script(step: int, n: int) -> str:
        return [VARIED, RIGHT, "rwww", WRONG][(step * 7 + n * 3) % 4]

    values = {step: (step * 13 % 7) / 7 for step in range(1, 11)}
    whole = train_rl(loop(run, Scenes(script), steps=10, keep=dapo(), look=looks(values), every=2))
    with RunDirectory.create(tmp_path / "other", recipe_text="", resolved={}) as other:
        killed = Scenes(script)

        def told(step: int, *_: object) -> None:
            if step == start + 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train_rl(loop(other, killed, steps=10, keep=dapo(), look=looks(values), every=2, told=told))
        again = Scenes(script)
        at = max(other.checkpoints(1))
        again.load(other.checkpoint_path(1, at))
        other.cut_after(1, at)
        assert train_rl(loop(other, again, steps=10, keep=dapo(), look=looks(values), every=2), start=at) == whole
        assert other.read_metrics() == run.read_metrics()
        assert other.checkpoints(1) == run.checkpoints(1)
        drawn = sum(again.sampled)
        assert drawn == sum(m["sample/generated"] for m in run.read_metrics() if m["step"] > start + 2)


def test_leftover_checkpoints_of_a_killed_clean_up_go(run: RunDirectory) -> None:
    workers = always(VARIED)
    train_rl(loop(run, workers, steps=8))
    for stray in (2, 3):
        with run.staged(run.checkpoint_path(1, stray)) as folder:
            workers.save(folder)
    train_rl(loop(run, workers, steps=8), start=8)
    assert run.checkpoints(1) == [4, 8]


def test_nothing_with_a_clock_stands_in_metrics(run: RunDirectory) -> None:
    train_rl(loop(run, always(VARIED), steps=1))
    (line,) = (run.folder / "metrics.jsonl").read_text().splitlines()
    assert not {"sample", "verify", "update", "sync", "save", "seconds"} & json.loads(line).keys()
    (timings,) = run.read_timings()
    assert set(timings) == {"stage", "step", "sample", "verify", "update", "sync", "save"}
    assert np.isfinite(list(timings.values())).all()
