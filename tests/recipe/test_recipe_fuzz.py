"""Whatever is written, a recipe is read or refused in one line; nothing else escapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.errors import Refused
from verigrad.recipe import Recipe, check_built, check_paths, parse
from verigrad.recipe.grammar import INNER, KEYS

FIXTURES = Path(__file__).parent / "fixtures"
SQL = (FIXTURES / "sql.toml").read_text()
THREE = (FIXTURES / "three_stages.toml").read_text()
PATHS = [k.split(".") for k in KEYS] + [[t, k, inner] for (t, k), keys in INNER.items() for inner in keys]

words = st.sampled_from(
    ["local", "auto", "a.jsonl", "f.py:g", "hub:x", "number", "sql", "", "cosine", "adamw", "x\ny", "🙂"]
)
scalars = st.one_of(
    words, st.integers(-2, 9), st.integers(), st.floats(), st.booleans(), st.none(), st.just(10**400), st.just(len)
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from([p[-1] for p in PATHS] + ["", "x"]), inner, max_size=3),
    ),
    max_leaves=5,
)


def refused(act: Callable[[], object]) -> Refused | None:
    try:
        act()
    except Refused as error:
        return error
    return None


def read_or_refused(read: Callable[[], Recipe]) -> None:
    """Read and usable, or one line."""
    recipes: list[Recipe] = []
    error = refused(lambda: recipes.append(read()))
    assert error is None or "\n" not in str(error)
    for recipe in recipes:
        looked_at(recipe)


def looked_at(recipe: Recipe) -> None:
    """Everything a reader of a recipe may ask of it."""
    assert json.dumps(recipe.resolved())
    for stage in recipe.stages:
        flat = recipe.stage(stage.number)
        assert flat.stages == (stage,)
        assert (flat.train.steps is None) != (flat.train.epochs is None)
    for check in (check_paths, check_built):
        error = refused(lambda check=check: check(recipe))
        assert error is None or (error.key and "\n" not in recipe.refusal(error))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PATHS), values), min_size=1, max_size=4), st.booleans())
def test_tables_of_anything(edits: list[tuple[list[str], Any]], staged: bool) -> None:
    tables: dict[str, Any] = {
        "model": {"path": "m"},
        "data": [{"source": "times_table"}],
        "reward": [{"verifier": "number"}],
        "train": {"steps": 3},
        "acceptance": [{"grader": "number"}],
    }
    if staged:
        tables["stage"] = [{"kind": "rl", "train": {"group": 4}}]
    for path, value in edits:
        here: Any = tables
        for part in path[:-1]:
            here = here.setdefault(part, {}) if isinstance(here, dict) else {}
            here = here[0] if isinstance(here, list) and here else here
        if isinstance(here, dict):
            here[path[-1]] = value
    read_or_refused(lambda: Recipe.of(tables, folder=FIXTURES))


dotted = st.one_of(
    st.sampled_from([".".join(p) for p in PATHS]),
    st.sampled_from(["stage.2.", "stage.1.", "reward.0.", "data.1.", "stage.2.reward.0."]).flatmap(
        lambda start: st.sampled_from([start + ".".join(p) for p in PATHS] + [start + p[-1] for p in PATHS])
    ),
    st.text("atrin.0129=_ ", max_size=12),
)
given_values = st.one_of(st.text(max_size=6), st.sampled_from(["1", "0.5", "true", "[1]", "{ name = 'x' }", "number"]))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(dotted, given_values), min_size=1, max_size=3), st.sampled_from([SQL, THREE]))
def test_sets_of_anything(sets: list[tuple[str, str]], text: str) -> None:
    read_or_refused(lambda: parse(text, file="r.toml", folder=FIXTURES, sets=[f"{key}={value}" for key, value in sets]))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(SQL)), st.integers(0, 12), st.text('[]{}="\n.#a1', max_size=6))
def test_texts_with_a_hole(start: int, length: int, filling: str) -> None:
    read_or_refused(lambda: parse(SQL[:start] + filling + SQL[start + length :], file="r.toml", folder=FIXTURES))
