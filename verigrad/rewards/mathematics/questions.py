"""What stands in the question: expressions and equations that an answer must not merely repeat, or that are asked for.

Left out: understanding the question.
"""

from __future__ import annotations

import functools
import re

from verigrad.rewards.mathematics import shapes, statements
from verigrad.rewards.mathematics.trees import Relation, TooBig, Unread, Value

_MATHS = re.compile(r"\$\$?([^$]{1,400})\$\$?|\\\((.{1,400}?)\\\)|\\\[(.{1,400}?)\\\]")
_VERBS = re.compile(
    r"\b(?:compute|calculate|find|evaluate|simplify|solve|expand|factor|factorise|factorize|what is|determine|express"
    r"|write|convert|if|given|that|let|suppose)\b:?",
    re.IGNORECASE,
)
_CUT = re.compile(r"[?.;,](?=\s|$)|\b(?:as|for|in|to|and|when|where|with|is|then)\b")
MAX_QUESTION = 20_000
_MAX_PIECES = 60


@functools.lru_cache(maxsize=1024)
def said(question: str) -> tuple[object, ...]:
    """Shapes of everything mathematical in the question, sides of equations among them."""
    return tuple(shapes.shape(v) for v in _values(question))


@functools.lru_cache(maxsize=1024)
def expressions(question: str) -> list[object]:
    """Shapes of what stands there as no relation."""
    return [shapes.shape(v) for v in _values(question) if not isinstance(v, Relation)]


def _values(question: str) -> list[Value]:
    question = question[-MAX_QUESTION:]
    pieces = [next(g for g in m.groups() if g) for m in _MATHS.finditer(question)]
    bare = _MATHS.sub(" . ", question)
    for part in _VERBS.split(bare)[1:]:
        cut = _CUT.search(part)
        pieces.append(part[: cut.start()] if cut else part)
    out: list[Value] = []
    for piece in pieces[:_MAX_PIECES]:
        if not re.search(r"[0-9a-zA-Z]", piece) or len(piece) > 400:
            continue
        try:
            out.append(statements.read(piece))
        except (Unread, TooBig):
            continue
    return out
