"""The engine with adapters: unmerged beside a base that is packed once, and as near to the trainer as without them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.sampling.sampling_cases import check_any_batch, judged, mixed
from tests.tiny import tiny_folder
from verigrad import models
from verigrad.recipe import Lora
from verigrad.sampling import LocalSampler
from verigrad.sampling.weights import Packed, Unmerged, Weights, packs


def adapted(folder, arch="llama", dtype="float32", size=0.05):
    base = models.load(str(tiny_folder(folder, arch)), dtype=dtype, device="cpu")
    lm = models.add_lora(base, Lora(rank=4), seed=3)
    if size:
        move(lm, size)
    return lm


@torch.no_grad()
def move(lm, size):
    generator = torch.Generator().manual_seed(1)
    for p in lm.module.parameters():
        if p.requires_grad:
            p.add_(torch.randn(p.shape, generator=generator) * size)


def tokens(completions):
    return [c.token_ids.tolist() for c in completions]


@pytest.mark.parametrize("arch", ["llama", "qwen2", "gpt2"])
def test_unmerged_draws_the_tokens_of_the_merged_weights(tmp_path, arch):
    lm = adapted(tmp_path, arch)
    asked = mixed(10, max_tokens=12)
    found = LocalSampler(lm).sample(asked)
    assert tokens(found) == tokens(LocalSampler(models.merge(lm)).sample(asked))
    assert tokens(found) != tokens(LocalSampler(models.freeze(lm)).sample(asked)), "the adapters say something"
    assert judged(lm, asked, found) < 1e-4


def test_the_same_text_whatever_the_batch(tmp_path):
    check_any_batch(adapted(tmp_path), mixed(14, max_tokens=10), (0, 5, 9))


@pytest.mark.skipif(not packs(torch.device("cpu")), reason="this machine's torch packs nothing")
def test_an_update_takes_over_adapters_alone(tmp_path):
    lm = adapted(tmp_path)
    weights = Weights(lm, torch.float32, pack=True)
    beside = [m for m in weights.module.modules() if isinstance(m, Unmerged)]
    alone = [m for m in weights.module.modules() if isinstance(m, Packed)]
    assert len(beside) == 14
    inside = [p for m in beside for p in (m.base, m.down, m.up)]
    assert len(alone) == len(inside) + 1, "the head is packed by itself"
    assert not weights.sync()
    base = [id(m.packed) for m in alone if not any(m in (b.down, b.up) for b in beside)]
    narrow = [id(b.up.packed) for b in beside]
    move(lm, 0.1)
    assert weights.sync()
    alone = [m for m in weights.module.modules() if isinstance(m, Packed)]
    assert [id(m.packed) for m in alone if not any(m in (b.down, b.up) for b in beside)] == base
    assert all(id(b.up.packed) != old for b, old in zip(beside, narrow, strict=True))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_sampler_follows_updates_and_loads(tmp_path, dtype):
    lm = adapted(tmp_path, dtype=dtype)
    sampler, asked = LocalSampler(lm), mixed(6, max_tokens=10)
    before = tokens(sampler.sample(asked))
    models.save_checkpoint(lm, tmp_path / "step", "")
    move(lm, 0.2)
    after = tokens(sampler.sample(asked))
    assert after == tokens(LocalSampler(lm).sample(asked))
    assert after != before
    models.restore_checkpoint(lm, tmp_path / "step")
    assert tokens(sampler.sample(asked)) == before


def apart(lm, asked):
    """Mean and largest difference between the sampler's log-probs and the trainer's, in nats."""
    found = LocalSampler(lm).sample(asked)
    length_B = np.array([len(c.token_ids) for c in found])
    ids_BT = np.zeros((len(found), length_B.max()), dtype=np.int64)
    for row, c in zip(ids_BT, found, strict=True):
        row[: len(c.token_ids)] = c.token_ids
    with torch.no_grad():
        logp_BT = models.Working(lm).logps([c.prompt_ids for c in found], ids_BT, length_B).logp_BT.numpy()
    off = np.concatenate([np.abs(row[: len(c.logp)] - c.logp) for row, c in zip(logp_BT, found, strict=True)])
    return off.mean(), off.max()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_mismatch_is_no_larger_than_without(tmp_path, dtype):
    asked = [r for r in mixed(60, max_tokens=16) if r.temperature == 1.0]
    fresh = adapted(tmp_path, dtype=dtype, size=0)
    assert apart(fresh, asked) == apart(models.freeze(fresh), asked), "fresh adapters change no bit"
    lm = adapted(tmp_path, dtype=dtype)
    ours, merged = apart(lm, asked), apart(models.merge(lm), asked)
    # Rounding of two equal policies: measured 0.90 to 1.11 of the merged one's over 12 sets of adapters in bfloat16.
    assert ours[0] <= 1.25 * merged[0]
    if dtype == "float32":
        assert ours[1] < 1e-4
