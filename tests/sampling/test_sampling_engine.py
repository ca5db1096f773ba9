"""The engine's rooms: chunks of long prompts, groups larger than a block or than all rows, memory, stop texts."""

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.architectures import tiny_lm
from tests.sampling import sampling_cases as cases
from verigrad import models
from verigrad.errors import Refused
from verigrad.sampling import LocalSampler, engine
from verigrad.sampling.sampler import cut_at_stop, stop_found


def long(n, *, answers=2, max_tokens=8):
    """Prompts of n, 2 and 3 n characters, a token each, several answers to each."""
    return [
        cases.ask("y" * count, 100 * count + j, max_tokens=max_tokens - j)
        for count in (n, 2, 3 * n)
        for j in range(answers)
    ]


@pytest.mark.parametrize("name", ["llama", "mistral", "gemma2", "gemma3_text", "gpt2"])
@pytest.mark.parametrize("chunk", [7, 16, 64])
def test_a_long_prompt_in_chunks_is_the_prompt(name, chunk, monkeypatch):
    monkeypatch.setattr(engine, "CHUNK", chunk)
    monkeypatch.setattr(engine, "BATCH", 48)
    lm, requests = tiny_lm(name), long(40)
    sampler = LocalSampler(lm)
    completions = sampler.sample(requests)
    assert not sampler.fit.why_plain
    assert cases.judged(lm, requests, completions) < 1e-4
    cases.same(LocalSampler(lm).sample([requests[-1]])[0], completions[-1])


@pytest.mark.parametrize("answers", [1, 9, 20, 70])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_group_of_any_size(answers, dtype):
    lm = tiny_lm("qwen2")
    requests = [cases.ask("abc", j, max_tokens=5 + j % 3) for j in range(answers)] + [cases.ask("d", 1, max_tokens=9)]
    completions = LocalSampler(lm, dtype=dtype, rows=32).sample(requests)
    assert cases.judged(lm, requests, completions) < (1e-4 if dtype is torch.float32 else 0.5)
    if dtype is torch.float32:
        for i in (0, answers - 1, answers):
            cases.same(LocalSampler(lm).sample([requests[i]])[0], completions[i])


def test_less_memory_takes_fewer_rows_and_changes_nothing():
    lm, requests = tiny_lm("llama"), cases.mixed(40, max_tokens=12)
    whole = LocalSampler(lm)
    token_gb = 4 * whole.fit.numbers / 1e9
    tight = LocalSampler(lm, cache_gb=token_gb * (16 * 64 + 17 * 128))
    assert tight._size([[a] for a in _answers(lm, requests)]).rows == 16
    assert whole._size([[a] for a in _answers(lm, requests)]).rows == 48
    for one, other in zip(tight.sample(requests), whole.sample(requests), strict=True):
        cases.same(one, other)


def _answers(lm, requests):
    from verigrad.sampling.local import _Answer

    return [_Answer(request=r, prompt_ids=models.encode(lm, r.prompt)) for r in requests]


def test_a_cache_too_small_for_any_answer_is_refused():
    with pytest.raises(Refused, match=r"need .* GB; sampling.options.cache_gb is 1e-09"):
        LocalSampler(tiny_lm("llama"), cache_gb=1e-9).sample([cases.ask("?", 1)])


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"cache_gb": 0}, "cache_gb"),
        ({"cache_gb": "2"}, "cache_gb"),
        ({"cache_gb": True}, "cache_gb"),
        ({"dtype": "float16"}, "dtype"),
        ({"dtype": 16}, "dtype"),
        ({"cache": 2}, "cache"),
    ],
)
def test_options_that_are_refused_by_name(options, key):
    with pytest.raises(Refused) as refused:
        LocalSampler.from_options(tiny_lm("llama"), options)
    assert refused.value.key == f"sampling.options.{key}"


def test_the_dtype_of_sampling_may_differ_from_the_models():
    lm = tiny_lm("llama")
    assert LocalSampler.from_options(lm, {"dtype": "bfloat16"}).dtype is torch.bfloat16
    assert LocalSampler.from_options(replace(lm, dtype=torch.bfloat16), {"dtype": "auto"}).dtype is torch.bfloat16
    assert LocalSampler.from_options(replace(lm, dtype=torch.bfloat16), {"dtype": "float32"}).exact


def test_a_stop_text_is_found_at_the_token_that_completes_it():
    lm, picks = tiny_lm("llama"), random.Random(0)
    letters = [int(models.encode(lm, ({"role": "user", "content": c},))[-1]) for c in "ab"]
    tokens = [i for i in range(lm.vocabulary) if models.decode(lm, [i]) in ("a", "b", "\n", "é")] or letters
    tokens += [i for i in range(lm.vocabulary) if i not in tokens][:40]
    for _ in range(300):
        ids = [picks.choice(tokens) for _ in range(picks.randint(1, 60))]
        text = models.decode(lm, ids)
        start = picks.randrange(len(text) + 1)
        stop = (text[start : start + picks.randint(1, 6)] or "zz", "never there")
        first = next(
            (n for n in range(1, len(ids) + 1) if cut_at_stop(models.decode(lm, ids[:n]), stop) is not None), 0
        )
        found = next((n for n in range(1, len(ids) + 1) if stop_found(lm, ids[:n], stop)), 0)
        assert found == first, (stop, text)


def test_rows_that_moved_keep_their_bits():
    """Answers of very unlike lengths: most rows are moved, blocks are given back, groups come in late."""
    lm = tiny_lm("qwen3")
    requests = [
        cases.ask("q" * (1 + g), 10 * g + j, max_tokens=3 + (7 * g + 5 * j) % 29) for g in range(9) for j in range(4)
    ]
    whole = LocalSampler(lm, rows=16).sample(requests)
    for i in range(0, len(requests), 5):
        cases.same(LocalSampler(lm).sample([requests[i]])[0], whole[i])
    assert cases.judged(lm, requests, whole) < 1e-4
    assert len({len(c.token_ids) for c in whole}) > 8
    assert all(np.isfinite(c.logp).all() for c in whole)
