"""Loading: what works offline, and every refusal as one line with its key."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from tests.tiny import END_OF_TEXT, IM_END, TEMPLATE, edit_json, tiny_folder
from verigrad import models
from verigrad.errors import Refused
from verigrad.models.machine import choose_device, choose_dtype

ASK = ({"role": "user", "content": "7 * 8?"},)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("lm"))


def test_weights_are_float32_in_evaluation_mode_whatever_the_arithmetic(folder):
    lm = models.load(folder.name, dtype="bfloat16", folder=folder.parent)
    assert {p.dtype for p in lm.module.parameters()} == {torch.float32}
    assert not lm.module.training
    assert (lm.dtype, lm.why_dtype, lm.name) == (torch.bfloat16, "as the recipe says", folder.name)
    assert (lm.vocabulary, lm.context, lm.licence) == (259, 512, None)


def test_a_licence_beside_the_weights_is_found(tmp_path):
    place = tiny_folder(tmp_path)
    (place / "LICENSE.txt").write_text("Apache")
    assert models.load(str(place)).licence.name == "LICENSE.txt"


def test_a_frozen_copy_is_out_of_reach(folder):
    lm = models.load(str(folder))
    frozen = models.freeze(lm)
    before = frozen.module.get_input_embeddings().weight.clone()
    with torch.no_grad():
        lm.module.get_input_embeddings().weight.add_(1)
    assert torch.equal(frozen.module.get_input_embeddings().weight, before)
    assert not any(p.requires_grad for p in frozen.module.parameters())
    assert all(p.requires_grad for p in lm.module.parameters())


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nowhere.gguf", "nowhere.gguf: no such file"),
        ("./nowhere", "./nowhere: no such folder or file"),
        ("nowhere", "nowhere: no such folder or file"),
        ("package:no_such_package/x.gguf", "no package no_such_package is installed"),
        ("package:../x/y.gguf", "no package .. is installed"),
        ("package:verigrad", 'written "package:NAME/FILE.gguf"'),
        ("package:verigrad/x.gguf", "package verigrad has no x.gguf; it has no .gguf file"),
        ("package:verigrad/errors.py", "only a .gguf file is read from a package"),
    ],
)
def test_what_is_not_there_is_refused(path, says, tmp_path):
    with pytest.raises(Refused) as refused:
        models.load(path, folder=tmp_path)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.key == "model.path"


def test_a_hub_id_without_a_network_is_refused_at_once(monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(Refused, match="nobody/nothing: not on this machine, and the hub cannot be reached") as refused:
        models.load("nobody/nothing", folder=tmp_path)
    assert refused.value.key == "model.path"


def test_folders_that_are_no_model_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(Refused, match=r"empty: the folder has no config\.json"):
        models.load("empty", folder=tmp_path)
    place = tiny_folder(tmp_path)
    for file in (*place.glob("tokenizer*"), *place.glob("chat_template*")):
        file.unlink()
    with pytest.raises(Refused, match="the folder has no tokenizer"):
        models.load(str(place))


def test_broken_files_are_refused_in_one_line(tmp_path):
    place = tiny_folder(tmp_path)
    (place / "model.safetensors").write_bytes(b"torn")
    with pytest.raises(Refused, match="cannot read its causal language model: ") as refused:
        models.load(str(place))
    assert "\n" not in str(refused.value)
    (tmp_path / "torn.gguf").write_bytes(b"GGUF torn")
    with pytest.raises(Refused, match=r"torn\.gguf: cannot read its tokenizer: ") as refused:
        models.load("torn.gguf", folder=tmp_path)
    assert "\n" not in str(refused.value)


def test_an_encoder_is_no_causal_language_model(tmp_path):
    place = tiny_folder(tmp_path)
    edit_json(place / "config.json", model_type="vit", architectures=["ViTModel"])
    with pytest.raises(Refused, match="cannot read its"):
        models.load(str(place))


def test_devices(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto") == choose_device("cpu") == torch.device("cpu")
    for word, says in (("cuda", "this machine has none"), ("tpu", 'not "tpu"')):
        with pytest.raises(Refused, match=says) as refused:
            choose_device(word)
        assert refused.value.key == "model.device"


@pytest.mark.parametrize(
    ("word", "cpuinfo", "dtype", "why"),
    [
        (
            "auto",
            "flags\t\t: fpu avx512_bf16 amx_bf16",
            torch.bfloat16,
            "auto: this CPU multiplies bfloat16 (amx_bf16)",
        ),
        ("auto", "flags : avx512_bf16", torch.bfloat16, "auto: this CPU multiplies bfloat16 (avx512_bf16)"),
        ("auto", "Features : fp asimd bf16", torch.bfloat16, "auto: this CPU multiplies bfloat16 (bf16)"),
        ("auto", "flags : fpu avx512f", torch.float32, "auto: this CPU names no bfloat16 instructions"),
        ("auto", None, torch.float32, "auto: this CPU names no bfloat16 instructions"),
        ("float32", "flags : amx_bf16", torch.float32, "as the recipe says"),
        ("bfloat16", None, torch.bfloat16, "as the recipe says"),
    ],
)
def test_arithmetic(word, cpuinfo, dtype, why, tmp_path):
    file = tmp_path / "cpuinfo"
    if cpuinfo is not None:
        file.write_text(f"processor : 0\n{cpuinfo}\n")
    assert choose_dtype(word, torch.device("cpu"), cpuinfo=file) == (dtype, why)


def test_an_unknown_arithmetic_is_refused():
    with pytest.raises(Refused, match='not "float16"') as refused:
        choose_dtype("float16", torch.device("cpu"))
    assert refused.value.key == "model.dtype"


def test_the_template_is_applied_and_text_comes_back(folder):
    lm = models.load(str(folder))
    ids = models.encode(lm, ASK)
    assert ids.dtype == np.int64
    assert models.decode(lm, ids) == "user\n7 * 8?\nassistant\n"
    assert lm.tokenizer.decode(ids) == "<|im_start|>user\n7 * 8?<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize("text", ["a  56", " , ok ? don 't", "Zoë\n\n\t½ 日本 🙂", "<|im_end|"])
def test_plain_text_round_trips_with_every_space(folder, text):
    lm = models.load(str(folder), template="none")
    assert lm.template is None
    assert models.decode(lm, models.encode(lm, ({"role": "user", "content": text},))) == text


def test_plain_turns_are_joined_by_a_blank_line(folder):
    lm = models.load(str(folder), template="none")
    turns = ({"role": "system", "content": "S"}, {"role": "user", "content": "U"})
    assert models.decode(lm, models.encode(lm, turns)) == "S\n\nU"
    with pytest.raises(Refused, match="without a single token"):
        models.encode(lm, ({"role": "user", "content": ""},))


def test_a_template_from_a_file(folder, tmp_path):
    (tmp_path / "mine.jinja").write_text("{% for m in messages %}Q: {{ m.content }}\n{% endfor %}A:")
    lm = models.load(str(folder), template="mine.jinja", folder=tmp_path)
    assert models.decode(lm, models.encode(lm, ASK)) == "Q: 7 * 8?\nA:"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "bad.jinja is not there"),
        ("{% for m in messages %}", "bad.jinja:1: Unexpected end of template"),
    ],
)
def test_template_files_that_cannot_be_used(folder, tmp_path, text, says):
    if text is not None:
        (tmp_path / "bad.jinja").write_text(text)
    with pytest.raises(Refused) as refused:
        models.load(str(folder), template="bad.jinja", folder=tmp_path)
    assert says in str(refused.value)
    assert refused.value.key == "model.template"


def test_a_tokenizer_without_template_is_refused_unless_said(tmp_path):
    place = tiny_folder(tmp_path, template=None)
    with pytest.raises(Refused, match=r'say model\.template = "none"') as refused:
        models.load(str(place))
    assert refused.value.key == "model.template"
    assert models.load(str(place), template="none").eos_ids == (END_OF_TEXT,)


def test_turns_the_template_refuses(tmp_path):
    strict = "{% if messages[0].role == 'system' %}{{ raise_exception('no system turn') }}{% endif %}" + TEMPLATE
    lm = models.load(str(tiny_folder(tmp_path, template=strict)))
    with pytest.raises(Refused, match="the chat template refuses turns of system, user: no system turn") as refused:
        models.encode(lm, ({"role": "system", "content": "S"}, *ASK))
    assert refused.value.key == "model.template"


@pytest.mark.parametrize(
    ("generation", "config", "template", "ends"),
    [
        (None, END_OF_TEXT, TEMPLATE, (END_OF_TEXT, IM_END)),
        ([5, 9], END_OF_TEXT, TEMPLATE, (END_OF_TEXT, IM_END, 5, 9)),
        (7, [8], TEMPLATE, (END_OF_TEXT, IM_END, 7, 8)),
        (None, None, "{% for m in messages %}{{ m.content }}\n{% endfor %}", (END_OF_TEXT,)),
        (None, None, "{% for m in messages %}{{ m.content }} <|im_end|>{% endfor %}", (END_OF_TEXT, IM_END)),
    ],
)
def test_every_end_token_counts(tmp_path, generation, config, template, ends):
    place = tiny_folder(tmp_path, template=template)
    edit_json(place / "config.json", eos_token_id=config)
    edit_json(place / "generation_config.json", eos_token_id=generation)
    assert models.load(str(place)).eos_ids == tuple(sorted(ends))


def test_a_model_nothing_ends_is_refused(tmp_path):
    place = tiny_folder(tmp_path)
    for name in ("config.json", "generation_config.json"):
        edit_json(place / name, eos_token_id=None)
    edit_json(place / "tokenizer_config.json", eos_token=None)
    with pytest.raises(Refused, match="no token ends an answer"):
        models.load(str(place), template="none")


def test_the_record_is_frozen(folder):
    with pytest.raises(dataclasses.FrozenInstanceError):
        models.load(str(folder)).name = "other"  # type: ignore[misc]
