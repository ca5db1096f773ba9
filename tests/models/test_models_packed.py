"""Packed log-probs and gradients against the padded reference, over every architecture."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from transformers.modeling_layers import GradientCheckpointingLayer

from tests.architectures import FALLBACK, PACKED, tiny_lm
from verigrad import models
from verigrad.models import LanguageModel, ResponseLogps, Working, response_logps
from verigrad.models import chunked_head as head_file
from verigrad.models import layout as layout_file
from verigrad.models.packed import packed_forward
from verigrad.models.twin import twin_of

Rows = tuple[list[np.ndarray], np.ndarray, np.ndarray]


def rows(of: tuple[int, ...] = (0, 1, 0, 2, 0, 1, 2, 0), lengths: tuple[int, ...] = (12, 5, 9, 1, 0, 20, 7, 2)) -> Rows:
    """Answers of these lengths to three prompts of 11, 5 and 14 tokens, mixed."""
    generator = np.random.default_rng(0)
    prompts = [generator.integers(3, 259, size) for size in (11, 5, 14)]
    token_ids_BT = generator.integers(3, 259, (len(of), max(lengths)))
    return [prompts[i] for i in of], token_ids_BT, np.array(lengths)


def objective(found: ResponseLogps) -> torch.Tensor:
    """Weights of both signs on log-probs and entropies."""
    count = found.logp_BT.numel()
    weight_BT = torch.sin(torch.arange(1.0, count + 1)).view(found.logp_BT.shape)
    value = (found.logp_BT * weight_BT).sum()
    return value if found.entropy_BT is None else value + 0.3 * (found.entropy_BT * weight_BT.cos()).sum()


def gradients(lm: LanguageModel, found: ResponseLogps) -> dict[str, torch.Tensor]:
    lm.module.zero_grad()
    objective(found).backward()
    return {name: p.grad.clone() for name, p in lm.module.named_parameters() if p.grad is not None}


def apart(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> tuple[float, float]:
    """Norm of the difference over the norm, of all and of the worst tensor; what is zero in theory counts little."""
    assert a.keys() == b.keys()
    norm = torch.stack([g.norm() for g in a.values()]).norm()
    differences = {name: (a[name] - b[name]).norm() for name in a}
    worst = max(float(d / (a[name].norm() + 1e-2 * norm)) for name, d in differences.items())
    return float(torch.stack(list(differences.values())).norm() / norm), worst


@functools.cache
def model(name: str) -> LanguageModel:
    return tiny_lm(name)


@functools.cache
def reference(name: str) -> tuple[ResponseLogps, dict[str, torch.Tensor]]:
    found = response_logps(model(name), *rows(), temperature=0.7, entropy=True, rows=99)
    return found, gradients(model(name), found)


@pytest.mark.parametrize(
    ("name", "checkpointing"), [*((name, False) for name in PACKED), ("llama", True), ("gemma2", True), ("opt", True)]
)
def test_log_probs_entropies_and_gradients_are_the_padded_ones(name: str, checkpointing: bool) -> None:
    lm, (padded, padded_gradients) = model(name), reference(name)
    own = lm.module.config._attn_implementation
    working = Working(lm, checkpointing=checkpointing)
    assert working.why_padded == ""
    assert all(a is b for a, b in zip(working.module.parameters(), lm.module.parameters(), strict=True))
    found = working.logps(*rows(), temperature=0.7, entropy=True)
    assert found.entropy_BT is not None
    assert padded.entropy_BT is not None
    for mine, theirs in ((found.logp_BT, padded.logp_BT), (found.entropy_BT, padded.entropy_BT)):
        difference = (mine - theirs).detach().abs()
        assert float(difference.max()) < 1e-4
        assert float(difference.mean()) < 1e-5
        assert bool((mine[torch.from_numpy(np.arange(20) >= rows()[2][:, None])] == 0).all())
    everything, worst = apart(padded_gradients, gradients(lm, found))
    assert everything < 1e-4
    assert worst < 1e-4
    assert lm.module.config._attn_implementation == own


@pytest.mark.parametrize("name", FALLBACK)
def test_what_cannot_be_packed_says_why_and_is_padded(name: str) -> None:
    lm, (padded, padded_gradients) = model(name), reference(name)
    working = Working(lm)
    assert name in working.why_padded
    assert "\n" not in working.why_padded
    found = working.logps(*rows(), temperature=0.7, entropy=True)
    torch.testing.assert_close(found.logp_BT, padded.logp_BT, atol=1e-5, rtol=0)
    assert apart(padded_gradients, gradients(lm, found))[0] < 1e-5


@pytest.mark.parametrize(
    ("of", "lengths"),
    [
        ((0, 1, 2), (4, 1, 9)),
        ((1,), (3,)),
        ((0, 0), (1, 1)),
        ((2, 0, 1, 0, 2), (0, 3, 0, 0, 6)),
        ((1, 1, 1), (0, 0, 0)),
    ],
    ids=["groups of one", "one row", "one token each", "some empty", "all empty"],
)
def test_groups_of_any_shape(of: tuple[int, ...], lengths: tuple[int, ...]) -> None:
    lm = model("llama")
    prompt_ids, token_ids_BT, length_B = rows(of, lengths)
    found = models.packed_logps(lm, prompt_ids, token_ids_BT, length_B, entropy=True)
    padded = response_logps(lm, prompt_ids, token_ids_BT, length_B, entropy=True)
    torch.testing.assert_close(found.logp_BT, padded.logp_BT, atol=1e-4, rtol=0)
    torch.testing.assert_close(found.entropy_BT, padded.entropy_BT, atol=1e-4, rtol=0)


def test_no_rows_give_nothing_and_unequal_counts_are_refused() -> None:
    lm = model("llama")
    nothing = models.packed_logps(lm, [], np.zeros((0, 4), dtype=np.int64), np.zeros(0, dtype=np.int64))
    assert nothing.logp_BT.shape == (0, 4)
    prompt_ids, token_ids_BT, length_B = rows()
    with pytest.raises(ValueError, match="7 prompts, 8 responses"):
        models.packed_logps(lm, prompt_ids[1:], token_ids_BT, length_B)


@pytest.mark.parametrize("name", ["llama", "gemma2"])
def test_rows_that_share_beginnings_are_computed_once_and_each_is_right(name: str) -> None:
    """Equal rows, answers that begin alike, one that ends inside another, prompts that begin alike."""
    lm = model(name)
    generator = np.random.default_rng(1)
    system = generator.integers(3, 259, 6)
    prompts = [np.concatenate([system, generator.integers(3, 259, size)]) for size in (3, 5)]
    token_ids_BT = generator.integers(3, 259, (7, 9))
    token_ids_BT[1] = token_ids_BT[0]
    token_ids_BT[2, :4] = token_ids_BT[0, :4]
    token_ids_BT[3, :4] = token_ids_BT[0, :4]
    prompt_ids = [prompts[i] for i in (0, 0, 0, 0, 1, 1, 0)]
    length_B = np.array([9, 9, 8, 3, 5, 9, 1])
    layout = layout_file.lay_out(prompt_ids, token_ids_BT, length_B, torch.device("cpu"))
    assert len(layout.token_N) == 6 + 3 + 5 + 8 + (7 - 4) + 4 + 8
    padded = response_logps(lm, prompt_ids, token_ids_BT, length_B, entropy=True, rows=99)
    theirs = gradients(lm, padded)
    found = models.packed_logps(lm, prompt_ids, token_ids_BT, length_B, entropy=True)
    torch.testing.assert_close(found.logp_BT, padded.logp_BT, atol=1e-4, rtol=0)
    assert max(apart(theirs, gradients(lm, found))) < 1e-4


def test_the_order_of_rows_changes_nothing() -> None:
    lm = model("llama")
    prompt_ids, token_ids_BT, length_B = rows()
    order = np.random.default_rng(2).permutation(len(length_B))
    mixed = models.packed_logps(lm, [prompt_ids[i] for i in order], token_ids_BT[order], length_B[order])
    straight = models.packed_logps(lm, prompt_ids, token_ids_BT, length_B)
    assert torch.equal(mixed.logp_BT, straight.logp_BT[torch.from_numpy(order)])


@pytest.mark.parametrize("name", ["llama", "mistral", "gemma2"])
def test_long_answers_are_attended_in_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small limits, so that prompts and answers are cut into many segments and blocks."""
    monkeypatch.setattr(layout_file, "ROWS", (6, 6))
    monkeypatch.setattr(layout_file, "SCORES", 400)
    monkeypatch.setattr(layout_file, "SMALL", 50)
    lm, (padded, padded_gradients) = model(name), reference(name)
    layout = layout_file.lay_out(*rows(), torch.device("cpu"))
    assert len(layout.plan(4, 2, None).blocks) > 4
    found = models.packed_logps(lm, *rows(), temperature=0.7, entropy=True)
    torch.testing.assert_close(found.logp_BT, padded.logp_BT, atol=1e-4, rtol=0)
    assert max(apart(padded_gradients, gradients(lm, found))) < 1e-4


@pytest.mark.parametrize("name", ["llama", "gemma2", "cohere", "granite"])
@pytest.mark.parametrize("entropy", [False, True])
def test_the_head_in_small_chunks(name: str, entropy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_file, "CHUNK", 259 * 7)
    monkeypatch.setattr(head_file, "SLICE", 259 * 3)
    lm = model(name)
    padded = response_logps(lm, *rows(), temperature=1.3, entropy=entropy, rows=99)
    theirs = gradients(lm, padded)
    found = models.packed_logps(lm, *rows(), temperature=1.3, entropy=entropy)
    torch.testing.assert_close(found.logp_BT, padded.logp_BT, atol=1e-4, rtol=0)
    assert max(apart(theirs, gradients(lm, found))) < 1e-4


def test_a_head_with_a_bias() -> None:
    lm = tiny_lm("phi3")
    lm.module.lm_head = torch.nn.Linear(32, 259)
    padded = response_logps(lm, *rows(), temperature=0.7, entropy=True, rows=99)
    theirs = gradients(lm, padded)
    found = models.packed_logps(lm, *rows(), temperature=0.7, entropy=True)
    torch.testing.assert_close(found.logp_BT, padded.logp_BT, atol=1e-4, rtol=0)
    assert max(apart(theirs, gradients(lm, found))) < 1e-4


class Widest(TorchDispatchMode):
    """Most elements of any tensor with V columns that comes out of an operation, and of any at all."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.vocabulary, self.logits, self.any = vocabulary, 0, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        out = func(*args, **(kwargs or {}))
        for tensor in out if isinstance(out, (tuple, list)) else (out,):
            if isinstance(tensor, torch.Tensor):
                self.any = max(self.any, tensor.numel())
                if tensor.ndim and tensor.shape[-1] == self.vocabulary:
                    self.logits = max(self.logits, tensor.numel())
        return out


def test_no_tensor_holds_more_logits_than_a_chunk_nor_scores_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = 259 * 16
    monkeypatch.setattr(head_file, "CHUNK", chunk)
    monkeypatch.setattr(layout_file, "ROWS", (16, 16))
    monkeypatch.setattr(layout_file, "SCORES", 8_000)
    lm = tiny_lm("llama", tie_word_embeddings=False)
    generator = np.random.default_rng(3)
    prompt_ids = [generator.integers(3, 259, 8)] * 8
    token_ids_BT, length_B = generator.integers(3, 259, (8, 60)), np.full(8, 60)
    with Widest(259) as seen:
        found = packed_forward(lm.module, prompt_ids, token_ids_BT, length_B, 1.0, True)[0]
        objective(found).backward()
    # The transposed head's weight has V columns too.
    assert seen.logits <= max(chunk, 259 * 32)
    count = 8 + 8 * 59
    assert seen.any <= count * 64 < count * count


@pytest.mark.parametrize("name", ["llama", "qwen2", "smollm3", "gemma2", "gpt2"])
def test_the_bfloat16_twin_is_near_the_float32_gradients_and_adds_to_the_master(name: str) -> None:
    """Bound: 0.02 nats a token on average, 5% of the gradient's norm; measured 0.001 to 0.006 and 0.8% to 2.6%."""
    exact = tiny_lm(name, scale=0.1)
    padded = response_logps(exact, *rows(), rows=99)
    theirs = gradients(exact, padded)
    lm = replace(exact, dtype=torch.bfloat16)
    working = Working(lm)
    assert working.why_padded == ""
    assert working.module is not lm.module
    assert {p.dtype for p in working.module.parameters()} == {torch.bfloat16}
    found = working.logps(*rows())
    assert found.logp_BT.dtype is torch.float32
    assert float((found.logp_BT - padded.logp_BT).detach().abs().sum() / rows()[2].sum()) < 0.02
    mine = gradients(lm, found)
    assert {g.dtype for g in mine.values()} == {torch.float32}
    assert all(p.grad is None for p in working.module.parameters())
    assert apart(theirs, mine)[0] < 0.05
    objective(working.logps(*rows())).backward()
    twice = {n: p.grad / 2 for n, p in lm.module.named_parameters() if p.grad is not None}
    assert apart(mine, twice)[0] < 1e-6


def test_the_twin_follows_the_master_only_when_told() -> None:
    lm = tiny_lm("llama", dtype=torch.bfloat16)
    working = Working(lm)
    before = working.logps(*rows()).logp_BT.detach()
    with torch.no_grad():
        for parameter in lm.module.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)
    assert torch.equal(working.logps(*rows()).logp_BT.detach(), before)
    working.sync()
    after = working.logps(*rows()).logp_BT.detach()
    assert float((after - before).abs().max()) > 0.05
    assert torch.equal(Working(lm).logps(*rows()).logp_BT.detach(), after)


def test_checkpointing_in_bfloat16_changes_no_bit() -> None:
    found = []
    for checkpointing in (False, True):
        lm = tiny_lm("llama", dtype=torch.bfloat16)
        found.append(gradients(lm, Working(lm, checkpointing=checkpointing).logps(*rows(), entropy=True)))
    assert all(torch.equal(found[0][name], found[1][name]) for name in found[0])


FUSED = {"llama": 2, "qwen2": 2, "mistral": 2, "smollm3": 3}
"""Layers that the twin computes by hand: smollm3 has one without positions, the others have another structure."""


@pytest.mark.parametrize("name", PACKED)
def test_layers_of_the_llama_kind_are_found_and_no_others(name: str) -> None:
    module, pairs = twin_of(model(name).module)
    layers = [m for m in module.modules() if isinstance(m, GradientCheckpointingLayer)]
    assert sum("forward" in vars(layer) for layer in layers) == FUSED.get(name, 0)
    held = {id(parameter) for parameter, _ in pairs}
    assert held == {id(parameter) for parameter in model(name).module.parameters()}


def test_a_layer_that_only_looks_like_one_keeps_its_own_arithmetic() -> None:
    lm = tiny_lm("llama")
    lm.module.model.layers[1].mlp.act_fn = torch.nn.GELU()
    module, _ = twin_of(lm.module)
    assert ["forward" in vars(layer) for layer in module.model.layers] == [True, False]


def test_frozen_weights_and_the_padding_row_get_no_gradient_from_the_twin() -> None:
    lm = tiny_lm("llama", dtype=torch.bfloat16, pad_token_id=7, tie_word_embeddings=False)
    attention = lm.module.model.layers[0].self_attn
    attention.k_proj.weight.requires_grad_(False)
    prompt_ids, token_ids_BT, length_B = rows()
    token_ids_BT[:, 0] = 7
    found = gradients(lm, Working(lm).logps(prompt_ids, token_ids_BT, length_B))
    assert "model.layers.0.self_attn.k_proj.weight" not in found
    assert float(found["model.layers.0.self_attn.q_proj.weight"].norm()) > 0
    table = found["model.embed_tokens.weight"]
    assert float(table[7].norm()) == 0
    assert float(table[token_ids_BT[0, 1]].norm()) > 0


def test_a_window_that_only_the_mask_knows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layer that does not hand its window on would attend to everything; beyond reach of a run, the count tells."""
    lm = tiny_lm("mistral", sliding_window=100_000, max_position_embeddings=200_000)
    assert Working(lm).why_padded == ""
    monkeypatch.setattr("verigrad.models.packed_probe._window", lambda module: 99_999)
    assert "2 layers have a sliding window, 0 tell their attention" in Working(lm).why_padded


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"s_aux": torch.ones(4)}, "takes s_aux"),
        ({"attention_mask": torch.ones(1, 1, 5, 5)}, "a mask"),
        ({"dropout": 0.1}, "drops out"),
        ({"softcap": None, "unheard_of": 3}, "takes unheard_of"),
    ],
)
def test_the_attention_refuses_what_it_does_not_implement(given: dict[str, object], message: str) -> None:
    from verigrad.models import tree_attention as tree

    layout = layout_file.lay_out(*rows((0,), (4,)), torch.device("cpu"))
    lm = model("llama")
    q = torch.zeros(1, 4, len(layout.token_N), 8)
    arguments = {"attention_mask": None, **given}
    with tree.attending(lm.module, tree.Seat(layout)), pytest.raises(tree.Unfit, match=message):
        tree.tree_attention(torch.nn.Module(), q, q[:, :2], q[:, :2], **arguments)  # type: ignore[arg-type]
    with pytest.raises(tree.Unfit, match="outside"):
        tree.tree_attention(torch.nn.Module(), q, q[:, :2], q[:, :2], None)
