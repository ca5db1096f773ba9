"""A saved model is what transformers loads back; a checkpoint's weights come back bit for bit."""

from __future__ import annotations

import json

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.tiny import END_OF_TEXT, IM_END, TEMPLATE, tiny_folder
from verigrad import models
from verigrad.errors import VerigradError

IDS = torch.tensor([[5, 9, 30, 31, 32, 7]])
CASES = [("llama", True), ("llama", False), ("qwen2", True), ("gpt2", True)]


def logits(module):
    with torch.no_grad():
        return module(IDS).logits


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{'tied' if case[1] else 'untied'}")
def lm(request, tmp_path):
    arch, tied = request.param
    return models.load(str(tiny_folder(tmp_path, arch, tied=tied)), dtype="float32")


def shake(lm):
    with torch.no_grad():
        for i, p in enumerate(lm.module.parameters()):
            p.add_(0.01 * (i + 1))


def tied(module):
    return module.get_input_embeddings().weight is module.get_output_embeddings().weight


def test_transformers_loads_back_equal_logits_tokenizer_and_ends(lm, tmp_path):
    shake(lm)
    models.save(lm, tmp_path / "out", "# What this is\n")
    module = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out")
    assert torch.equal(logits(module), logits(lm.module))
    assert tied(module) == tied(lm.module)
    assert tokenizer.chat_template == TEMPLATE
    assert tokenizer("a  56")["input_ids"] == lm.tokenizer("a  56")["input_ids"]
    assert module.generation_config.eos_token_id == [END_OF_TEXT, IM_END]
    assert (tmp_path / "out" / "README.md").read_text() == "# What this is\n"
    assert "quantization_config" not in json.loads((tmp_path / "out" / "config.json").read_text())


def test_what_was_saved_is_what_load_reads(lm, tmp_path):
    shake(lm)
    models.save(lm, tmp_path / "out", "")
    again = models.load("out", folder=tmp_path, dtype="float32")
    assert torch.equal(logits(again.module), logits(lm.module))
    assert (again.eos_ids, again.template) == (lm.eos_ids, lm.template)


def test_a_checkpoints_weights_are_exact_and_in_place(lm, tmp_path):
    shake(lm)
    right = {name: p.clone() for name, p in lm.module.state_dict().items()}
    was_tied, parameter = tied(lm.module), next(lm.module.parameters())
    models.save(lm, tmp_path / "out", "")
    shake(lm)
    models.restore(lm, tmp_path / "out")
    assert all(torch.equal(p, right[name]) for name, p in lm.module.state_dict().items())
    assert next(lm.module.parameters()) is parameter, "an optimizer over the parameters goes on"
    assert tied(lm.module) == was_tied


def test_weights_that_cannot_be_read(tmp_path):
    lm = models.load(str(tiny_folder(tmp_path)))
    for name in ("missing", "torn", "others"):
        models.save(lm if name == "torn" else models.load(str(tiny_folder(tmp_path, "gpt2"))), tmp_path / name, "")
    (tmp_path / "missing" / "model.safetensors").unlink()
    (tmp_path / "torn" / "model.safetensors").write_bytes(b"torn")
    for name in ("missing", "torn", "others"):
        with pytest.raises(VerigradError, match=f"{name}: no weights of this model: ") as failed:
            models.restore(lm, tmp_path / name)
        assert "\n" not in str(failed.value)


def test_licence_and_own_template_go_along_and_a_plain_model_says_none(tmp_path):
    place = tiny_folder(tmp_path)
    (place / "LICENSE").write_text("Apache-2.0")
    (tmp_path / "mine.jinja").write_text("{{ messages[0].content }}")
    models.save(models.load(str(place), template="mine.jinja", folder=tmp_path), tmp_path / "own", "")
    assert (tmp_path / "own" / "LICENSE").read_text() == "Apache-2.0"
    assert AutoTokenizer.from_pretrained(tmp_path / "own").chat_template == "{{ messages[0].content }}"
    models.save(models.load(str(place), template="none"), tmp_path / "plain", "")
    assert AutoTokenizer.from_pretrained(tmp_path / "plain").chat_template is None
