"""Text made comparable: what two prompts share when they differ only in form. Leaves out synonyms and paraphrases.

Used for families (the prompt, normalised) and for the leak check.
"""

from __future__ import annotations

import re
import unicodedata

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
_OPERATORS = frozenset("-*/%()[]")
_SEPARATORS = frozenset(".,:")


def normalise(text: str) -> str:
    """NFKC, case folded, punctuation and white space folded to single spaces.

    Punctuation that carries arithmetic stays, so that "12 - 5" and "12 * 5" are two questions: an operator or bracket
    beside a digit or between spaces, a point or comma between digits. Text of nothing but punctuation keeps it.

    >>> normalise("What is  7*8 ?") == normalise("what is 7 * 8")
    True
    """
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_DASHES)
    out = []
    for i, char in enumerate(folded):
        category = unicodedata.category(char)
        if category == "Cf":
            continue
        if category[0] in "ZC":
            out.append(" ")
        elif category[0] == "S":
            out.append(f" {char} ")
        elif category[0] == "P":
            out.append(_punctuation(char, folded[i - 1 : i], folded[i + 1 : i + 2]))
        else:
            out.append(char)
    return " ".join("".join(out).split()) or " ".join(folded.split())


def _punctuation(char: str, before: str, after: str) -> str:
    if char in _SEPARATORS:
        return char if before.isdigit() and after.isdigit() else " "
    if char in _OPERATORS and (before.isdigit() or after.isdigit() or (before.isspace() and after.isspace())):
        return f" {char} "
    return " "


def one_line(text: object, limit: int = 80) -> str:
    """`text` on one line of at most `limit` characters, for an error message."""
    line = re.sub(r"\s+", " ", str(text)).strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"
