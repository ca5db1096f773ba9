"""A prompt that shows the gold asks nothing; a run's name is a folder a shell can be given."""

import pytest

from verigrad.data.rows import reading
from verigrad.errors import RecipeError
from verigrad.recipe import Recipe


def test_a_prompt_that_shows_the_gold_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"data.prompt shows \{gold\}: the answer would stand in the question"):
        reading(prompt="{question} ({gold})")
    assert reading(prompt="{question} {{gold}}").shown == {"question"}


@pytest.mark.parametrize(
    ("prompt", "columns", "shown"),
    [
        ("{q} {ans}", {"gold": "ans"}, "ans"),
        ("{q} {gold}", {"gold": "ans"}, "gold"),
        ("{q} {hint}", {"gold": "ans", "hint": "ans"}, "hint"),
        ("{q} {hint}", {"hint": "gold"}, "hint"),
        ([{"role": "system", "content": "{ans}"}, {"role": "user", "content": "{q}"}], {"gold": "ans"}, "ans"),
    ],
)
def test_the_gold_is_refused_under_whatever_name(prompt, columns, shown) -> None:
    with pytest.raises(RecipeError, match=rf"data.prompt shows \{{{shown}\}}: the answer would stand in the question"):
        reading(prompt=prompt, columns=columns)


def test_another_column_by_the_golds_old_name_is_no_gold() -> None:
    assert reading(prompt="{q} {ans}", columns={"gold": "ans", "ans": "note"}).shown == {"q", "ans"}


@pytest.mark.parametrize("name", ["\x1b[31mx", "-x", "a\nb", ".hidden", "a/b", " "])
def test_a_run_is_named_like_a_folder(name: str) -> None:
    tables = {
        "model": {"path": "m"},
        "data": {"source": "times_table"},
        "reward": {"verifier": "number"},
        "train": {"steps": 3},
        "acceptance": {"grader": "number"},
        "run": {"name": name},
    }
    with pytest.raises(RecipeError, match=r"run\.name wants the name of a folder"):
        Recipe.of(tables)
