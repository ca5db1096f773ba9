"""The task of every claim: additions, asked in three manners, and words to copy where no number is wanted.

    c47+8 -> 55                 curt
    p47+8 -> 55.....            the number, then dots that mean nothing, as many as the model likes
    m47+8 -> 55  or  7+8=15:55  curt or explained, whichever the model likes
    wbag  -> bag                off-task: copy the letters

A fifth of all additions is held out: never shown in the warm-up, never trained on. The number read is the one after
the last colon, else the one at the beginning. Left out: rewards other than being right (each claim has its own).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from verigrad.records import Task, Verdict, seed
from verigrad.records.verdict import right, unreadable, wrong

SHAPE = re.compile(r"(?:[0-9+=]*:)?(\d{1,4})(\.*)")
"""What an answer to an addition looks like: perhaps steps and a colon, a number, perhaps dots."""
MANNERS = ("c", "p", "m")
MEAN_DOTS = 6.0
"""Mean number of dots in the warm-up's answers; geometric, so that every further dot is as likely as the first."""


def addition(manner: str, a: int, b: int) -> Task:
    """One question; family and gold say the numbers."""
    return Task.make(prompt=f"{manner}{a}+{b}", gold=a + b, family=f"{a}+{b}", columns={"a": a, "b": b}, source="sums")


def held_out(a: int, b: int) -> bool:
    """Whether this addition is kept for measuring; the same in every run."""
    return seed("claims held out", a, b) % 5 == 0


def additions(manner: str, *, kept: bool, rng: np.random.Generator) -> Iterator[Task]:
    """Additions of a number from 10 to 99 and one from 2 to 9 without end, held out (`kept`) or not."""
    while True:
        a, b = int(rng.integers(10, 100)), int(rng.integers(2, 10))
        if held_out(a, b) == kept:
            yield addition(manner, a, b)


def words(rng: np.random.Generator) -> Iterator[Task]:
    """Three of the first eight letters to copy, without end."""
    while True:
        word = "".join(chr(97 + int(x)) for x in rng.integers(0, 8, size=3))
        yield Task.make(prompt=f"w{word}", gold=word, source="words")


def curt(task: Task) -> str:
    """The number alone."""
    return str(task.gold)


def dotted(task: Task, dots: int) -> str:
    """The number, and so many dots."""
    return f"{task.gold}{'.' * dots}"


def explained(task: Task) -> str:
    """The last digits added first, then the number: 7+8=15:55."""
    a, b = task.columns["a"], task.columns["b"]
    return f"{a % 10}+{b}={a % 10 + b}:{task.gold}"


def is_explained(answer: str) -> bool:
    """Whether steps stand before the number."""
    return ":" in answer


def demonstration(rng: np.random.Generator, task: Task) -> str:
    """A right answer to imitate, in a manner the question allows."""
    manner = task.prompt[-1]["content"][0]
    if manner == "w":
        return str(task.gold)
    if manner == "p":
        return dotted(task, int(rng.geometric(1 / (1 + MEAN_DOTS)) - 1))
    return explained(task) if manner == "m" and rng.random() < 0.5 else curt(task)


def has_format(answer: str) -> bool:
    """Whether it looks like an answer to an addition, right or wrong."""
    return SHAPE.fullmatch(answer) is not None


def verify(answer: str, task: Task) -> Verdict:
    """Right iff the answer has the format and its number is the sum (a word: iff it is copied)."""
    if task.source == "words":
        return right(answer, rule="copied") if answer == task.gold else wrong(answer, rule="copied")
    found = SHAPE.fullmatch(answer)
    if found is None:
        return unreadable("no number where one belongs", rule="sum")
    return right(found[1], rule="sum") if int(found[1]) == task.gold else wrong(found[1], rule="sum")
