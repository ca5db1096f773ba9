"""Every architecture through LocalSampler: fast where the engine fits, plain where it does not, right in both."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.architectures import ARCHITECTURES, tiny_lm
from tests.sampling import sampling_cases as cases
from verigrad.models import Working
from verigrad.sampling import LocalSampler, attention

CASES = [pytest.param(case, id=case.name) for case in ARCHITECTURES]


@pytest.mark.parametrize("case", CASES)
def test_the_engine_is_taken_where_it_fits_and_is_right_everywhere(case):
    lm = tiny_lm(case.name)
    sampler = LocalSampler(lm)
    requests = cases.mixed(10, max_tokens=12)
    completions = sampler.sample(requests)
    assert (sampler.fit.why_plain == "") == case.packed, sampler.fit.why_plain
    assert cases.judged(lm, requests, completions) < 1e-4


@pytest.mark.parametrize("case", [p for p in CASES if p.values[0].packed])
def test_alone_or_in_company_the_same_bits(case):
    lm = tiny_lm(case.name)
    requests = cases.mixed(12, max_tokens=12)
    whole = LocalSampler(lm).sample(requests)
    for i in (0, 5, 11):
        alone = LocalSampler(lm).sample([requests[i]])[0]
        cases.same(alone, whole[i])


@pytest.mark.parametrize("case", [p for p in CASES if p.values[0].packed])
def test_weights_that_changed_are_taken_over_by_themselves(case):
    lm, low = tiny_lm(case.name), torch.bfloat16
    sampler, requests = LocalSampler(lm, dtype=low), cases.mixed(3, max_tokens=6)
    before = sampler.sample(requests)
    with torch.no_grad():
        for p in lm.module.parameters():
            p.mul_(1.5)
    after = sampler.sample(requests)
    fresh = LocalSampler(lm, dtype=low).sample(requests)
    assert any(not np.array_equal(a.logp, b.logp) for a, b in zip(before, after, strict=True))
    for a, b in zip(after, fresh, strict=True):
        cases.same(a, b)


def test_an_optimizer_step_is_seen():
    lm = tiny_lm("llama")
    sampler, request = LocalSampler(replace(lm, dtype=torch.bfloat16)), cases.ask("?", 1)
    sampler.sample([request])
    weights = sampler._weights
    assert weights is not None
    assert not weights.sync()
    optimizer = torch.optim.AdamW(lm.module.parameters(), lr=0.1, fused=True)
    for p in lm.module.parameters():
        p.grad = torch.ones_like(p)
    optimizer.step()
    assert weights.sync()
    assert not weights.sync()


def longrope():
    return tiny_lm(
        "phi3",
        original_max_position_embeddings=32,
        rope_parameters={
            "rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1.0] * 4, "long_factor": [4.0] * 4,
            "original_max_position_embeddings": 32,
        },
    )  # fmt: skip


def test_frequencies_that_depend_on_the_longest_row_are_given_rows_one_by_one():
    """Phi-3-128k and its like: sampled and trained on one row a forward, so that company changes nothing."""
    lm = longrope()
    sampler = LocalSampler(lm)
    assert "longrope" in sampler.fit.why_plain
    requests = [cases.ask("x" * n, n, max_tokens=6) for n in (2, 20, 60)]
    together = sampler.sample(requests)
    for request, one in zip(requests, together, strict=True):
        assert np.array_equal(sampler.sample([request])[0].token_ids, one.token_ids)
    working = Working(lm)
    assert "longrope" in working.why_padded
    prompts, ids, length = [c.prompt_ids for c in together], *_padded(together)
    with torch.no_grad():
        logp_BT = working.logps(prompts, ids, length)[0].numpy()
    for b, completion in enumerate(together):
        np.testing.assert_allclose(logp_BT[b, : length[b]], completion.logp, atol=1e-4)


def _padded(completions):
    length = np.array([len(c.token_ids) for c in completions])
    ids = np.zeros((len(completions), length.max()), dtype=np.int64)
    for row, completion in zip(ids, completions, strict=True):
        row[: len(completion.token_ids)] = completion.token_ids
    return ids, length


def test_weights_put_in_the_places_of_others_are_found():
    lm, request = tiny_lm("llama"), cases.ask("?", 1, max_tokens=4)
    sampler = LocalSampler(lm)
    sampler.sample([request])
    state = {name: value.clone() * 1.5 for name, value in lm.module.state_dict().items()}
    lm.module.load_state_dict(state, assign=True)
    lm.module.tie_weights()
    cases.same(sampler.sample([request])[0], LocalSampler(lm).sample([request])[0])


def test_a_write_nobody_counts_is_taken_over_when_told():
    lm, request = tiny_lm("llama"), cases.ask("?", 1, max_tokens=4)
    sampler = LocalSampler(lm)
    sampler.sample([request])
    lm.module.model.layers[0].mlp.up_proj.weight.data[3].add_(1.0)
    sampler.changed()
    cases.same(sampler.sample([request])[0], LocalSampler(lm).sample([request])[0])


def test_odd_widths_withdraw_the_promise():
    lm = tiny_lm("llama", intermediate_size=51)
    assert "layers of 51" in LocalSampler(lm).why_not_exact
    assert LocalSampler(tiny_lm("llama")).exact


def test_room_for_keys_takes_no_memory_before_it_is_written():
    like = torch.zeros(1, dtype=torch.bfloat16)
    before = _resident_mb()
    room = attention._room((64, 1024, 64, 64), like)
    assert room.dtype is torch.bfloat16
    assert room.numel() * 2 > 500e6
    assert _resident_mb() - before < 100
    assert not room[3, 5].any()


def _resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6
