r"""Names of two words or more, of the kinds of word_kinds, in another question: a second suite for acceptance.

{"prompt": "Is horse animal, food, job or country? Answer: animal\n... Is sea turtle animal, food, job or country?
Answer:", "gold": "animal", "family": "sea turtle", "word": "sea turtle", "choices": [...]}. New forms: other examples,
another wording, names of several words; no name has a word of word_kinds. 30 names a kind.
"""

from __future__ import annotations

from typing import Any

from verigrad.data.builtin.word_kinds import rows_of

NAME = "word_kinds_new"
EXAMPLES = {"horse": "animal", "cookie": "food", "nurse": "job", "Peru": "country"}
QUESTION = "Is {word} animal, food, job or country? Answer:"


def rows() -> list[dict[str, Any]]:
    """120 rows, by kind, then the list's order."""
    return rows_of("word_kinds_new.txt", QUESTION, EXAMPLES)
