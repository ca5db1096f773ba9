"""Adapters: fresh ones change no bit, only they are trained, and what is written is what peft and transformers read."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

from tests.tiny import tiny_folder
from verigrad import models
from verigrad.errors import Refused, VerigradError
from verigrad.models import fused_weights
from verigrad.models.adapters import adapters_of, filled
from verigrad.models.fused_layer import Layer
from verigrad.recipe import Lora

IDS = torch.tensor([[5, 9, 30, 31, 32, 7]])
CASES = [(arch, dtype) for arch in ("llama", "qwen2", "gpt2") for dtype in ("float32", "bfloat16")]


def base_of(folder, arch="llama", dtype="float32", **how):
    return models.load(str(tiny_folder(folder, arch, **how)), dtype=dtype, device="cpu")


def adapted(base, rank=4, layers="all-linear", seed=3):
    return models.add_lora(base, Lora(rank=rank, layers=layers), seed=seed)


def trained(lm, size=0.05):
    """Adapters as after some updates: in place, reproducible."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for p in lm.module.parameters():
            if p.requires_grad:
                p.add_(torch.randn(p.shape, generator=generator) * size)
    return lm


def rows():
    rng = np.random.default_rng(0)
    prompts = [rng.integers(3, 259, size=s) for s in (4, 7)]
    return [prompts[i] for i in (0, 1, 0)], rng.integers(3, 259, (3, 9)), np.array([9, 4, 1])


def logits(module):
    with torch.no_grad():
        return module(IDS).logits


@torch.no_grad()
def logps(lm):
    return models.Working(lm).logps(*rows()).logp_BT


def gradients(lm, logp_BT):
    lm.module.zero_grad()
    (logp_BT * torch.linspace(-1, 1, logp_BT.numel()).view(logp_BT.shape)).sum().backward()
    return {n: p.grad.clone() for n, p in lm.module.named_parameters() if p.requires_grad}


def apart(one, other):
    assert one.keys() == other.keys()
    norm = torch.stack([g.norm() for g in one.values()]).norm()
    return float(torch.stack([(one[n] - other[n]).norm() for n in one]).norm() / norm)


@pytest.mark.parametrize(("arch", "dtype"), CASES)
def test_fresh_adapters_change_no_bit_and_their_reference_shares_the_base(tmp_path, arch, dtype):
    base = base_of(tmp_path, arch, dtype)
    before = logps(base)
    lm = adapted(base)
    assert torch.equal(logps(lm), before)
    with torch.no_grad():
        padded = [models.response_logps(m, *rows()).logp_BT for m in (lm, base)]
    assert torch.equal(*padded)
    trained(lm)
    reference = models.freeze(lm)
    assert not torch.equal(logps(lm), before)
    assert torch.equal(logps(reference), before)
    frozen = {p.data_ptr() for p in lm.module.parameters() if not p.requires_grad}
    assert {p.data_ptr() for p in reference.module.parameters()} == frozen
    assert not any(p.requires_grad for p in reference.module.parameters())
    now = models.freeze(lm, now=True)
    assert torch.equal(logps(now), logps(lm))
    was = logps(now)
    trained(lm)
    assert torch.equal(logps(now), was), "a snapshot has adapters of its own"


@pytest.mark.parametrize("arch", ["llama", "qwen2", "gpt2"])
def test_packed_log_probs_and_gradients_are_the_padded_ones(tmp_path, arch):
    lm = trained(adapted(base_of(tmp_path, arch)))
    working = models.Working(lm, checkpointing=True)
    assert working.why_padded == ""
    packed, padded = (f(*rows()).logp_BT for f in (working.logps, lambda *r: models.response_logps(lm, *r)))
    torch.testing.assert_close(packed, padded, atol=2e-5, rtol=0)
    assert apart(gradients(lm, padded), gradients(lm, packed)) < 1e-4
    assert all(p.grad is None for p in lm.module.parameters() if not p.requires_grad)


@pytest.mark.parametrize("layers", ["all-linear", ("q_proj", "v_proj"), ("down_proj", "gate_proj")])
@pytest.mark.parametrize("arch", ["llama", "qwen2"])
def test_the_bfloat16_twin_is_fused_and_its_gradient_near_float32(tmp_path, arch, layers):
    lm = trained(adapted(base_of(tmp_path, arch, "bfloat16", scale=0.1), layers=layers))
    working = models.Working(lm)
    assert all(isinstance(layer.forward.__self__, Layer) for layer in working.module.model.layers)
    found = gradients(lm, working.logps(*rows()).logp_BT)
    exact = models.load(lm.name, dtype="float32")
    exact = trained(adapted(exact, layers=layers))
    assert apart(gradients(exact, models.response_logps(exact, *rows()).logp_BT), found) < 0.05


def test_a_wrong_adapter_in_the_fused_layer_is_not_used(tmp_path, monkeypatch):
    lm = adapted(base_of(tmp_path, dtype="bfloat16"))
    right = fused_weights.Beside
    monkeypatch.setattr(fused_weights, "Beside", lambda **how: right(**{**how, "scale": 1.1 * how["scale"]}))
    working = models.Working(lm)
    assert not any(isinstance(getattr(m.forward, "__self__", None), Layer) for m in working.module.model.layers)


def test_only_adapters_follow_an_update_into_the_twin(tmp_path):
    lm = adapted(base_of(tmp_path, dtype="bfloat16"))
    working = models.Working(lm)
    trained(lm)
    working.sync()
    with torch.no_grad():
        found = working.logps(*rows()).logp_BT
    assert torch.equal(found, logps(lm))


def test_the_same_seed_gives_the_same_adapters_whatever_was_drawn_before(tmp_path):
    found = []
    for seed, noise in ((3, 0), (3, 7), (4, 0)):
        torch.manual_seed(noise)
        lm = adapted(base_of(tmp_path), seed=seed)
        found.append([p for p in lm.module.parameters() if p.requires_grad])
    assert all(torch.equal(a, b) for a, b in zip(found[0], found[1], strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(found[0], found[2], strict=True))


def test_what_is_trained_is_told(tmp_path):
    base = base_of(tmp_path)
    assert models.lora_of(base) is None
    lm = adapted(base, rank=2, layers=("q_proj", "down_proj"))
    told = models.lora_of(lm)
    names = {n for n, p in lm.module.named_parameters() if p.requires_grad}
    assert names == {
        f"model.layers.{i}.{layer}.lora_{x}.default.weight"
        for i in (0, 1)
        for layer in ("self_attn.q_proj", "mlp.down_proj")
        for x in "AB"
    }
    assert told == models.Adapted(
        rank=2, alpha=4.0, layers=("down_proj", "q_proj"), numbers=2 * (2 * (32 + 32) + 2 * (48 + 32))
    )
    with pytest.raises(ValueError, match="has adapters already"):
        adapted(lm)


@pytest.mark.parametrize(
    ("layers", "says"),
    [
        ("q", "q: there is no such layer; it has down_proj, gate_proj, k_proj, o_proj, q_proj, up_proj, v_proj"),
        (("q_proj", "embed_tokens"), "embed_tokens: it is no linear layer; it has"),
        (("lm_head",), "lm_head: its weights are the embedding's; it has"),
        (("mlp",), "mlp: it is no linear layer; it has"),
    ],
)
def test_layers_that_cannot_have_one_are_refused_in_one_line(tmp_path, layers, says):
    with pytest.raises(Refused) as refused:
        adapted(base_of(tmp_path), layers=layers)
    assert str(refused.value).startswith(f"model.lora.layers: {says}")
    assert "\n" not in str(refused.value)
    assert refused.value.key == "model.lora.layers"


def test_dropout_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"dropout = 0\.1: .* use dropout = 0") as refused:
        models.add_lora(base_of(tmp_path), Lora(rank=2, dropout=0.1), seed=0)
    assert refused.value.key == "model.lora.dropout"


def test_a_head_of_its_own_may_have_one(tmp_path):
    base = base_of(tmp_path, tied=False)
    before = logps(base)
    lm = adapted(base, layers=("lm_head",))
    torch.testing.assert_close(logps(lm), before, atol=2e-5, rtol=0)
    models.save(trained(lm), tmp_path / "out", "")
    module = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    torch.testing.assert_close(logits(module), logits(lm.module), atol=1e-5, rtol=0)


@pytest.mark.parametrize("arch", ["llama", "qwen2", "gpt2"])
def test_saved_weights_are_merged_and_transformers_loads_them(tmp_path, arch):
    lm = trained(adapted(base_of(tmp_path, arch, scale=0.1)), 0.02)
    right = logits(lm.module)
    models.save(lm, tmp_path / "out", "card")
    module = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert not adapters_of(module)
    torch.testing.assert_close(logits(module), right, atol=1e-5, rtol=0)
    assert not torch.allclose(logits(models.freeze(lm).module), right, atol=1e-2), "the adapters say something"
    assert torch.equal(logits(lm.module), right), "the model keeps its adapters"
    assert adapters_of(lm.module)
    again = models.load("out", folder=tmp_path, dtype="float32")
    torch.testing.assert_close(logits(models.merge(lm).module), logits(again.module), atol=0, rtol=0)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")  # peft's own call into transformers
@pytest.mark.parametrize("arch", ["llama", "gpt2"])
def test_peft_loads_the_adapters(tmp_path, arch):
    lm = trained(adapted(base_of(tmp_path, arch)))
    models.save_adapter(lm, tmp_path / "adapter")
    theirs = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(lm.name), tmp_path / "adapter").eval()
    assert torch.equal(logits(theirs), logits(lm.module))
    config = json.loads((tmp_path / "adapter" / "adapter_config.json").read_text())
    assert (config["base_model_name_or_path"], config["r"], config["lora_alpha"]) == (lm.name, 4, 8)
    assert config["target_modules"] == sorted(config["target_modules"])


def test_a_checkpoint_holds_the_adapters_alone_exactly_and_in_place(tmp_path):
    lm = trained(adapted(base_of(tmp_path)))
    right = logits(lm.module)
    models.save_checkpoint(lm, tmp_path / "step", "card")
    assert [p.name for p in (tmp_path / "step").iterdir()] == ["adapter"]
    parameters = [id(p) for p in lm.module.parameters()]
    trained(lm)
    models.restore_checkpoint(lm, tmp_path / "step")
    assert torch.equal(logits(lm.module), right)
    assert [id(p) for p in lm.module.parameters()] == parameters, "an optimizer over the parameters goes on"
    other = adapted(base_of(tmp_path), seed=9)
    models.restore_checkpoint(other, tmp_path / "step")
    assert torch.equal(logits(other.module), right)


def test_without_adapters_a_checkpoint_is_the_model(tmp_path):
    base = base_of(tmp_path)
    models.save_checkpoint(base, tmp_path / "step", "card")
    assert [p.name for p in (tmp_path / "step").iterdir()] == ["model"]
    right = logits(base.module)
    with torch.no_grad():
        next(base.module.parameters()).add_(1.0)
    models.restore_checkpoint(base, tmp_path / "step")
    assert torch.equal(logits(base.module), right)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({"rank": 2}, "is \\[2, 32\\], here \\[4, 32\\]|their alpha is 4, here it is 8"),
        ({"layers": ("q_proj",)}, "they are on other layers"),
        (None, "No such file"),
    ],
)
def test_adapters_of_another_shape_are_refused_in_one_line(tmp_path, other, says):
    lm = adapted(base_of(tmp_path))
    if other is not None:
        models.save_adapter(adapted(base_of(tmp_path), **other), tmp_path / "adapter")
    right = logits(trained(lm).module)
    with pytest.raises(VerigradError, match=says) as failed:
        models.restore_adapter(lm, tmp_path / "adapter")
    assert "\n" not in str(failed.value)
    assert torch.equal(logits(lm.module), right), "nothing was put in"


def test_adapters_are_no_model(tmp_path):
    models.save_adapter(adapted(base_of(tmp_path)), tmp_path / "adapter")
    with pytest.raises(
        Refused, match="adapter: the folder holds adapters, no model; a run's model/ has them merged in"
    ):
        models.load("adapter", folder=tmp_path)


def test_probes_see_adapters_that_are_not_zero(tmp_path):
    lm = adapted(base_of(tmp_path))
    before = logits(lm.module)
    assert not torch.allclose(logits(filled(lm.module)), before, atol=1e-3)
    assert torch.equal(logits(lm.module), before)
    base = models.freeze(lm).module
    assert filled(base) is base
