"""Values of a head: before which token, the same packed and padded, and where their gradient goes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.architectures import FALLBACK, PACKED, tiny_lm
from tests.models.test_models_packed import apart, rows
from verigrad.models import LanguageModel, ValueHead, Working, critic_of, new_value_head, response_logps
from verigrad.models.padded import response_values


def some_head(lm: LanguageModel) -> ValueHead:
    head = new_value_head(lm)
    with torch.no_grad():
        head.weight_H.copy_(torch.sin(torch.arange(1.0, len(head.weight_H) + 1)))
        head.bias.fill_(0.25)
    return head


def gradients(lm: LanguageModel, head: ValueHead, value_BT: torch.Tensor) -> dict[str, torch.Tensor]:
    lm.module.zero_grad()
    head.zero_grad()
    weight_BT = torch.sin(torch.arange(1.0, value_BT.numel() + 1)).view(value_BT.shape)
    (value_BT * weight_BT).sum().backward()
    named = [*lm.module.named_parameters(), *((f"head.{n}", p) for n, p in head.named_parameters())]
    return {name: p.grad.clone() for name, p in named if p.grad is not None}


@pytest.mark.parametrize("name", [*PACKED, *FALLBACK])
def test_packed_and_padded_values_and_gradients_agree(name: str) -> None:
    lm = tiny_lm(name)
    head, working = some_head(lm), Working(lm)
    padded = response_logps(lm, *rows(), temperature=0.7, rows=99, head=head)
    assert padded.value_BT is not None
    theirs = gradients(lm, head, padded.value_BT)
    real_BT = torch.from_numpy(np.arange(20) < rows()[2][:, None])
    assert bool((padded.value_BT[~real_BT] == 0).all())
    assert float(padded.value_BT[real_BT].detach().std()) > 0.1
    for value_BT in (
        working.logps(*rows(), temperature=0.7, head=head).value_BT,
        working.values(head, *rows()),
        response_values(lm, head, *rows(), rows=3),
    ):
        assert value_BT is not None
        assert value_BT.dtype is torch.float32
        scale = float(padded.value_BT.detach().abs().max())
        torch.testing.assert_close(value_BT, padded.value_BT, atol=2e-5 * max(scale, 1.0), rtol=0)
        assert apart(theirs, gradients(lm, head, value_BT))[0] < 1e-4
    assert working.logps(*rows(), temperature=0.7).value_BT is None


@pytest.mark.parametrize("name", ["llama", "qwen2"])
def test_the_value_of_token_t_is_read_off_the_state_that_predicts_it(name: str) -> None:
    """By plain transformers, and blind to token t itself and to all that follows."""
    lm = tiny_lm(name)
    head = some_head(lm)
    prompt_ids, token_ids_BT, length_B = rows()
    with torch.no_grad():
        found = Working(lm).logps(prompt_ids, token_ids_BT, length_B, head=head).value_BT
    assert found is not None
    for b, prompt in enumerate(prompt_ids):
        ids = np.concatenate([prompt, token_ids_BT[b, : length_B[b]]])
        with torch.no_grad():
            hidden = lm.module(input_ids=torch.from_numpy(ids)[None], output_hidden_states=True).hidden_states[-1][0]
        for t in range(length_B[b]):
            by_hand = float((hidden[len(prompt) + t - 1] * head.weight_H.detach()).sum() + head.bias.detach())
            assert float(found[b, t]) == pytest.approx(by_hand, abs=1e-4)
    changed = token_ids_BT.copy()
    changed[:, 4:] = 7
    with torch.no_grad():
        other = Working(lm).logps(prompt_ids, changed, length_B, head=head).value_BT
    assert other is not None
    torch.testing.assert_close(other[:, :5], found[:, :5], atol=1e-5, rtol=0)
    assert float((other[:, 5:] - found[:, 5:]).abs().max()) > 1e-2


def test_a_new_head_says_0_and_learns_at_once() -> None:
    lm = tiny_lm("llama")
    head = new_value_head(lm)
    value_BT = Working(lm).values(head, *rows())
    assert float(value_BT.detach().abs().max()) == 0.0
    assert float(gradients(lm, head, value_BT)["head.weight_H"].abs().max()) > 0


def test_no_rows_and_empty_answers_give_nothing() -> None:
    lm = tiny_lm("llama")
    head, working = some_head(lm), Working(lm)
    nothing = ([], np.zeros((0, 4), dtype=np.int64), np.zeros(0, dtype=np.int64))
    for found in (working.logps(*nothing, head=head), response_logps(lm, *nothing, head=head)):
        assert found.value_BT is not None
        assert found.value_BT.shape == (0, 4)
    assert working.values(head, *nothing).shape == response_values(lm, head, *nothing).shape == (0, 4)
    empty = rows((1, 1), (0, 0))
    assert float(working.values(head, *empty).detach().abs().sum()) == 0.0


def test_in_bfloat16_the_head_stays_float32_and_values_are_near() -> None:
    exact = tiny_lm("llama", scale=0.1)
    head = some_head(exact)
    theirs = Working(exact).values(head, *rows()).detach()
    lm = replace(exact, dtype=torch.bfloat16)
    working = Working(lm)
    mine = working.values(head, *rows())
    assert mine.dtype is torch.float32
    assert head.weight_H.dtype is torch.float32
    spread = float(theirs.std())
    assert float((mine.detach() - theirs).abs().max()) < 0.1 * spread
    got = gradients(lm, head, mine)
    assert {g.dtype for g in got.values()} == {torch.float32}


@pytest.mark.parametrize("tied", [True, False])
def test_a_critic_of_its_own_is_a_copy_without_its_output_layer(tied: bool) -> None:
    lm = tiny_lm("llama", tie_word_embeddings=tied)
    critic = critic_of(lm)
    for name, p in critic.module.named_parameters():
        original = dict(lm.module.named_parameters())[name]
        assert torch.equal(p, original)
        assert p.data_ptr() != original.data_ptr()
        assert p.requires_grad == (name != "lm_head.weight")
    assert all(p.requires_grad for p in lm.module.parameters())
