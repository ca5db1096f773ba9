"""The loop without sampling: which examples a step sees, what it writes, how it ends, that it resumes bit for bit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification

from tests.training.offline_cases import examples, fresh, learner, loop, module, pairs
from verigrad.errors import DataError, Interrupted, Stopped, VerigradError
from verigrad.models import add_lora
from verigrad.recipe import Limits, Lora, Train
from verigrad.store import RunDirectory
from verigrad.training import Ended, looping, offline, steps_of, train_offline


@dataclass
class Scripted:
    """A learner that writes down what it is given, and says what it is told to."""

    says: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    seen: list[list[int]] = field(default_factory=list)
    prepared: int = 0

    def prepare(self, examples: Sequence[int]) -> None:
        self.prepared = len(examples)

    def step(self, examples: Sequence[int], *, step: int) -> Mapping[str, float]:
        self.seen.append(list(examples))
        return {"loss/policy": 1.0, **self.says.get(step, {})}

    def measure(self, examples: Sequence[int]) -> Mapping[str, float]:
        return {}

    def save(self, folder: Path) -> None:
        (folder / "model").mkdir()

    def load(self, folder: Path) -> None: ...


def new_run(folder: Path) -> RunDirectory:
    return RunDirectory.create(folder, recipe_text="", resolved={}, stages=("sft",))


@pytest.fixture
def run(tmp_path: Path):
    with new_run(tmp_path / "run") as run:
        yield run


@pytest.mark.parametrize(("count", "prompts"), [(20, 8), (9, 8), (8, 8), (3, 8), (7, 1)])
def test_an_epoch_sees_every_example_once_in_even_steps_and_another_order(count: int, prompts: int) -> None:
    train = Train(epochs=2, prompts=prompts)
    steps = steps_of(count, train)
    drawn = [offline.of_step(count, train, step, run_seed=1, stage=2) for step in range(1, steps + 1)]
    first, second = drawn[: steps // 2], drawn[steps // 2 :]
    for epoch in (first, second):
        assert sorted(i for step in epoch for i in step) == list(range(count))
        assert max(map(len, epoch)) <= prompts
        assert max(map(len, epoch)) - min(map(len, epoch)) <= 1
    assert len(first) == -(-count // prompts)
    if count > 3:
        assert first != second
        assert drawn != [offline.of_step(count, train, s, run_seed=2, stage=2) for s in range(1, steps + 1)]
        assert drawn != [offline.of_step(count, train, s, run_seed=1, stage=1) for s in range(1, steps + 1)]


def test_steps_may_be_said_instead_of_epochs() -> None:
    assert steps_of(20, Train(steps=7, prompts=8)) == 7
    assert len(offline.of_step(20, Train(steps=7, prompts=8), 7, run_seed=0, stage=1)) in (6, 7)


def test_a_stage_writes_every_step_and_its_last_two_checkpoints(run: RunDirectory) -> None:
    held, told = Scripted(), []
    ended = train_offline(loop(run, held, list(range(20)), epochs=2, told=lambda step, m, t: told.append(step)))
    assert ended == Ended(step=8, best=None, why="all steps done")
    assert told == [m["step"] for m in run.read_metrics()] == list(range(1, 9))
    assert run.checkpoints(1) == [6, 8]
    assert [t["step"] for t in run.read_timings() if "save" in t] == [2, 4, 6, 8]
    assert held.prepared == 20
    line = (run.folder / "metrics.jsonl").read_text().splitlines()[0]
    assert not {"update", "save", "seconds"} & json.loads(line).keys()


def test_the_best_by_validation_is_kept_and_said(run: RunDirectory) -> None:
    values = {2: 0.5, 4: 0.7, 6: 0.7, 8: 0.1}
    looked = loop(run, Scripted(), list(range(20)), look=lambda step: {"validation/right": values[step]}, every=2)
    assert train_offline(looked).best == 4
    assert run.checkpoints(1) == [4, 6, 8]


def test_asked_to_stop_it_finishes_the_step_and_saves(run: RunDirectory) -> None:
    held = Scripted()
    with pytest.raises(Interrupted, match=r"^stopped after step 3, saved: train --resume"):
        train_offline(loop(run, held, list(range(20)), stop_asked=lambda: len(held.seen) == 3))
    assert run.checkpoints(1) == [2, 3]


def test_the_limits_end_it(run: RunDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10**6, 60))
    monkeypatch.setattr(looping.time, "monotonic", lambda: next(clock))
    ended = train_offline(loop(run, Scripted(), list(range(99)), limits=Limits(hours=0.2)))
    assert "run.limits.hours 0.2 reached" in ended.why
    assert run.checkpoints(1)[-1] == ended.step
    monkeypatch.setattr(looping, "peak_memory_gb", lambda: 7.25)
    with pytest.raises(Stopped, match=r"7.2 GB used, run.limits.memory_gb is 6$"):
        train_offline(loop(run, Scripted(), list(range(99)), limits=Limits(memory_gb=6.0)), start=ended.step)


def test_nothing_to_learn_from_is_refused(run: RunDirectory) -> None:
    with pytest.raises(DataError, match="stage 1: no examples"):
        train_offline(loop(run, Scripted(), []))


def test_a_fall_of_the_chosen_answers_is_said_once_in_one_line(run: RunDirectory) -> None:
    said: list[str] = []
    says = {step: {"logp/chosen": -20.0, "logp/moved": -0.5 * step, "logp/rejected": -30.0} for step in range(1, 41)}
    train_offline(loop(run, Scripted(says), list(range(40)), prompts=1, epochs=1, warn=said.append))
    (line,) = said
    assert line.startswith("the chosen answers are becoming less likely: their mean log-prob against the reference")
    assert "\n" not in line


@pytest.mark.parametrize("way", ["rises", "noise", "flat", "short"])
def test_no_fall_is_said_where_there_is_none(way: str) -> None:
    noise = [-20.0, -31.0, -12.0, -25.0, -18.0]
    series = {
        "rises": [-20.0 + 0.1 * i for i in range(40)],
        "noise": [noise[i % 5] - 0.02 * i for i in range(40)],
        "flat": [-20.0] * 40,
        "short": [-1.0 * i for i in range(19)],
    }[way]
    metrics = [{"logp/chosen": value} for value in series]
    assert offline.falling(metrics[:10], metrics[10:][-10:]) == ""


@pytest.mark.parametrize("name", ["sft", "dpo", "kto", "simpo", "reward_model"])
def test_a_resumed_stage_equals_the_undisturbed_one_bit_for_bit(name: str, tmp_path: Path) -> None:
    given = examples(name, "abcdefg")
    prompts = 3 if len(given) == 7 else 5  # three steps an epoch
    with new_run(tmp_path / "whole") as whole, new_run(tmp_path / "killed") as killed:
        undisturbed = learner(name, fresh(tmp_path))
        ended = train_offline(loop(whole, undisturbed, given, prompts=prompts, epochs=2))
        assert ended.step == 6

        def told(step: int, *_: object) -> None:
            if step == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train_offline(loop(killed, learner(name, fresh(tmp_path)), given, prompts=prompts, epochs=2, told=told))
        assert killed.checkpoints(1) == [2]
        killed.cut_after(1, 2)
        again = learner(name, fresh(tmp_path))
        again.load(killed.checkpoint_path(1, 2))
        assert train_offline(loop(killed, again, given, prompts=prompts, epochs=2), start=2) == ended
        assert killed.read_metrics() == whole.read_metrics()
        for a, b in zip(module(undisturbed).parameters(), module(again).parameters(), strict=True):
            assert torch.equal(a, b)
        files = [run.checkpoint_path(1, 6) / "state" / "optimizer.safetensors" for run in (whole, killed)]
        a, b = map(load_file, files)
        assert a.keys() == b.keys()
        assert all(torch.equal(a[key], b[key]) for key in a)
        kind = AutoModelForSequenceClassification if name == "reward_model" else AutoModelForCausalLM
        loaded = kind.from_pretrained(whole.checkpoint_path(1, 6) / "model", dtype=torch.float32)
        for key, value in module(undisturbed).state_dict().items():
            assert torch.equal(loaded.state_dict()[key], value)


@pytest.mark.parametrize("name", ["sft", "dpo"])
def test_adapters_alone_are_trained_saved_and_restored(name: str, tmp_path: Path) -> None:
    given = examples(name, "abcd")
    lora = Lora(rank=2)
    held = learner(name, add_lora(fresh(tmp_path), lora, seed=1))
    base = {n: p.clone() for n, p in module(held).named_parameters() if not p.requires_grad}
    held.prepare(given)
    first = held.step(given, step=1)
    held.save(tmp_path / "there")
    last = held.step(given, step=2)
    assert last["loss/policy"] < first["loss/policy"]
    again = learner(name, add_lora(fresh(tmp_path), lora, seed=2))
    again.prepare(given)
    again.load(tmp_path / "there")
    assert again.step(given, step=2) == last
    for n, p in module(held).named_parameters():
        assert torch.equal(p, module(again).get_parameter(n))
        assert p.requires_grad or torch.equal(p, base[n])
    if name == "dpo":
        assert first["logp/moved"] == 0.0, "the reference is the same network with its adapters off"


def test_a_folder_without_a_state_is_refused_in_one_line(tmp_path: Path) -> None:
    held = learner("dpo", fresh(tmp_path))
    held.save(tmp_path / "there")
    (tmp_path / "there" / "state" / "state.json").unlink()
    with pytest.raises(VerigradError, match="holds no optimizer state of this model"):
        held.load(tmp_path / "there")
    with pytest.raises(VerigradError, match="no weights of this model"):
        held.load(tmp_path / "not there")


def test_an_example_too_long_is_refused_before_the_first_step(run: RunDirectory, tmp_path: Path) -> None:
    given = pairs("ab")
    long = type(given[0])(task=given[0].task, chosen="y" * 600, rejected="z")
    with pytest.raises(DataError, match="the model reads 512"):
        train_offline(loop(run, learner("dpo", fresh(tmp_path)), [*given, long]))
    assert run.read_metrics() == []
