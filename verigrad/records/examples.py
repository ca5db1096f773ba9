"""What the loops without sampling learn from: Pair, Labelled, Demonstration. Answers are texts; models make tokens.

Left out: where they come from (data) and what a task says about its right answer (its gold stays for verifiers).
"""

from __future__ import annotations

from dataclasses import dataclass

from verigrad.records.task import Task


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A preference: of two answers to one prompt, the better.

    >>> Pair(task=Task.make(prompt="What is 7 + 5?"), chosen="It is 12.", rejected="12").margin
    0.0
    """

    task: Task
    """What was asked."""
    chosen: str
    """The better answer."""
    rejected: str
    """The worse answer."""
    margin: float = 0.0
    """How much better, at least 0, in the units of a reward model's score; 0 where nobody said."""


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """One answer that someone called good or bad, without a partner (KTO, unpaired AOT).

    >>> Labelled(task=Task.make(prompt="What is 7 + 5?"), answer="13", good=False).good
    False
    """

    task: Task
    """What was asked."""
    answer: str
    """The answer."""
    good: bool
    """Whether it is to become likelier."""


@dataclass(frozen=True, kw_only=True)
class Demonstration:
    """One answer to be imitated (SFT).

    >>> Demonstration(task=Task.make(prompt="What is 7 + 5?"), answer="12").answer
    '12'
    """

    task: Task
    """What was asked."""
    answer: str
    """What the model should say."""
