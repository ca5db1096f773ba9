"""Perplexity of a text: the model's own loss, exponentiated; windows where the text is longer than the context."""

import math

import pytest
import torch

from tests.tiny import tiny_folder
from verigrad import models
from verigrad.errors import Refused

TEXT = "The old ferry left the harbour a little before sunrise."


@pytest.fixture(scope="module")
def lm(tmp_path_factory):
    return models.load(str(tiny_folder(tmp_path_factory.mktemp("models"))), dtype="float32")


def loss_of(lm, ids):
    with torch.no_grad():
        return float(lm.module(input_ids=ids, labels=ids).loss)


def test_it_is_the_exponentiated_loss_of_transformers(lm):
    ids = torch.tensor([lm.tokenizer(TEXT)["input_ids"]])
    assert models.text_perplexity(lm, TEXT) == pytest.approx(math.exp(loss_of(lm, ids)), rel=1e-5)


def test_a_long_text_goes_in_windows_of_the_context(lm):
    text = TEXT * 12  # 660 bytes, one token each; the model was made for 512
    ids = torch.tensor([lm.tokenizer(text)["input_ids"]])
    assert lm.context == 512 < ids.shape[1]
    first, rest = ids[:, :512], ids[:, 512:]
    sums = loss_of(lm, first) * 511 + loss_of(lm, rest) * (rest.shape[1] - 1)
    expected = math.exp(sums / (511 + rest.shape[1] - 1))
    assert models.text_perplexity(lm, text) == pytest.approx(expected, rel=1e-5)


def test_mode_and_gradients_are_left_as_they_were(lm):
    lm.module.train()
    models.text_perplexity(lm, TEXT)
    assert lm.module.training
    assert all(p.grad is None for p in lm.module.parameters())
    lm.module.eval()


def test_a_text_of_one_token_has_none(lm):
    with pytest.raises(Refused, match="at least two tokens"):
        models.text_perplexity(lm, "a")
