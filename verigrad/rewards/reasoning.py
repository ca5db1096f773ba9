"""The form of an answer that reasons first: one block of reasoning, then the answer, whether the answer opens the block
or the chat template did. Left out: what the answer says (extract, verifiers).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Characters that are letters or signs by their category and print nothing."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """One block of reasoning and what follows it."""

    reasoning: str
    """Between the tags."""
    rest: str
    """After the closing tag."""


def block(text: str, *, tag: str = "think", opened: bool = False) -> Block | str:
    """The one block `text` begins with; a text says why there is none.

    `opened`: the template wrote the opening tag, so the text begins inside the block.

    >>> block("7 * 8 is 56</think> 56", opened=True)
    Block(reasoning='7 * 8 is 56', rest=' 56')
    """
    opening, closing = f"<{tag}>", f"</{tag}>"
    opens, closes = text.count(opening), text.count(closing)
    if closes == 0:
        return f"no {closing}" if opens or opened else f"no {opening}"
    if closes > 1:
        return f"{closes} times {closing}"
    if opens != (0 if opened else 1):
        if opened:
            return f"{opening}, which the template wrote already"
        return f"{opens} times {opening}" if opens else f"no {opening}"
    before, _, rest = text.partition(closing)
    if not opened:
        lead, opening_found, before = before.partition(opening)
        if not opening_found:
            return f"{closing} before {opening}"
        if lead.strip():
            return f"text before {opening}"
    return Block(reasoning=before, rest=rest)


def visible_chars(text: str) -> int:
    """Characters that print something, a run of white space as one; 0 where none of them is a letter or a digit."""
    shown = [c for c in " ".join(text.split()) if c == " " or _prints(c)]
    return len(shown) if any(c.isalnum() for c in shown) else 0


def _prints(char: str) -> bool:
    return char not in _BLANK_LETTERS and unicodedata.category(char)[0] not in "CZM"


def before_closing(text: str, *, tag: str) -> str:
    """The reasoning of a text that closes it, whoever opened it; all of a text that never does."""
    reasoning, closed, _ = text.partition(f"</{tag}>")
    return reasoning.replace(f"<{tag}>", " ") if closed else text.replace(f"<{tag}>", " ")
