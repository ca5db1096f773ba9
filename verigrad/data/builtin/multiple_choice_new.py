r"""Multiple choice among names of two words or more, in other wordings: a second suite for acceptance.

{"prompt": "...\nPick the kind of food.\nA) sea lion\nB) bus driver\nC) apple pie\nD) sri lanka\nAnswer:", ...}: the
words of word_kinds_new in sets of four, each asked for two of its kinds; 60 items in 30 families. No name has a word of
multiple_choice.
"""

from __future__ import annotations

from typing import Any

from verigrad.data.builtin.multiple_choice import rows_of
from verigrad.data.builtin.word_kinds import KINDS

NAME = "multiple_choice_new"
QUESTIONS = {
    "animal": "Pick the kind of animal.",
    "food": "Pick the kind of food.",
    "job": "Pick what somebody can work as.",
    "country": "Pick the name of a country.",
}


def rows() -> list[dict[str, Any]]:
    """60 rows: of each set of four, two kinds in turn."""
    every = rows_of("word_kinds_new.txt", QUESTIONS, KINDS, name=NAME)
    return [row for i, row in enumerate(every) if (i // 4 + i % 4) % 2 == 0]
