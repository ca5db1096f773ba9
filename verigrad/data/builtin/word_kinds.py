r"""Words of four kinds: is it an animal, a food, a job or a country?

{"prompt": "Which is dog: animal, food, job or country? Answer: animal\n... Which is otter: animal, food, job or
country? Answer:", "gold": "animal", "family": "otter", "word": "otter", "choices": ["animal", "food", "job",
"country"]}. Four examples come first, one of each kind and the same in every item, so that a model without a chat
template (`model.template = "none"`, `sampling.stop = ["\n"]`) answers by continuing. 148 words a kind; variants of one
word (melon, watermelon) are one family. A country is known by its capital, the other three by knowledge only.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

NAME = "word_kinds"
KINDS = ("animal", "food", "job", "country")
EXAMPLES = {"dog": "animal", "bread": "food", "teacher": "job", "Spain": "country"}
QUESTION = "Which is {word}: animal, food, job or country? Answer:"


def rows() -> list[dict[str, Any]]:
    """592 rows, by kind, then the list's order."""
    return rows_of("word_kinds.txt", QUESTION, EXAMPLES)


def rows_of(file: str, question: str, examples: Mapping[str, str]) -> list[dict[str, Any]]:
    """A row for each word of a list beside this module, asked after the examples."""
    shown = "".join(f"{question.format(word=word)} {kind}\n" for word, kind in examples.items())
    return [
        {
            "prompt": shown + question.format(word=word),
            "gold": kind,
            "family": family[0].casefold(),
            "word": word,
            "choices": list(KINDS),
        }
        for kind, families in families_of(file).items()
        for family in families
        for word in family
    ]


def families_of(file: str) -> dict[str, list[list[str]]]:
    """Kind -> families of words, from a list beside this module."""
    found: dict[str, list[list[str]]] = {}
    for line in files(__package__).joinpath(file).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            found[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            names = (name.strip() for name in line.split(",") if name.strip())
            found[list(found)[-1]] += [name.split("/") for name in names]
    return found
