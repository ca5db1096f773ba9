"""One token from logits and one uniform number: the right token, its exact log-probability, never an impossible one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats

from verigrad.errors import Stopped
from verigrad.records import uniforms
from verigrad.sampling.draw import draw

LAST = 1.0 - 2.0**-53


def by_hand(logits, temperature, uniform):
    """The first token whose cumulated probability exceeds the number, in float64 and one pass."""
    weight = np.exp((logits - logits.max()) / temperature)
    p = weight / weight.sum()
    token = int(np.searchsorted(np.cumsum(p), uniform, side="right"))
    return token, np.log(p[token])


@pytest.mark.parametrize("width", [3, 127, 128, 129, 1000])
def test_token_and_log_probability_equal_the_plain_computation(width):
    rng = np.random.default_rng(width)
    logits = rng.normal(0, 3, (50, width)).astype(np.float32)
    temperature = rng.choice([0.3, 1.0, 2.0], 50)
    uniform = rng.random(50)
    token, logp = draw(torch.from_numpy(logits), temperature, uniform)
    for b in range(50):
        right_token, right_logp = by_hand(logits[b].astype(np.float64), temperature[b], uniform[b])
        assert token[b] == right_token
        assert logp[b] == pytest.approx(right_logp, abs=5e-6)
    assert (token.dtype, logp.dtype) == (np.int64, np.float32)


@pytest.mark.parametrize("uniform", [0.0, 0.25, 0.5, 0.75, LAST])
@pytest.mark.parametrize("width", [5, 300])
def test_a_token_of_probability_zero_is_never_drawn(width, uniform):
    for possible in ([0], [width - 1], [1, 3], [0, width - 2]):
        logits = torch.full((1, width), -torch.inf)
        logits[0, possible] = 0.0
        token, logp = draw(logits, np.ones(1), np.array([uniform]))
        assert token[0] in possible
        assert logp[0] == pytest.approx(-np.log(len(possible)))
        underflow = torch.where(torch.isinf(logits), -2000.0, logits)
        assert draw(underflow, np.ones(1), np.array([uniform]))[0][0] in possible


def test_the_ends_of_the_unit_interval_reach_the_first_and_last_possible_token():
    logits = torch.zeros(2, 1000)
    token, _ = draw(logits, np.ones(2), np.array([0.0, LAST]))
    assert list(token) == [0, 999]


def test_greedy_takes_the_first_of_equals_and_is_judged_at_temperature_one():
    logits = torch.tensor([[0.0, 2.0, 2.0, 1.0]])
    token, logp = draw(logits, np.zeros(1), np.array([0.99]))
    assert token[0] == 1
    assert logp[0] == pytest.approx(float(logits[0].log_softmax(0)[1]), abs=1e-6)


def test_rows_of_one_call_have_their_own_temperature_and_number():
    torch.manual_seed(0)
    logits = torch.randn(1, 500).expand(4, -1)
    temperature, uniform = np.array([0.0, 0.5, 1.0, 3.0]), np.array([0.1, 0.2, 0.3, 0.4])
    together = draw(logits, temperature, uniform)
    for b in range(4):
        alone = draw(logits[b : b + 1], temperature[b : b + 1], uniform[b : b + 1])
        assert (alone[0][0], alone[1][0]) == (together[0][b], together[1][b])


def test_frequencies_follow_the_softmax():
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 1.5, 300).astype(np.float32)
    n = 40_000
    uniform = uniforms(np.arange(n, dtype=np.uint64), 3)
    token, _ = draw(torch.from_numpy(logits).expand(n, -1), np.full(n, 0.8), uniform)
    p = np.exp(logits.astype(np.float64) / 0.8)
    expected = n * p / p.sum()
    cells = expected >= 5
    seen = np.append(np.bincount(token, minlength=300)[cells], np.isin(token, np.flatnonzero(~cells)).sum())
    test = stats.chisquare(seen, np.append(expected[cells], expected[~cells].sum()))
    assert 1e-4 < test.pvalue < 1 - 1e-4


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_logits_that_are_no_numbers_stop_the_run(bad):
    logits = torch.zeros(2, 10)
    logits[1, 4] = bad
    with pytest.raises(Stopped, match="logits are not finite"):
        draw(logits, np.ones(2), np.array([0.5, 0.5]))
