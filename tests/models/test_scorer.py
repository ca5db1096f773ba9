"""A reward model: where it reads its score, what is beside a row, files, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from tests.tiny import END_OF_TEXT, tiny_folder
from verigrad.errors import Refused, VerigradError
from verigrad.models import (
    Scorer,
    encode,
    encode_answer,
    load,
    load_scorer,
    new_scorer,
    restore_scorer,
    save_scorer,
    score_texts,
    scores,
)
from verigrad.records import Task

ARCHITECTURES = ("llama", "qwen2", "gpt2")
TEXTS = ("ok", "a good deal longer than that", "", "okay")
PROMPTS = [Task.make(prompt=text).prompt for text in ("a", "a longer question", "b", "c c c")]


def tiny_scorer(folder: Path, arch: str = "llama", dtype: str = "float32") -> Scorer:
    return new_scorer(load(str(tiny_folder(folder, arch)), dtype=dtype, device="cpu"), seed=3)


def read(scorer: Scorer) -> tuple[list[np.ndarray], list[np.ndarray]]:
    return [encode(scorer, p) for p in PROMPTS], [encode_answer(scorer, t) for t in TEXTS]


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_score_is_read_at_the_answers_last_token_whatever_is_beside_it(arch: str, tmp_path: Path) -> None:
    scorer = tiny_scorer(tmp_path, arch)
    prompts, answers = read(scorer)
    together = scores(scorer, prompts, answers)
    assert together.dtype is torch.float32
    for n, (prompt, answer) in enumerate(zip(prompts, answers, strict=True)):
        (alone,) = scores(scorer, [prompt], [answer])
        row = torch.from_numpy(np.concatenate([prompt, answer]))[None]
        hidden_LH = scorer.module.base_model(input_ids=row)[0][0]
        by_hand = hidden_LH[-1] @ scorer.module.score.weight[0]
        assert alone.item() == pytest.approx(by_hand.item(), abs=1e-5)
        assert together[n].item() == pytest.approx(by_hand.item(), abs=1e-4)
    assert len({round(s, 3) for s in together.tolist()}) == 4


def test_a_padding_token_inside_the_answer_moves_no_position(tmp_path: Path) -> None:
    """The tiny model's padding token is its end of text: transformers' own head stops at it, or is lost in it."""
    scorer = tiny_scorer(tmp_path)
    prompt, answer = encode(scorer, PROMPTS[0]), np.array([9, END_OF_TEXT, 8, END_OF_TEXT])
    (score,) = scores(scorer, [prompt], [answer])
    ids = torch.from_numpy(np.concatenate([prompt, answer]))[None]
    by_hand = scorer.module.score(scorer.module.model(ids)[0])[0, -1, 0]
    assert score.item() == pytest.approx(by_hand.item(), abs=1e-5)


def test_a_gradient_reaches_body_and_head(tmp_path: Path) -> None:
    scorer = tiny_scorer(tmp_path)
    scores(scorer, *read(scorer)).sum().backward()
    missing = [n for n, p in scorer.module.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert missing == []


def test_the_head_follows_the_seed_and_the_body_is_a_copy(tmp_path: Path) -> None:
    lm = load(str(tiny_folder(tmp_path)), dtype="float32", device="cpu")
    a, b, c = (new_scorer(lm, seed=s) for s in (1, 1, 2))
    assert torch.equal(a.module.score.weight, b.module.score.weight)
    assert not torch.equal(a.module.score.weight, c.module.score.weight)
    for name, p in lm.module.base_model.named_parameters():
        own = a.module.base_model.get_parameter(name)
        assert torch.equal(own, p)
        assert own.data_ptr() != p.data_ptr()


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_saved_it_is_transformers_own_and_comes_back_bit_for_bit(arch: str, tmp_path: Path) -> None:
    scorer = tiny_scorer(tmp_path, arch)
    save_scorer(scorer, tmp_path / "judge", "a card")
    again = load_scorer("judge", dtype="float32", device="cpu", folder=tmp_path)
    assert (again.template, again.eos_ids) == (scorer.template, scorer.eos_ids)
    asked = list(zip(PROMPTS, TEXTS, strict=True))
    assert np.array_equal(score_texts(again, asked), score_texts(scorer, asked))
    assert (tmp_path / "judge" / "README.md").read_text() == "a card"
    theirs = AutoModelForSequenceClassification.from_pretrained(tmp_path / "judge")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "judge")
    text = tokenizer.apply_chat_template(
        [*PROMPTS[3], {"role": "assistant", "content": TEXTS[3]}], tokenize=False
    ).rstrip("\n")
    ids = tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"]
    assert theirs(ids).logits.item() == pytest.approx(float(score_texts(scorer, asked)[3]), abs=1e-4)


def test_weights_are_restored_in_place(tmp_path: Path) -> None:
    scorer = tiny_scorer(tmp_path)
    save_scorer(scorer, tmp_path / "judge", "")
    before = {n: p.clone() for n, p in scorer.module.named_parameters()}
    with torch.no_grad():
        for p in scorer.module.parameters():
            p.add_(1)
    restore_scorer(scorer, tmp_path / "judge")
    assert all(torch.equal(before[n], p) for n, p in scorer.module.named_parameters())
    save_scorer(tiny_scorer(tmp_path, "gpt2"), tmp_path / "other", "")
    with pytest.raises(VerigradError, match="no weights of this reward model: it holds a gpt2, not a llama"):
        restore_scorer(scorer, tmp_path / "other")


def test_batches_change_no_score_and_an_answer_too_long_is_scored_by_what_fits(tmp_path: Path) -> None:
    scorer = tiny_scorer(tmp_path)
    asked = [*zip(PROMPTS, TEXTS, strict=True), (PROMPTS[0], "x" * 700)]
    whole = score_texts(scorer, asked)
    assert np.isfinite(whole).all()
    assert score_texts(scorer, asked, tokens=1) == pytest.approx(whole, abs=1e-4)
    assert score_texts(scorer, []).shape == (0,)


def test_reduced_precision_is_near(tmp_path: Path) -> None:
    asked = list(zip(PROMPTS, TEXTS, strict=True))
    exact, rough = (score_texts(tiny_scorer(tmp_path, dtype=d), asked) for d in ("float32", "bfloat16"))
    assert not np.array_equal(exact, rough)
    assert rough == pytest.approx(exact, abs=0.15)


def test_what_is_no_reward_model_is_refused_in_one_line(tmp_path: Path) -> None:
    place = tiny_folder(tmp_path)
    with pytest.raises(Refused, match=r"no reward model: it has no score.weight; a \[\[stage\]\] of kind reward_model"):
        load_scorer(str(place))
    with pytest.raises(Refused, match="no such folder"):
        load_scorer("nowhere/at/all", folder=tmp_path)
    scorer = tiny_scorer(tmp_path)
    judge = tmp_path / "judge"
    save_scorer(scorer, judge, "")
    scorer.tokenizer.add_tokens([f"<extra {i}>" for i in range(9)])
    scorer.tokenizer.save_pretrained(judge)
    with pytest.raises(Refused, match="its tokenizer has 268 tokens and its embedding 259 rows: it is another model's"):
        load_scorer(str(judge))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (judge / name).unlink()
    with pytest.raises(Refused, match="the folder has no tokenizer"):
        load_scorer(str(judge))


def test_several_labels_are_no_score(tmp_path: Path) -> None:
    scorer = tiny_scorer(tmp_path)
    scorer.module.score = torch.nn.Linear(32, 2, bias=False)
    scorer.module.config.num_labels = 2
    save_scorer(scorer, tmp_path / "judge", "")
    with pytest.raises(Refused, match="a reward model gives one number, this one 2"):
        load_scorer(str(tmp_path / "judge"))


def test_without_a_template_plain_text_is_read(tmp_path: Path) -> None:
    lm = load(str(tiny_folder(tmp_path, template=None)), dtype="float32", device="cpu", template="none")
    save_scorer(new_scorer(lm, seed=0), tmp_path / "judge", "")
    again = load_scorer(str(tmp_path / "judge"), device="cpu")
    assert again.template is None
    assert encode(again, PROMPTS[0]).tolist() == encode(lm, PROMPTS[0]).tolist()
