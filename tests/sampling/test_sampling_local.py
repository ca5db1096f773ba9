"""The local engine on tiny models: any batch gives the same bits, exact log-probs, ends, greedy against generate."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import stats
from transformers import BloomConfig, MistralConfig
from transformers.modeling_outputs import CausalLMOutputWithPast
from transformers.models.bloom import BloomForCausalLM
from transformers.models.llama import LlamaForCausalLM
from transformers.models.mistral import MistralForCausalLM

from tests.tiny import END_OF_TEXT, IM_END, IM_START, VOCABULARY, tiny_folder, tiny_tokenizer
from verigrad import models
from verigrad.errors import Interrupted, Refused, Stopped
from verigrad.sampling import LocalSampler, Sampler

_SPEC = importlib.util.spec_from_file_location("sampling_cases", Path(__file__).with_name("sampling_cases.py"))
cases = sys.modules["sampling_cases"] = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(cases)


@pytest.fixture(scope="module", params=["llama", "qwen2", "gpt2"])
def lm(request, tmp_path_factory):
    return models.load(str(tiny_folder(tmp_path_factory.mktemp("lm"), request.param)), dtype="float32")


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    return models.load(str(tiny_folder(tmp_path_factory.mktemp("lm"))), dtype="float32")


def test_the_same_request_gives_the_same_bits_in_any_batch_and_its_exact_log_probs(lm):
    requests = cases.mixed(64, max_tokens=50)
    whole = cases.check_any_batch(lm, requests, alone=range(0, 64, 9))
    assert len({len(c.token_ids) for c in whole}) > 5, "rows of many lengths leave and enter"
    assert cases.judged(lm, requests, whole) < 1e-4


def test_greedy_equals_generate(lm):
    for length in (1, 12, 40):
        request = cases.ask("y" * length, 0, temperature=0.0, max_tokens=20)
        ours = LocalSampler(lm).sample([request])[0]
        with torch.no_grad():
            theirs = lm.module.generate(
                torch.from_numpy(ours.prompt_ids)[None],
                attention_mask=torch.ones(1, len(ours.prompt_ids), dtype=torch.long),
                max_new_tokens=20,
                do_sample=False,
                eos_token_id=list(lm.eos_ids),
                pad_token_id=END_OF_TEXT,
            )
        assert list(ours.token_ids) == theirs[0, len(ours.prompt_ids) :].tolist()


def test_first_tokens_follow_the_models_distribution(llama):
    n = 4000
    requests = [cases.ask("?", seed, max_tokens=2, temperature=1.5) for seed in range(n)]
    completions = LocalSampler(llama, rows=512).sample(requests)
    first = completions[0].prompt_ids
    with torch.no_grad():
        p_first = (llama.module(torch.from_numpy(first)[None]).logits[0, -1].double() / 1.5).softmax(0)
        every = [[*first, token] for token in range(VOCABULARY)]
        p_second = (llama.module(torch.tensor(every)).logits[:, -1].double() / 1.5).softmax(-1)
    for t, p in ((0, p_first), (1, (p_first[:, None] * p_second)[[i not in llama.eos_ids for i in range(259)]].sum(0))):
        seen = np.bincount([c.token_ids[t] for c in completions if len(c.token_ids) > t], minlength=VOCABULARY)
        expected = seen.sum() * (p / p.sum()).numpy()
        common = expected >= max(5, np.sort(expected)[30])  # the rarest are one cell
        pvalue = stats.chisquare(
            [*seen[common], seen[~common].sum()], [*expected[common], expected[~common].sum()]
        ).pvalue
        assert pvalue > 1e-4


def test_it_is_a_sampler_and_says_whose_weights_wrote(llama):
    sampler = LocalSampler(llama, version=3)
    assert isinstance(sampler, Sampler)
    assert sampler.sample([]) == []
    assert sampler.sample([cases.ask("?", 1)])[0].version == (3, 3)


def test_new_weights_are_used_at_the_next_call(tmp_path):
    lm = models.load(str(tiny_folder(tmp_path)), dtype="bfloat16")
    sampler, request = LocalSampler(lm), cases.ask("?", 1)
    before = sampler.sample([request])[0]
    with torch.no_grad():
        for p in lm.module.parameters():
            p.mul_(0.5)
    after = sampler.sample([request])[0]
    assert list(before.token_ids) != list(after.token_ids)
    assert list(LocalSampler(lm).sample([request])[0].token_ids) == list(after.token_ids)


def test_bfloat16_withdraws_the_promise_and_stays_near(llama):
    low = replace(llama, dtype=torch.bfloat16)
    sampler = LocalSampler(low)
    assert not sampler.exact
    assert sampler.why_not_exact.startswith("bfloat16 arithmetic")
    requests = cases.mixed(16, max_tokens=20)
    worst = cases.judged(llama, requests, sampler.sample(requests))
    assert 1e-4 < worst < 1.0
    assert {p.dtype for p in llama.module.parameters()} == {torch.float32}


class Forced(LlamaForCausalLM):
    """Says `script`, one token after the other, whatever was asked."""

    script = ()

    def forward(self, input_ids, attention_mask, use_cache):
        logits = torch.full((*input_ids.shape, VOCABULARY), -50.0)
        for b, row in enumerate(input_ids.tolist()):
            n = int(attention_mask[b].sum())
            prompt = n - row[:n][::-1].index(IM_START) + len("assistant\n")
            logits[b, n - 1, self.script[n - prompt]] = 50.0
        return CausalLMOutputWithPast(logits=logits)


def say(lm, text, *, then=(), **request):
    """What the engine makes of a model that says this text and then these tokens."""
    ids = lm.tokenizer(text, add_special_tokens=False)["input_ids"]
    module = Forced(lm.module.config)
    module.script = [*ids, *then]
    return LocalSampler(replace(lm, module=module)).sample([cases.ask("?", 1, **request)])[0]


@pytest.mark.parametrize("end", [END_OF_TEXT, IM_END])
def test_every_end_token_ends(llama, end):
    answer = say(llama, "56 é", then=[end])
    assert (answer.text, answer.finish, answer.token_ids[-1]) == ("56 é", "stop", end)
    assert len(answer.token_ids) == len(answer.logp) == len("56 é".encode()) + 1
    np.testing.assert_allclose(answer.logp, 0, atol=1e-6)


def test_an_end_token_at_once_is_an_empty_answer(llama):
    answer = say(llama, "", then=[IM_END])
    assert (answer.text, answer.finish, list(answer.token_ids)) == ("", "stop", [IM_END])


@pytest.mark.parametrize(
    ("max_tokens", "finish", "text"), [(1, "length", "5"), (2, "length", "56"), (3, "stop", "56"), (9, "stop", "56")]
)
def test_the_token_limit(llama, max_tokens, finish, text):
    answer = say(llama, "56", then=[IM_END], max_tokens=max_tokens)
    assert (answer.finish, answer.text, len(answer.token_ids)) == (finish, text, min(max_tokens, 3))


@pytest.mark.parametrize(
    ("stop", "text", "tokens"),
    [
        (("\n",), "So: 7", 6),
        (("8", "7"), "So: ", 5),
        (("7\n8",), "So: ", 7),
        (("nowhere",), "So: 7\n8", 8),
        (("So",), "", 2),
    ],
)
def test_stop_texts_end_the_answer_before_them(llama, stop, text, tokens):
    answer = say(llama, "So: 7\n8", then=[IM_END], stop=stop)
    assert (answer.text, answer.finish, len(answer.token_ids)) == (text, "stop", tokens)


def test_a_stop_text_completed_by_the_last_allowed_token_is_a_stop(llama):
    assert say(llama, "ab", then=[IM_END], stop=("b",), max_tokens=2).finish == "stop"


@pytest.mark.parametrize(
    ("change", "says", "key"),
    [
        ({"max_tokens": 0}, "needs at least 1", "sampling.max_tokens"),
        ({"max_tokens": 501}, "but the model was made for 512", "sampling.max_tokens"),
        ({"temperature": -1.0}, "0 (greedy) or more", "sampling.temperature"),
        ({"temperature": float("nan")}, "0 (greedy) or more", "sampling.temperature"),
        ({"stop": ("",)}, "empty text", "sampling.stop"),
    ],
)
def test_requests_that_cannot_be_served(llama, change, says, key):
    with pytest.raises(Refused) as refused:
        LocalSampler(llama).sample([cases.ask("?", 1, **change)])
    assert says in str(refused.value)
    assert refused.value.key == key


@pytest.mark.parametrize(
    ("options", "says", "key"),
    [
        ({"rows": 0}, "at least 1", "sampling.options.rows"),
        ({"rows": True}, "wants a whole number, got True", "sampling.options.rows"),
        ({"row": 3}, "did you mean rows?", "sampling.options.row"),
        ({"top_p": 0.9}, "draws from the whole distribution", "sampling.options.top_p"),
        ({"top_k": 5}, "draws from the whole distribution", "sampling.options.top_k"),
    ],
)
def test_options_that_are_refused(llama, options, says, key):
    with pytest.raises(Refused) as refused:
        LocalSampler.from_options(llama, options)
    assert says in str(refused.value)
    assert refused.value.key == key


def test_options_that_are_taken(llama):
    assert LocalSampler.from_options(llama, {}).rows == 128
    assert LocalSampler.from_options(llama, {"rows": 5, "top_p": 1.0, "top_k": 0}).rows == 5


def test_it_can_be_interrupted_between_tokens(llama):
    seen = []

    def between():
        seen.append(1)
        if len(seen) == 3:
            raise Interrupted("asked to stop")

    with pytest.raises(Interrupted):
        LocalSampler(llama, between=between).sample([cases.ask("?", 1, temperature=2.0)])
    assert len(seen) == 3


def test_broken_weights_stop_the_run(tmp_path):
    lm = models.load(str(tiny_folder(tmp_path)), dtype="float32")
    with torch.no_grad():
        lm.module.get_input_embeddings().weight[5] = float("nan")
    with pytest.raises(Stopped, match="not finite"):
        LocalSampler(lm).sample([cases.ask("?", 1)])


def written(tmp_path, module):
    module.eval().save_pretrained(tmp_path)
    tiny_tokenizer().save_pretrained(tmp_path)
    return models.load(str(tmp_path), dtype="float32")


def test_an_architecture_that_ignores_an_outside_mask_is_found_and_still_right(tmp_path):
    torch.manual_seed(0)
    ends = {"bos_token_id": None, "eos_token_id": END_OF_TEXT, "pad_token_id": END_OF_TEXT}
    config = BloomConfig(vocab_size=VOCABULARY, hidden_size=32, n_layer=2, n_head=4, initializer_range=0.3, **ends)
    lm = written(tmp_path, BloomForCausalLM(config))
    sampler, requests = LocalSampler(lm), cases.mixed(12, max_tokens=15)
    assert sampler.why_not_exact.startswith("BloomForCausalLM ")
    assert cases.judged(lm, requests, sampler.sample(requests)) < 1e-4


@pytest.mark.parametrize("max_tokens", [15, 80])
def test_a_sliding_window_is_right_within_and_beyond_it(tmp_path, max_tokens):
    torch.manual_seed(0)
    config = MistralConfig(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, initializer_range=0.3, sliding_window=64, max_position_embeddings=512,
        bos_token_id=None, eos_token_id=END_OF_TEXT, pad_token_id=END_OF_TEXT,
    )  # fmt: skip
    lm = written(tmp_path, MistralForCausalLM(config))
    sampler = LocalSampler(lm)
    assert sampler.exact
    requests = [cases.ask("?", seed, max_tokens=max_tokens, temperature=1.5) for seed in range(5)]
    assert cases.judged(lm, requests, sampler.sample(requests)) < 1e-4
