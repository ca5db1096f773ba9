"""Claims: tasks and their judge, intervals over seeds, exact pass rates, one claim end to end, pages and pictures."""

import json
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from benchmarks.claims import (
    claim,
    clip_higher,
    controls,
    critic,
    dead_groups,
    dpo,
    judge,
    length,
    model,
    rl,
    stages,
    tasks,
    warm,
)
from benchmarks.common import ROOT, page
from verigrad import models

CLAIMS: dict[str, ModuleType] = {
    m.NAME: m for m in (judge, dead_groups, length, clip_higher, critic, dpo, controls, stages)
}


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_the_page_says_what_was_measured(name: str) -> None:
    text, file = claim.PAGE.read_text(encoding="utf-8"), claim.RESULTS / f"{name}.json"
    block = "Not measured yet."
    if file.exists():
        block = CLAIMS[name].table(json.loads(file.read_text(encoding="utf-8")))
        picture = (claim.PICTURES / f"{name}.svg").read_text(encoding="utf-8")
        assert picture == CLAIMS[name].draw(json.loads(file.read_text(encoding="utf-8")))
    assert page(text, name, block) == text, f"docs/claims.md is stale: python -m benchmarks.claims.{name}"
    assert f"python -m benchmarks.claims.{name}`" in text


def test_every_claim_is_in_the_makefile() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name in CLAIMS:
        assert f"benchmarks.claims.{name} --seeds" in text
        assert f"benchmarks.claims.{name} --smoke" in text


@pytest.mark.parametrize(
    ("answer", "status"),
    [("55", "right"), ("55...", "right"), ("7+8=15:55", "right"), ("54", "wrong"), ("7+8=55", "unreadable"),
     ("", "unreadable"), ("55.5", "unreadable"), ("7+8=15:", "unreadable"), ("x55", "unreadable")],
)  # fmt: skip
def test_an_answer_is_read(answer: str, status: str) -> None:
    assert tasks.verify(answer, tasks.addition("c", 47, 8)).status == status


def test_every_demonstration_is_right_and_no_held_out_addition_is_shown() -> None:
    rng = np.random.default_rng(0)
    for manner in tasks.MANNERS:
        source = tasks.additions(manner, kept=False, rng=rng)
        for _ in range(50):
            task = next(source)
            assert tasks.verify(tasks.demonstration(rng, task), task).correct
            assert not tasks.held_out(task.columns["a"], task.columns["b"])
    word = next(tasks.words(rng))
    assert tasks.verify(tasks.demonstration(rng, word), word).correct
    held = rl.side("c", kept=True)
    assert len(held) + len(rl.side("c", kept=False)) == 720
    assert 0.15 < len(held) / 720 < 0.25


def test_the_full_model_has_the_size_it_is_said_to_have(tmp_path: Path) -> None:
    assert model.parameters(model.fresh(tmp_path, seed=0, shape="full")) == 1_116_480


def test_a_pass_rate_is_the_probability_of_the_one_right_answer(tmp_path: Path) -> None:
    """Over every answer of one token, and the rest, probabilities are those of the softmax; here by plain logits."""
    lm = model.fresh(tmp_path, seed=1, shape="smoke")
    task = tasks.addition("c", 47, 8)
    prompt, answer = models.encode(lm, task.prompt).tolist(), models.encode_answer(lm, "55").tolist()
    assert lm.tokenizer.decode(answer) == f"55{model.END}"
    import torch

    with torch.no_grad():
        logp = lm.module(input_ids=torch.tensor([prompt + answer])).logits.double().log_softmax(-1)[0]
    by_hand = sum(float(logp[len(prompt) - 1 + i, t]) for i, t in enumerate(answer))
    assert math.isclose(float(rl.pass_rates(lm, [task])[0]), math.exp(by_hand), rel_tol=1e-4)


def test_the_interval_is_students() -> None:
    """t(0.975, 4) = 2.776: mean 3, standard error sqrt(2.5 / 5)."""
    mean, low, high = claim.interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert mean == 3.0
    assert math.isclose(high - mean, 2.776445 * math.sqrt(0.5), rel_tol=1e-5)
    assert math.isclose(mean - low, high - mean)
    assert claim.difference([1.0, 2.0], [2.0, 3.0], 1) == "+1.0 [+1.0, +1.0]"
    assert claim.told([0.5]) == "0.500"


def test_updates_to_a_level_are_read_off_between_looks() -> None:
    lines = [
        {"step": 0, "drawn": 0.0, "held_out": 0.2},
        {"step": 2, "drawn": 100.0},
        {"step": 4, "drawn": 300.0, "held_out": 0.4},
    ]
    assert dead_groups.reached(lines, 0.3) == pytest.approx((2.0, 150.0))
    assert dead_groups.reached(lines, 0.9) == (4, 300.0)


def test_a_claim_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "CACHE", tmp_path / "cache")
    length.main(["--smoke", "--out", str(tmp_path)])
    result = json.loads((tmp_path / "length.json").read_text())
    (seed,) = result["seeds"]
    assert set(seed["curves"]) == {"grpo", "dr_grpo"}
    assert all(line["grad/norm"] > 0 for curve in seed["curves"].values() for line in curve[1:])
    picture = (tmp_path / "length.svg").read_text()
    assert picture.startswith("<?xml")
    assert picture == length.draw(result)
    assert "| grpo |" in length.table(result)
