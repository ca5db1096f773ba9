r"""Multiple choice among four words, one of each kind: which of them is the animal, the food, the job, the country?

{"prompt": "...\nWhich one is an animal?\nA) waiter\nB) otter\nC) noodles\nD) Chile\nAnswer:", "gold": {"answer": "B",
"choices": {"A": "waiter", "B": "otter", ...}}, "family": "otter noodles waiter Chile", "asked": "animal"}. The words
are those of word_kinds, of each family the first; a word stands in one set of four only, and a set is one family,
asked for each of its four kinds. Four solved examples come first (`model.template = "none"`, `sampling.stop = ["\n"]`);
they answer with the word, and either word or letter is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verigrad.data.builtin.word_kinds import KINDS, families_of
from verigrad.records import seed

NAME = "multiple_choice"
QUESTIONS = {
    "animal": "Which one is an animal?",
    "food": "Which one is a food?",
    "job": "Which one is a job?",
    "country": "Which one is a country?",
}
EXAMPLES = (
    ("animal", ("teacher", "dog", "Spain", "bread")),
    ("country", ("Peru", "horse", "nurse", "cookie")),
    ("food", ("pilot", "China", "cat", "pasta")),
    ("job", ("honey", "cow", "doctor", "Holland")),
)
PLACES = {"animal": 1, "country": 0, "food": 3, "job": 2}
"""Where the answer of each kind's example stands: every place once."""
LETTERS = "ABCD"


def rows() -> list[dict[str, Any]]:
    """Four rows a set of words, in the lists' order."""
    return rows_of("word_kinds.txt", QUESTIONS, KINDS, name=NAME)


def rows_of(file: str, questions: Mapping[str, str], asked: Sequence[str], *, name: str) -> list[dict[str, Any]]:
    """A row for each set of four words of a list beside this module and each kind asked for; examples come first."""
    lists = families_of(file)
    by_kind = [sorted((f[0] for f in lists[kind]), key=lambda w: seed(name, "sets", w)) for kind in KINDS]
    shown = "".join(f"{_question(questions[kind], words)} {words[PLACES[kind]]}\n\n" for kind, words in EXAMPLES)
    return [
        _row(dict(zip(KINDS, words, strict=True)), kind, questions, shown, name)
        for words in zip(*by_kind, strict=False)
        for kind in asked
    ]


def _row(words: Mapping[str, str], kind: str, questions: Mapping[str, str], shown: str, name: str) -> dict[str, Any]:
    order = sorted(words.values(), key=lambda word: seed(name, "order", kind, word))
    return {
        "prompt": shown + _question(questions[kind], order),
        "gold": {"answer": LETTERS[order.index(words[kind])], "choices": dict(zip(LETTERS, order, strict=True))},
        "family": " ".join(words.values()),
        "asked": kind,
    }


def _question(question: str, words: Sequence[str]) -> str:
    listed = "\n".join(f"{letter}) {word}" for letter, word in zip(LETTERS, words, strict=True))
    return f"{question}\n{listed}\nAnswer:"
