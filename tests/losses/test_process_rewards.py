"""Rewards of steps of reasoning: from a check's verdict to the tokens' advantages (DeepSeekMath, 4.1.3)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tests.losses.cases import arrays, random_case, signal_of
from tests.tiny import tiny_folder
from verigrad import models
from verigrad.errors import Refused
from verigrad.losses import advantages, build, needs
from verigrad.recipe import Reward
from verigrad.records import Draw, Group, Rollout, Scored, Task, Verdict, batch_of
from verigrad.rewards import Rewards
from verigrad.rollouts.signal_check import carrying
from verigrad.store import codec
from verigrad.workers.inline import Inline

GRPO = build("grpo", {"baseline": {"rewards": "process"}, "kl": "none"})
NAN = float("nan")


def by_hand(signal: object, ddof: int) -> np.ndarray:
    """Every step's reward normalised over all steps of its group; a token gets those that end at it or after."""
    batch = signal.batch  # type: ignore[attr-defined]
    out = np.zeros(batch.chosen_BT.shape)
    for g in np.unique(batch.group_B):
        rows = np.flatnonzero(batch.group_B == g)
        steps = [r for b in rows for r in batch.process_BT[b] if not np.isnan(r)]
        if len(steps) < 2:
            continue
        mean = sum(steps) / len(steps)
        std = (sum((r - mean) ** 2 for r in steps) / (len(steps) - ddof)) ** 0.5
        for b in rows:
            for t in np.flatnonzero(batch.chosen_BT[b]):
                later = [r for r in batch.process_BT[b][t:] if not np.isnan(r)]
                out[b, t] = sum((r - mean) / std for r in later)
    return out


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("seed", range(5))
def test_advantages_are_the_papers_sums_over_later_steps(seed: int, ddof: int) -> None:
    signal, _, _ = random_case(seed, groups=3, size=2)
    method = build("grpo", {"baseline": {"rewards": "process"}, "kl": "none", "scale": {"ddof": ddof}})
    np.testing.assert_allclose(advantages(method, signal), by_hand(signal, ddof), rtol=1e-9, atol=1e-12)


def test_two_answers_of_two_steps() -> None:
    signal = signal_of(
        reward=[1.0, 0.0], old=[[-1.0] * 4, [-1.0] * 3], process=[[NAN, 1.0, NAN, 1.0], [1.0, NAN, -1.0]]
    )
    # Mean 0.5 and std sqrt(0.75): a good step is +1/sqrt(3), the bad one -sqrt(3).
    good, bad = 1 / 3**0.5, -(3**0.5)
    np.testing.assert_allclose(
        advantages(GRPO, signal), [[2 * good, 2 * good, good, good], [good + bad, bad, bad, 0]], atol=1e-12
    )


def test_tokens_after_the_last_step_and_groups_without_two_steps_have_no_advantage() -> None:
    signal = signal_of(
        reward=[0.0] * 4,
        old=[[-1.0] * 2] * 4,
        group=[3, 3, 8, 8],
        process=[[1.0, NAN], [0.0, NAN], [5.0, NAN], [NAN, NAN]],
    )
    np.testing.assert_allclose(advantages(GRPO, signal), [[1, 0], [-1, 0], [0, 0], [0, 0]], atol=1e-12)


def test_the_outcome_moves_nothing_and_a_token_paid_kl_still_counts() -> None:
    signal, _, _ = random_case(1)
    other = arrays(signal, reward_B=signal.batch.reward_B * 7)
    assert torch.equal(advantages(GRPO, signal), advantages(GRPO, other))
    paying = build("grpo", {"baseline": {"rewards": "process"}, "kl": {"name": "k1", "coefficient": 1.0}})
    paid = np.where(signal.batch.chosen_BT, signal.logp_old_BT - signal.logp_ref_BT, 0)
    to_go = np.cumsum(paid[:, ::-1], axis=1)[:, ::-1]
    expected = advantages(GRPO, signal).numpy() - np.where(signal.batch.chosen_BT, to_go, 0)
    np.testing.assert_allclose(advantages(paying, signal), expected, atol=1e-12)


def test_refused_where_no_verdict_has_steps_and_in_a_group_of_one() -> None:
    signal, _, _ = random_case(1)
    with pytest.raises(Refused, match="process_ends") as caught:
        advantages(GRPO, arrays(signal, process_BT=None))  # type: ignore[arg-type]
    assert caught.value.key == "loss.baseline.rewards"
    single, _, _ = random_case(0, groups=3, size=1)
    with pytest.raises(Refused, match="at least two answers"):
        advantages(GRPO, single)


@pytest.mark.parametrize(
    ("process", "ends", "says"),
    [
        (None, (3,), "0 rewards, 1 ends"),
        ((1.0, 2.0), (3,), "2 rewards, 1 ends"),
        ((1.0, 2.0), (3, 3), "one after the other"),
        ((1.0,), (0,), "from 1 on"),
        ((NAN,), (1,), "finite"),
    ],
)
def test_a_verdict_that_does_not_know_its_steps_is_refused(
    process: tuple[float, ...] | None, ends: tuple[int, ...], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        Verdict(status="right", score=1.0, process=process, process_ends=ends)


def scored(token_ids: list[int], *, process: tuple[float, ...], at: tuple[int, ...], chosen: list[bool]) -> Scored:
    n = len(token_ids)
    rollout = Rollout(
        task=Task.make(prompt="q", gold="1", source="s"),
        draw=Draw(stage=1, step=1, attempt=0, seed=1),
        answer="a",
        prompt_ids=np.array([1], dtype=np.int64),
        token_ids=np.array(token_ids, dtype=np.int64),
        chosen=np.array(chosen),
        logp=np.full(n, -1.0, dtype=np.float32),
        finish="stop",
    )
    ends = tuple(range(1, len(process) + 1))
    verdict = Verdict(status="right", score=1.0, process=process, process_ends=ends)
    return Scored(rollout=rollout, verdict=verdict, reward=1.0, process_at=at)


def test_a_batch_puts_each_steps_reward_on_the_last_token_chosen_for_it() -> None:
    one = scored([5, 6, 7, 8], process=(0.5, 2.0, -1.0), at=(0, 2, 3), chosen=[True, True, False, True])
    two = scored([5, 6], process=(1.0, 0.25, 4.0), at=(0, 1, 1), chosen=[False, True])
    bare = replace(one, verdict=Verdict(status="wrong", score=0.0), process_at=None)
    batch = batch_of([Group(task=one.rollout.task, members=(one, two, bare))], budget=9)
    expected = [[0.5, 2.0, NAN, -1.0], [NAN, 4.25, NAN, NAN], [NAN] * 4]
    np.testing.assert_array_equal(batch.process_BT, expected)
    assert batch.process_BT is not None
    np.testing.assert_array_equal(batch.take([1]).process_BT, expected[1:2])
    assert batch_of([Group(task=one.rollout.task, members=(bare, bare))], budget=9).process_BT is None


def test_a_group_carries_a_gradient_where_its_steps_differ() -> None:
    alike, apart = (
        [scored([5, 6], process=steps, at=(0, 1), chosen=[True, True]) for steps in both]
        for both in (((1.0, 1.0), (1.0, 1.0)), ((1.0, 0.0), (1.0, 1.0)))
    )
    groups = [Group(task=members[0].rollout.task, members=tuple(members)) for members in (alike, apart)]
    assert carrying(groups, compared=True) == 0
    assert carrying(groups, compared=True, process=True) == 1
    assert needs(GRPO).process
    assert not needs(build("grpo", {})).process


def test_steps_are_stored_and_read_back() -> None:
    one = scored([5, 6], process=(0.1, 2.0), at=(0, 1), chosen=[True, True])
    got = codec.to_scored(codec.scored(one, of=one.rollout.task, prompt=None), of=one.rollout.task, prompt=None)
    assert (got.process_at, got.verdict) == (one.process_at, one.verdict)


def test_the_workers_find_the_steps_of_a_verdict_among_the_tokens(tmp_path: Path) -> None:
    lm = models.load(str(tiny_folder(tmp_path)), dtype="float32")
    text = "1€\n2"
    plain = scored([*lm.tokenizer(text)["input_ids"], lm.eos_ids[0]], process=(), at=(), chosen=[True] * 7)
    rollout = replace(plain.rollout, answer=text)

    class Judges:
        def score(self, rollouts: list[Rollout]) -> list[Scored]:
            verdict = Verdict(status="wrong", score=0.0, process=(1.0, -1.0), process_ends=(2, 4))
            bare = Verdict(status="wrong", score=0.0, process=(1.0,))
            return [Scored(rollout=r, verdict=v, reward=0.0) for r, v in zip(rollouts, (verdict, bare), strict=True)]

    workers = Inline(SimpleNamespace(policy=lm), None, Judges())  # type: ignore[arg-type]
    assert [s.process_at for s in workers.verify([rollout, rollout])] == [(3, 5), None]


def test_a_check_of_the_users_says_where_its_steps_end(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(
        "from verigrad import Verdict\n"
        "def steps(answer, task):\n"
        "    ends = [i + 1 for i, c in enumerate(answer) if c == '.'] + [len(answer) + answer.count('!')]\n"
        "    right = answer.endswith(task.gold)\n"
        "    return Verdict(status='right' if right else 'wrong', score=float(right),\n"
        "                   process=tuple(1.0 for _ in ends), process_ends=tuple(ends))\n"
    )
    task = Task.make(prompt="q", gold="3", source="s")
    with Rewards([Reward(verifier="checks.py:steps")], folder=tmp_path, max_tokens=16, workers=1) as held:
        got = held.verify("1 and 2. So 3", task)
        assert (got.correct, got.process, got.process_ends) == (True, (1.0, 1.0), (8, 13))
        beyond = held.verify("no!", task)
        assert "ends at character 4 of an answer of 3" in beyond.reason
        assert (beyond.status, beyond.process_ends) == ("wrong", None)


def test_characters_are_found_among_tokens_of_any_length(tmp_path: Path) -> None:
    lm = models.load(str(tiny_folder(tmp_path)), dtype="float32")
    text = "a = 1€\n  b = 2\nsum 3"
    token_ids = np.array([*lm.tokenizer(text)["input_ids"], lm.eos_ids[0]], dtype=np.int64)
    size = [len(c.encode()) for c in text]
    assert models.tokens_at(lm, token_ids, text, range(1, len(text) + 1)) == tuple(np.cumsum(size) - 1)
    assert models.tokens_at(lm, token_ids, text[:9], (6, 9)) == (7, 10)
    for outside in (0, len(text) + 1):
        with pytest.raises(ValueError, match="is not in an answer"):
            models.tokens_at(lm, token_ids, text, (outside,))
