"""Tables that do not fit together, and stages: refused in one line with their own place."""

from __future__ import annotations

from pathlib import Path

import pytest

from verigrad.errors import Refused
from verigrad.recipe import parse

FIXTURES = Path(__file__).parent / "fixtures"
THREE = (FIXTURES / "three_stages.toml").read_text()


def refusal(old: str, new: str, text: str) -> str:
    assert old in text
    with pytest.raises(Refused) as caught:
        parse(text.replace(old, new, 1), file="sql.toml", folder=FIXTURES)
    said = str(caught.value)
    assert "\n" not in said
    return said


MANY = """[model]
path = "m"
[[data]]
source = "a.jsonl"
[[data]]
source = "b.jsonl"
held_out = "c.jsonl"
[reward]
verifier = "number"
[train]
steps = 1
[[acceptance]]
grader = "number"
"""
BAD_MANY = [
    ("b.jsonl", "x/a.jsonl", "6: data.source: two sources are called a; rename one's file"),
    ('"number"\n[train]', '"number"\non = "a"\n[train]', "6: no verifier judges b: name it in a part's reward.on"),
    (
        "[[acceptance]]",
        '[[acceptance]]\ngrader = "math"\nsource = "a"\n[[acceptance]]',
        "15: two [[acceptance]] judge the held-out side of a: one without source judges every held-out side; name its",
    ),
    (
        "[[acceptance]]",
        '[[acceptance]]\ngrader = "math"\n[[acceptance]]',
        "14: two [[acceptance]] judge the held-out side of a: one without source judges every held-out side; name its",
    ),
    (
        "[[acceptance]]",
        '[[acceptance]]\nsource = "a"',
        "6: no [[acceptance]] judges the held-out side of b: add one, or",
    ),
    (
        "[[acceptance]]\n",
        '[[acceptance]]\nsource = "a"\ngrader = "x"\n[[acceptance]]\nsource = "a"\n',
        "16: two [[acceptance]] judge the held-out side of a: each item has exactly one suite",
    ),
    (
        "[[acceptance]]\n",
        '[[acceptance]]\nsource = "d.jsonl"\ngrader = "x"\n[[acceptance]]\nsource = "d.jsonl"\n',
        "16: two [[acceptance]] judge d.jsonl: each item has exactly one suite",
    ),
    (
        '[[acceptance]]\ngrader = "number"\n',
        "",
        " [acceptance] is missing: it needs acceptance.grader, who accepts the r",
    ),
]


@pytest.mark.parametrize(("old", "new", "line"), BAD_MANY)
def test_several_sources_and_suites(old: str, new: str, line: str) -> None:
    said = refusal(old, new, MANY)
    assert said.startswith(f"sql.toml:{line}"), said


def test_a_source_without_a_held_out_side_cannot_be_judged() -> None:
    text = MANY.replace('"c.jsonl"', "0") + 'source = "b"\n'
    assert refusal("[train]", "[train]", text) == (
        'sql.toml:14: acceptance.source = "b": that source has data.held_out = 0, so nothing to judge'
    )


BAD_STAGES = [
    ("epochs = 1\nlr = 1e-5", "steps = 1", "34: stage 1 (sft) counts in train.epochs, not in train.steps"),
    ("steps = 300", "", "40: train.steps is missing: stage 2 (rl) counts in rounds of sampling and updates"),
    (
        "[stage.train]\nepochs = 1\nlr",
        "[stage.model]\npath = 'x'\n[stage.train]\nlr",
        "34: stage.model.path cannot be set",
    ),
    (
        "[stage.train]\nepochs = 1\nlr",
        "[stage.run]\nseed = 1\n[stage.train]\nlr",
        "33: stage.run cannot be set: [run] is ",
    ),
    (
        '"demos.jsonl"',
        '"demos.jsonl"\nheld_out = 0.1',
        "33: stage.data.held_out cannot be set: a stage's own data is only",
    ),
    ("[stage.train]\nepochs", "[stage.trian]\nepochs", "33: unknown table stage.trian; did you mean stage.train?"),
    ("lr = 1e-5", "lrr = 1", "35: unknown key stage.train.lrr; did you mean stage.train.lr?"),
    ("lr = 1e-5", "clip = 1", "35: unknown key stage.train.clip; it is stage.loss.clip"),
    ("lr = 1e-5", "lr = 0", "35: train.lr wants a number above 0, got 0"),
    ("epochs = 1\nlr", "epochs = 0\nlr", "34: train.epochs wants a whole number of at least 1, got 0"),
    (
        "[[stage]]\nkind",
        "[train]\ngroup = 0\n[[stage]]\nkind",
        "30: train.group wants a whole number of at least 1, got 0",
    ),
]


@pytest.mark.parametrize(("old", "new", "line"), BAD_STAGES)
def test_a_stage_says_its_own_line(old: str, new: str, line: str) -> None:
    said = refusal(old, new, THREE)
    assert said.startswith(f"sql.toml:{line}"), said
