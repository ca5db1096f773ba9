"""Recipes to preference methods and back: every parameter reachable, bad input in one line, the generated page."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from verigrad.errors import Refused
from verigrad.losses import build_preference, describe_preference, preference_table, preferences
from verigrad.losses.axis import told
from verigrad.losses.preference_axes import ANCHORS, LINKS, SCORES, Prospect

CHOICES = [(name, axis) for name, m in preferences.items() for axis in m.words]


@pytest.mark.parametrize(("name", "axis"), CHOICES)
def test_every_parameter_of_every_word_is_reachable(name: str, axis: str) -> None:
    method = preferences[name]
    other: dict[type, Any] = {float: 0.3, bool: True, str: "answer"}
    for word in method.words[axis]:
        for f in fields(word):
            value = other[type(f.default)]
            built = build_preference(name, {axis: {"name": word.word, f.name: value}})
            assert getattr(getattr(built, axis), f.name) == value
    for f in fields(getattr(method, axis)):
        value = other[type(f.default)]
        built = build_preference(name, {axis: {f.name: value}})
        assert getattr(getattr(built, axis), f.name) == value
        assert replace(built, **{axis: getattr(method, axis)}) == method


def test_the_links_the_contract_names() -> None:
    for name in ("orpo", "kto", "aot", "aot_unpaired", "dpo", "ipo", "hinge"):
        assert build_preference(name, {"link": {"beta": 0.37}}).link.beta == 0.37  # type: ignore[attr-defined]


REFUSED: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "method": ("dop", {}, "loss.method", 'unknown loss.method = "dop"; did you mean dpo?'),
    "axis": ("dpo", {"lnk": {}}, "loss.lnk", "unknown key loss.lnk; did you mean link?"),
    "policy axis": ("dpo", {"clip": 0.2}, "loss.clip", "unknown key loss.clip"),
    "word": ("dpo", {"link": "logit"}, "loss.link", 'unknown loss.link = "logit"; did you mean logistic?'),
    "parameter": ("dpo", {"link": {"bta": 1}}, "loss.link.bta", "unknown key loss.link.bta"),
    "no parameters": ("dpo", {"score": {"beta": 1}}, "loss.score.beta", "unknown key loss.score.beta"),
    "of another word": ("simpo", {"anchor": {"penalty": 5}}, "loss.anchor.penalty", 'name = "reference", penalty = 5'),
    "type": ("dpo", {"link": {"beta": "0.1"}}, "loss.link.beta", 'loss.link.beta wants a number, got the text "0.1"'),
    "literal": ("rpo", {"anchor": {"per": "batch"}}, "loss.anchor.per", "loss.anchor.per is one of token, answer"),
    "beta": ("dpo", {"link": {"beta": 0}}, "loss.link.beta", "loss.link.beta is 0; it must be above 0"),
    "beta of ipo": ("ipo", {"link": {"beta": -1}}, "loss.link.beta", "loss.link.beta is -1; it must be above 0"),
    "beta of hinge": ("slic", {"link": {"beta": 0}}, "loss.link.beta", "loss.link.beta is 0; it must be above 0"),
    "beta of kto": ("kto", {"link": {"beta": 0}}, "loss.link.beta", "loss.link.beta is 0; it must be above 0"),
    "weights of kto": ("kto", {"link": {"desirable": -1}}, "loss.link.desirable", "it must be at least 0"),
    "not finite": ("simpo", {"link": {"gamma": float("inf")}}, "loss.link.gamma", "it must be finite"),
    "smoothing": ("cdpo", {"link": {"smoothing": 0.5}}, "loss.link.smoothing", "must be below 0.5"),
    "penalty": ("dpop", {"anchor": {"penalty": -1}}, "loss.anchor.penalty", "it must be at least 0"),
    "nll": ("cpo", {"anchor": {"nll": -1}}, "loss.anchor.nll", "it must be at least 0"),
    "weight": ("orpo", {"link": {"weight": 0}}, "loss.link.weight", "it must be above 0"),
    "not its axis": (
        "kto",
        {"anchor": "none"},
        "loss.anchor",
        "loss.anchor is not a choice of kto; it has link",
    ),
    "not its score": ("kto", {"score": "mean"}, "loss.score", "loss.score is not a choice of kto; it has link"),
    "not its link": ("kto", {"link": "hinge"}, "loss.link", 'unknown loss.link = "hinge"; there is prospect'),
    "not aot's": (
        "aot",
        {"anchor": "none"},
        "loss.anchor",
        "loss.anchor is not a choice of aot; it has score and link",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_one_line(case: str) -> None:
    name, axes, key, text = REFUSED[case]
    with pytest.raises(Refused) as caught:
        build_preference(name, axes)
    assert caught.value.key == key
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "axes", "text"),
    [
        ("dpo", {}, "dpo"),
        ("dpo", {"link": {"beta": 0.2}}, "dpo, changed: link.beta 0.1 -> 0.2"),
        ("dpo", {"score": "mean", "link": {"beta": 5}}, "dpo_norm"),
        ("dpo", {"anchor": {"nll": 1}}, "rpo"),
        ("dpo", {"link": {"smoothing": 0.1}}, "cdpo"),
        ("dpo", {"link": {"name": "squared", "beta": 0.2}}, "dpo, changed: link logistic -> squared (beta 0.2)"),
        ("simpo", {"anchor": "reference"}, "simpo, changed: anchor none -> reference"),
        ("kto", {"link": {"desirable": 1.2}}, "kto, changed: link.desirable 1 -> 1.2"),
        ("aot", {"link": {"smoothing": 0.1}}, "aot, changed: link.smoothing 0 -> 0.1"),
    ],
)
def test_described(name: str, axes: dict[str, Any], text: str) -> None:
    assert describe_preference(build_preference(name, axes)) == text


def test_methods_are_different_and_named_by_their_keys() -> None:
    seen = list(preferences.items())
    for i, (name, method) in enumerate(seen):
        assert (method.name, describe_preference(method)) == (name, name)
        for other, again in seen[:i]:
            assert type(method) is not type(again) or replace(method, name=other, source=again.source) != again  # type: ignore[type-var]


@pytest.mark.parametrize("name", preferences)
def test_every_choice_says_whose_it_is(name: str) -> None:
    method = preferences[name]
    parameters = {f"{a}.{p}" for a in method.words for p in told(getattr(method, a))}
    assert set(method.sources) == set(method.words) | parameters
    assert all((method.source, *method.sources.values()))


def test_the_page_has_every_method_word_and_number() -> None:
    page = preference_table()
    for name, method in preferences.items():
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert method.source in section
        for key, whose in method.sources.items():
            assert f"| {key} |" in section
            assert whose in section
        for note in method.notes:
            assert f"- {note}" in section
    for word in (*SCORES, *LINKS, *ANCHORS, Prospect):
        assert f"| `{word.word}` |" in page
