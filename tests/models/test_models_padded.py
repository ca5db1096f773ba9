"""The padded forward against a plain loop: one row at a time, no padding, the whole log-softmax."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.tiny import VOCABULARY, tiny_folder
from verigrad import models

PROMPTS = ([5, 9, 30, 31, 32], [7], [5, 9, 30, 31, 32], [40, 41, 42, 43, 44, 45, 46, 47, 48])
TOKENS = np.array([[10, 11, 12, 13], [20, 21, 0, 0], [99, 0, 0, 0], [50, 51, 52, 53]])
LENGTH = np.array([4, 2, 1, 3])


@pytest.fixture(scope="module", params=["llama", "qwen2", "gpt2"])
def lm(request, tmp_path_factory):
    return models.load(str(tiny_folder(tmp_path_factory.mktemp("lm"), request.param)), dtype="float32")


def prompts(rows=range(4)):
    return [np.array(PROMPTS[i]) for i in rows]


def by_hand(lm, temperature):
    """[B, T] log-probs and entropies from one unpadded row at a time; 0 in padding."""
    logp, entropy = np.zeros(TOKENS.shape), np.zeros(TOKENS.shape)
    for b, prompt in enumerate(PROMPTS):
        ids = [*prompt, *TOKENS[b, : LENGTH[b]]]
        with torch.no_grad():
            logits = lm.module(torch.tensor([ids])).logits[0].double() / temperature
        for t in range(LENGTH[b]):
            p = torch.softmax(logits[len(prompt) + t - 1], dim=0)
            logp[b, t] = float(p[TOKENS[b, t]].log())
            entropy[b, t] = -sum(float(q) * np.log(float(q)) for q in p if q > 0)
    return logp, entropy


@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
@pytest.mark.parametrize("rows", [1, 3, 8])
def test_log_probs_and_entropies_equal_the_plain_loop(lm, temperature, rows):
    logp, entropy, _ = models.response_logps(
        lm, prompts(), TOKENS, LENGTH, temperature=temperature, entropy=True, rows=rows
    )
    right_logp, right_entropy = by_hand(lm, temperature)
    np.testing.assert_allclose(logp.detach().numpy(), right_logp, atol=2e-5)
    np.testing.assert_allclose(entropy.detach().numpy(), right_entropy, atol=2e-5)
    assert logp.dtype == torch.float32


def test_padding_is_exactly_zero_and_what_stands_in_it_does_not_matter(lm):
    noise = TOKENS.copy()
    for b in range(4):
        noise[b, LENGTH[b] :] = 200 + b
    one, other = (models.response_logps(lm, prompts(), ids, LENGTH)[0] for ids in (TOKENS, noise))
    assert torch.equal(one, other)
    assert (one.detach().numpy() == 0).sum() == (np.arange(4) >= LENGTH[:, None]).sum()


def test_a_row_does_not_depend_on_the_others_nor_on_wider_padding(lm):
    together = models.response_logps(lm, prompts(), TOKENS, LENGTH)[0]
    wide = np.concatenate([TOKENS, np.zeros((4, 9), dtype=int)], axis=1)
    for b in range(4):
        alone = models.response_logps(lm, prompts([b]), wide[b : b + 1], LENGTH[b : b + 1])[0]
        np.testing.assert_allclose(alone[0, :4].detach(), together[b].detach(), atol=1e-5)
        assert not alone[0, 4:].any()


def test_the_same_call_gives_the_same_bits(lm):
    one, other = (models.response_logps(lm, prompts(), TOKENS, LENGTH)[0] for _ in range(2))
    assert torch.equal(one, other)


def test_the_gradient_equals_the_plain_loops(lm):
    weight = torch.tensor([[1.0, -2.0, 0.5, 3.0]] * 4)
    lm.module.zero_grad()
    (models.response_logps(lm, prompts(), TOKENS, LENGTH, rows=2)[0] * weight).sum().backward()
    ours = [p.grad.clone() for p in lm.module.parameters()]
    lm.module.zero_grad()
    for b, prompt in enumerate(PROMPTS):
        ids = torch.tensor([[*prompt, *TOKENS[b, : LENGTH[b]]]])
        logp = lm.module(ids).logits[0].log_softmax(-1)
        for t in range(LENGTH[b]):
            (logp[len(prompt) + t - 1, TOKENS[b, t]] * weight[b, t]).backward(retain_graph=True)
    for mine, p in zip(ours, lm.module.parameters(), strict=True):
        np.testing.assert_allclose(mine, p.grad, atol=1e-4 * max(1.0, float(p.grad.abs().max())))
    lm.module.zero_grad()


def test_only_response_tokens_are_targets(lm):
    lm.module.zero_grad()
    embedding = lm.module.get_input_embeddings()
    seen = []

    def see(_module, _inputs, out):
        out.retain_grad()
        seen.append(out)

    hook = embedding.register_forward_hook(see)
    models.response_logps(lm, prompts([0]), TOKENS[:1, :2], np.array([2]))[0].sum().backward()
    hook.remove()
    grad = seen[0].grad[0].abs().sum(-1)
    assert (grad[:6] > 0).all(), "prompt and all but the last answer token are inputs of a prediction"
    assert grad[6] == 0, "the last answer token predicts nothing"
    lm.module.zero_grad()


def test_the_entropys_gradient_is_finite_where_probabilities_vanish(lm, monkeypatch):
    logits = torch.zeros(1, 1, VOCABULARY)
    logits[..., 0] = 500.0
    logits.requires_grad_()
    monkeypatch.setattr("verigrad.models.padded._logits", lambda *_: (logits, None))
    logp, entropy, _ = models.response_logps(lm, prompts([1]), np.array([[3]]), np.array([1]), entropy=True)
    (entropy.sum() + logp.sum()).backward()
    assert float(entropy.detach().sum()) == 0
    assert float(logp.detach().sum()) == -500
    assert bool(torch.isfinite(logits.grad).all())


def test_bfloat16_is_arithmetic_only(lm):
    low = replace(lm, dtype=torch.bfloat16)
    exact = models.response_logps(lm, prompts(), TOKENS, LENGTH)[0]
    rough = models.response_logps(low, prompts(), TOKENS, LENGTH)[0]
    assert rough.dtype == torch.float32
    assert 0 < float((exact - rough).detach().abs().max()) < 1.0
    rough.sum().backward()
    assert {p.dtype for p in lm.module.parameters()} == {p.grad.dtype for p in lm.module.parameters()}
    assert next(lm.module.parameters()).dtype == torch.float32
    lm.module.zero_grad()


def test_no_rows_and_unequal_counts(lm):
    assert models.response_logps(lm, [], TOKENS[:0], LENGTH[:0])[0].shape == (0, 4)
    with pytest.raises(ValueError, match="4 prompts, 3 responses"):
        models.response_logps(lm, prompts(), TOKENS[:3], LENGTH[:3])


def test_rows_without_a_single_token_are_zero(lm):
    logp, entropy, _ = models.response_logps(lm, prompts([0, 1]), TOKENS[:2], np.array([0, 0]), entropy=True)
    assert not logp.any()
    assert not entropy.any()
