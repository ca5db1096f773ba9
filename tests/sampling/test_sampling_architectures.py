"""Every architecture through LocalSampler: fast where the engine fits, plain where it does not, right in both."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.architectures import ARCHITECTURES, tiny_lm
from tests.sampling import sampling_cases as cases
from verigrad.sampling import LocalSampler

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
