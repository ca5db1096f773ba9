"""Requests and comparisons that tests of the engine share."""

from __future__ import annotations

import random

import numpy as np
import torch

from verigrad import models
from verigrad.records import Request
from verigrad.sampling import LocalSampler

TEMPERATURES = (1.0, 0.7, 0.0)


def ask(text, seed, *, max_tokens=40, temperature=1.0, stop=()):
    return Request(
        prompt=({"role": "user", "content": text},),
        seed=seed,
        max_tokens=max_tokens,
        temperature=temperature,
        stop=stop,
    )


def mixed(n, *, max_tokens):
    """Prompts of five lengths, three temperatures, answers of several lengths."""
    return [
        ask("x" * (1 + 9 * (i % 5)), 1000 + i, max_tokens=max_tokens - i % 7, temperature=TEMPERATURES[i % 3])
        for i in range(n)
    ]


def same(one, other):
    """Equal in every token and every bit of the log-probs."""
    assert one.text == other.text
    assert one.finish == other.finish
    np.testing.assert_array_equal(one.prompt_ids, other.prompt_ids)
    np.testing.assert_array_equal(one.token_ids, other.token_ids)
    np.testing.assert_array_equal(one.logp, other.logp)


def check_any_batch(lm, requests, alone):
    """Alone, among seven, all at once, shuffled over fewer rows."""
    whole = LocalSampler(lm).sample(requests)
    sampler = LocalSampler(lm)
    assert sampler.exact
    for i in alone:
        same(sampler.sample([requests[i]])[0], whole[i])
    for one, other in zip(sampler.sample(requests[:7]), whole, strict=False):
        same(one, other)
    order = list(range(len(requests)))
    random.Random(0).shuffle(order)
    for i, completion in zip(order, LocalSampler(lm, rows=13).sample([requests[i] for i in order]), strict=True):
        same(completion, whole[i])
    return whole


def judged(lm, requests, completions):
    """Largest difference between the sampler's log-probs and response_logps'."""
    worst = 0.0
    for temperature in {request.temperature for request in requests}:
        mine = [c for r, c in zip(requests, completions, strict=True) if r.temperature == temperature]
        length = np.array([len(c.token_ids) for c in mine])
        ids, logp = np.zeros((len(mine), length.max()), dtype=np.int64), np.zeros((len(mine), length.max()))
        for b, completion in enumerate(mine):
            ids[b, : length[b]], logp[b, : length[b]] = completion.token_ids, completion.logp
        with torch.no_grad():
            judge = models.response_logps(lm, [c.prompt_ids for c in mine], ids, length, temperature=temperature)[0]
        worst = max(worst, float(np.abs(judge.numpy() - logp).max()))
    return worst
