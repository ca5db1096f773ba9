"""What holds for every method, checked for every method: one table of properties times one table of methods.

A new method in methods.py is in the table by itself. VARIANTS add the words no method uses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.losses.cases import EVERY, arrays, loss_of, merged, random_case, signal_of, with_rewards
from verigrad.errors import Refused
from verigrad.losses import Method, advantages, build, idle_rows, methods, needs, policy_loss
from verigrad.losses.kls import K1, InLoss
from verigrad.losses.method import process
from verigrad.losses.scales import NoScale, Whiten
from verigrad.losses.wire import WORDS
from verigrad.records import Signal, totals_of

CLOSE = {"rtol": 1e-9, "atol": 1e-12}


def same(a: np.ndarray | float, b: np.ndarray | float, **tolerance: float) -> None:
    np.testing.assert_allclose(a, b, **{**CLOSE, **tolerance})


def padding(method: Method, seed: int) -> None:
    """Columns of padding full of nan change nothing and get no gradient."""
    signal, logp, entropy = random_case(seed)
    value, gradient, _, _ = loss_of(method, signal, logp, entropy)
    wide, columns = logp.shape[1], 3

    def widen(x: np.ndarray, filler: float) -> np.ndarray:
        return np.concatenate([x, np.full((x.shape[0], columns), filler, dtype=x.dtype)], axis=1)

    b = signal.batch
    padded = arrays(
        signal,
        chosen_BT=widen(b.chosen_BT, False),
        token_ids_BT=widen(b.token_ids_BT, 0),
        logp_sampler_BT=widen(b.logp_sampler_BT, np.nan),
        logp_old_BT=widen(signal.logp_old_BT, np.inf),
        logp_ref_BT=widen(signal.logp_ref_BT, np.nan),
        value_BT=widen(signal.value_BT, np.nan),
        process_BT=widen(b.process_BT, np.nan),
    )
    nan = torch.full((b.rows, columns), torch.nan, dtype=torch.float64)
    got, by_logp, by_entropy, _ = loss_of(method, padded, torch.cat([logp, -nan], 1), torch.cat([entropy, nan], 1))
    same(got, value)
    same(by_logp[:, :wide], gradient)
    assert not by_logp[:, wide:].any()
    assert not by_entropy[:, wide:].any()


def unchosen_tokens(method: Method, seed: int) -> None:
    """What stands at tokens nobody chose changes neither loss nor gradient, and they get none: not even from nan."""
    signal, logp, entropy = random_case(seed)
    value, gradient, by_entropy, _ = loss_of(method, signal, logp, entropy)
    off = ~signal.batch.chosen_BT
    assert not gradient[off].any()
    assert not by_entropy[off].any()
    noise = np.where(off, np.nan, 0.0)
    other = arrays(
        signal,
        logp_sampler_BT=signal.batch.logp_sampler_BT + noise,
        logp_old_BT=signal.logp_old_BT + noise,
        logp_ref_BT=signal.logp_ref_BT + noise,
        value_BT=signal.value_BT + noise,
    )
    got, by_logp, _, _ = loss_of(method, other, logp + torch.tensor(noise), entropy + torch.tensor(noise))
    assert got == value
    assert (by_logp == gradient).all()


def micro_batches(method: Method, seed: int) -> None:
    """An update's loss, gradient and metrics are the sums over its micro-batches, however it is cut."""
    signal, logp, entropy = random_case(seed)
    advantage = advantages(method, signal)
    value, gradient, by_entropy, whole = loss_of(method, signal, logp, entropy, advantage)
    rows = np.random.default_rng(seed).permutation(signal.batch.rows)
    total, summed = 0.0, dict.fromkeys(whole.sums, 0.0)
    maxima = dict.fromkeys(whole.maxima, 0.0)
    for part in (rows[:1], rows[1:4], rows[4:]):
        got, by_logp, by_h, loss = loss_of(method, signal.take(part), logp[part], entropy[part], advantage[part])
        total += got
        same(by_logp, gradient[part])
        same(by_h, by_entropy[part])
        assert set(loss.sums) == set(summed)
        summed = {k: v + loss.sums[k] for k, v in summed.items()}
        maxima = {k: max(v, loss.maxima[k]) for k, v in maxima.items()}
    same(total, value)
    same(list(summed.values()), list(whole.sums.values()))
    assert maxima == whole.maxima


def ranks(method: Method, seed: int) -> None:
    """Ranks that add up their totals get the loss of one machine, also with groups spread over them."""
    signal, logp, entropy = random_case(seed)
    advantage = advantages(method, signal)
    value, gradient, _, _ = loss_of(method, signal, logp, entropy, advantage)
    b = signal.batch
    shards = np.array_split(np.random.default_rng(seed).permutation(b.rows), 1 + seed % 4)
    totals = merged([totals_of(b.chosen_BT[s], b.group_B[s], budget=b.totals.budget) for s in shards])
    total = 0.0
    for shard in shards:
        got, by_logp, _, _ = loss_of(
            method, signal.take(shard, totals=totals), logp[shard], entropy[shard], advantage[shard]
        )
        total += got
        same(by_logp, gradient[shard])
    same(total, value)


def row_order(method: Method, seed: int) -> None:
    """The order of the answers changes nothing."""
    signal, logp, entropy = random_case(seed)
    value, gradient, _, _ = loss_of(method, signal, logp, entropy)
    rows = np.random.default_rng(seed).permutation(signal.batch.rows)
    got, by_logp, _, _ = loss_of(method, signal.take(rows), logp[rows], entropy[rows])
    same(got, value)
    same(by_logp, gradient[rows])


def token_order(method: Method, seed: int) -> None:
    """The order of an answer's tokens changes nothing, unless what a token earns depends on what follows it."""
    signal, logp, entropy = random_case(seed)
    value, gradient, _, _ = loss_of(method, signal, logp, entropy)
    rng = np.random.default_rng(seed)
    at = np.tile(np.arange(logp.shape[1]), (signal.batch.rows, 1))
    for row, n in zip(at, signal.batch.length_B, strict=True):
        row[:n] = rng.permutation(n)

    def turned(x: np.ndarray) -> np.ndarray:
        return np.take_along_axis(x, at, axis=1)

    b = signal.batch
    other = arrays(
        signal,
        chosen_BT=turned(b.chosen_BT),
        logp_sampler_BT=turned(b.logp_sampler_BT),
        logp_old_BT=turned(signal.logp_old_BT),
        logp_ref_BT=turned(signal.logp_ref_BT),
        value_BT=turned(signal.value_BT),
        process_BT=turned(b.process_BT),
    )
    got, by_logp, _, _ = loss_of(
        method, other, torch.tensor(turned(logp.numpy())), torch.tensor(turned(entropy.numpy()))
    )
    ordered = method.gamma != 1 or (isinstance(method.kl, K1) and method.kl.paid == "token_reward")
    ordered = ordered or needs(method).critic or process(method)
    if not ordered:
        same(got, value)
        same(by_logp, turned(gradient))
    else:
        assert np.isfinite(got)


def shift(method: Method, seed: int) -> None:
    """Adding a number to every reward, and to what the critic expects, changes no advantage."""
    signal, _, _ = random_case(seed)
    same(advantages(method, with_rewards(signal, 3.5, 1.0)), advantages(method, signal), atol=1e-9)


def scaling(method: Method, seed: int) -> None:
    """Doubling every reward changes no advantage if the method scales, and doubles it if it does not."""
    signal, _, _ = random_case(seed)
    signal = replace(signal, logp_ref_BT=signal.logp_old_BT)
    factor = 2.0 if isinstance(method.scale, NoScale) else 1.0
    same(advantages(method, with_rewards(signal, 0.0, 2.0)), factor * advantages(method, signal), atol=1e-9)


def constant_groups(method: Method, seed: int) -> None:
    """Where nothing tells the answers apart every advantage is exactly 0: per group, or, whitened, over the step."""
    signal, _, _ = random_case(seed)
    b = signal.batch
    by_group = method.baseline.word != "batch_mean" and not isinstance(method.scale, Whiten)
    reward = np.sin(b.group_B.astype(float)) / 3 if by_group else np.full(b.rows, 0.1)
    parts = np.stack([reward, 0.1 * np.sign(reward)], axis=1)
    flat = arrays(
        signal,
        reward_B=reward,
        greedy_reward_B=reward,
        parts_BK=parts,
        logp_ref_BT=signal.logp_old_BT,
        value_BT=np.broadcast_to(reward[:, None], signal.value_BT.shape),
        process_BT=np.where(np.isnan(b.process_BT), np.nan, reward[:, None]),
    )
    assert not advantages(method, flat).any()


def on_policy(method: Method, seed: int) -> None:
    """Where the policy has not moved, the gradient is REINFORCE's: -A times the token's share of the denominator."""
    signal, _, entropy = random_case(seed)
    signal = arrays(signal, logp_sampler_BT=signal.logp_old_BT)
    method = replace(method, kl=build("dapo", {}).kl)
    advantage = advantages(method, signal)
    _, gradient, _, loss = loss_of(method, signal, torch.tensor(signal.logp_old_BT), entropy, advantage)
    share = np.zeros(gradient.shape)
    b, totals = signal.batch, signal.batch.totals
    for i, t in np.argwhere(b.chosen_BT):
        share[i, t] = {
            "token_mean": 1 / totals.tokens,
            "group_token_mean": 1 / totals.groups / b.chosen_BT[b.group_B == b.group_B[i]].sum(),
            "sequence_mean": 1 / b.rows / b.chosen_BT[i].sum(),
            "sequence_sum": 1 / b.rows,
            "budget": 1 / b.rows / (getattr(method.aggregation, "tokens", None) or totals.budget),
        }[method.aggregation.word]
    same(gradient, -share * advantage.numpy())
    if needs(method).old:
        assert loss.maxima["ratio/max"] == 1.0


def matched_sampler(method: Method, seed: int) -> None:
    """With bitwise equal sampler and old log-probs the mismatch weight is exactly 1."""
    signal, logp, entropy = random_case(seed)
    signal = arrays(signal, logp_sampler_BT=signal.logp_old_BT)
    value, gradient, _, loss = loss_of(method, signal, logp, entropy)
    bare = replace(method, mismatch=build("grpo", {"mismatch": "none"}).mismatch)
    other, by_logp, _, _ = loss_of(bare, signal, logp, entropy)
    assert value == other
    assert (gradient == by_logp).all()
    assert loss.maxima["mismatch/max"] == 0.0


def idle(method: Method, seed: int) -> None:
    """Rows called idle add exactly nothing; the others alone give the whole update's loss and metrics."""
    signal, logp, entropy = random_case(seed)
    b = signal.batch
    reward = np.where(b.group_B == b.group_B[0], 0.5, b.reward_B)
    parts = np.where((b.group_B == b.group_B[0])[:, None], 0.25, b.parts_BK)
    greedy = np.where(b.group_B == b.group_B[0], 0.5, b.greedy_reward_B)
    steps = np.where((b.group_B == b.group_B[0])[:, None] & ~np.isnan(b.process_BT), 0.5, b.process_BT)
    signal = arrays(signal, reward_B=reward, parts_BK=parts, greedy_reward_B=greedy, process_BT=steps)
    advantage = advantages(method, signal)
    value, gradient, by_entropy, _ = loss_of(method, signal, logp, entropy, advantage)
    skip = idle_rows(method, advantage, signal)
    assert not gradient[skip].any()
    assert not by_entropy[skip].any()
    in_loss = isinstance(method.kl, InLoss) or needs(method).entropy or needs(method).critic
    if method.keep.truncated == "masked":
        assert skip[b.truncated_B].all()
    elif in_loss:
        assert not skip.any()
    elif method.baseline.word != "batch_mean" and not isinstance(method.scale, Whiten) and not needs(method).reference:
        assert skip[b.group_B == b.group_B[0]].all()
    keep = np.flatnonzero(~skip)
    got, _, _, loss = loss_of(method, signal.take(keep), logp[keep], entropy[keep], advantage[keep])
    same(got, value)
    computed = int(b.chosen_BT[keep].sum())
    again = policy_loss(method, logp[keep], signal.take(keep), advantage[keep], entropy[keep], computed_tokens=computed)
    drift = np.abs(signal.logp_old_BT - b.logp_sampler_BT)[keep][b.chosen_BT[keep]]
    same(again.sums["mismatch/mean"], drift.mean() if drift.size else 0.0)
    assert again.sums["clip/high"] == loss.sums["clip/high"]


def clip_shares(method: Method, seed: int) -> None:
    """clip/low and clip/high count exactly the tokens that the clip leaves without gradient, by the ratio's side."""
    signal, logp, entropy = random_case(seed)
    signal = arrays(signal, logp_sampler_BT=signal.logp_old_BT)
    method = replace(method, kl=build("dapo", {}).kl)
    advantage = advantages(method, signal)
    _, gradient, _, loss = loss_of(method, signal, logp, entropy, advantage)
    total = signal.batch.totals.tokens
    above = (logp.numpy() - signal.logp_old_BT) > 0
    if method.ratio.word.startswith("sequence"):
        moved = np.where(signal.batch.chosen_BT, logp.numpy() - signal.logp_old_BT, 0.0)
        above = np.broadcast_to(moved.sum(axis=1, keepdims=True) > 0, above.shape)
    if method.clip.word == "weighted":
        ratio = np.exp(np.where(advantage.numpy() != 0, logp.numpy() - signal.logp_old_BT, 0.0))
        low, high = ratio < method.clip.floor, ratio > method.clip.cap
    else:
        still = (advantage.numpy() != 0) & (gradient == 0)
        low, high = still & ~above, still & above
    assert loss.sums["clip/low"] == pytest.approx(low.sum() / total)
    assert loss.sums["clip/high"] == pytest.approx(high.sum() / total)


def wild_log_probs(method: Method, seed: int) -> None:
    """Log-ratios of thousands of nats leave value and gradient finite, in float32 as in bfloat16."""
    signal, logp, entropy = random_case(seed)
    rng = np.random.default_rng(seed)
    wild = torch.tensor(rng.choice([-1e4, -80.0, -1e-3], logp.shape))
    signal = arrays(signal, logp_sampler_BT=rng.choice([-1e4, -1e-3], logp.shape))
    for dtype in (torch.float32, torch.bfloat16):
        new = wild.to(dtype).requires_grad_()
        loss = policy_loss(method, new, signal, advantages(method, signal), entropy.to(dtype))
        assert loss.value.dtype == torch.float32
        assert torch.isfinite(loss.value)
        assert torch.isfinite(torch.autograd.grad(loss.value, new)[0]).all()
        assert all(np.isfinite(v) for v in [*loss.sums.values(), *loss.maxima.values()])


PROPERTIES: list[Callable[[Method, int], None]] = [
    padding,
    unchosen_tokens,
    micro_batches,
    ranks,
    row_order,
    token_order,
    shift,
    scaling,
    constant_groups,
    on_policy,
    matched_sampler,
    idle,
    clip_shares,
    wild_log_probs,
]


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", sorted(EVERY))
@settings(max_examples=3, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_property(name: str, holds: Callable[[Method, int], None], seed: int) -> None:
    holds(EVERY[name], seed)


def test_every_word_of_every_axis_is_in_the_table() -> None:
    used = {(axis, getattr(m, axis).word) for m in EVERY.values() for axis in WORDS}
    assert used == {(axis, word.word) for axis, words in WORDS.items() for word in words}


def test_token_order_matters_where_kl_is_paid_per_token() -> None:
    signal, _, _ = random_case(1)
    rows = advantages(build("reinforce_pp", {"kl": {"coefficient": 1.0}}), signal)
    assert any(len(set(row[row != 0].tolist())) > 1 for row in rows)


def test_an_all_right_group_is_pushed_down_by_whitening_and_only_there() -> None:
    def advantage(name: str) -> torch.Tensor:
        signal, _, _ = random_case(2, groups=2, size=3)
        reward = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 1.0])
        signal = arrays(
            signal, reward_B=reward, chosen_BT=np.arange(4)[None, :] <= np.array([0, 0, 0, 0, 0, 1])[:, None]
        )
        return advantages(methods[name], signal)[:3, 0]

    assert (advantage("reinforce_pp_baseline") < 0).all()
    assert not advantage("grpo").any()


def test_parts_are_scaled_alone_under_per_part() -> None:
    signal, _, _ = random_case(3, groups=1, size=4)
    parts = np.array([[1.0, 0.0], [0.0, 10.0], [0.0, 0.0], [1.0, 10.0]])
    signal = arrays(signal, parts_BK=parts, reward_B=parts.sum(axis=1))
    got = advantages(build("grpo", {"scale": {"per_part": True}}), signal)[:, 0]
    same(got, np.array([0.0, 0.0, -2.0, 2.0]))


def test_whitening_over_answers_counts_every_answer_once_and_over_tokens_every_token() -> None:
    signal = signal_of(reward=[1.0, 0.0, 1.0, 1.0], old=[[-1.0] * 5, [-1.0], [-1.0], [-1.0]], group=[0, 0, 1, 1])
    centred = np.array([0.5, -0.5, 0.0, 0.0])
    answers = advantages(build("reinforce_pp_baseline", {"scale": {"over": "answers"}}), signal)[:, 0]
    same(answers.numpy(), centred / centred.std())
    tokens = advantages(methods["reinforce_pp_baseline"], signal)[:, 0]
    every = np.repeat(centred, [5, 1, 1, 1])
    same(tokens.numpy(), (centred - every.mean()) / every.std())


def test_a_step_without_parts_is_refused_under_per_part() -> None:
    signal, _, _ = random_case(3)
    bare: Signal = arrays(signal, parts_BK=np.zeros((signal.batch.rows, 0)))
    with pytest.raises(Refused, match="no reward parts"):
        advantages(EVERY["gdpo"], bare)


def test_gamma_discounts_what_the_answer_earns_by_the_tokens_that_follow() -> None:
    signal, _, _ = random_case(4, groups=1, size=2)
    full = np.ones_like(signal.batch.chosen_BT)
    signal = arrays(signal, chosen_BT=full, reward_B=np.array([0.8, 0.5]), greedy_reward_B=np.array([0.5, 0.5]))
    got = advantages(replace(methods["remax"], gamma=0.99), signal)[0]
    same(got.numpy(), [0.3 * 0.99 ** (len(got) - 1 - t) for t in range(len(got))])


def test_gamma_discounts_what_later_tokens_pay_to_the_reference() -> None:
    signal = signal_of(reward=[1.0], greedy=[0.0], old=[[-0.9, -1.2, -0.7]], ref=[[-1.0, -1.0, -1.0]])
    method = replace(build("remax", {"kl": {"name": "k1", "coefficient": 2.0}}), gamma=0.5)
    last = 1.0 - 2 * 0.3
    middle = -2 * -0.2 + 0.5 * last
    same(advantages(method, signal)[0].numpy(), [-2 * 0.1 + 0.5 * middle, middle, last])


def test_rounding_is_not_taken_for_a_difference() -> None:
    signal, _, _ = random_case(5, groups=1, size=3)
    signal = arrays(signal, reward_B=np.array([0.1 + 0.2, 0.3, 0.3]))
    assert 0.1 + 0.2 != 0.3
    assert not advantages(methods["grpo"], signal).any()
