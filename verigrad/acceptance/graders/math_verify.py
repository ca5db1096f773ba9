"""Grader `math_verify`: one committed mathematical answer against a gold in LaTeX or plain, compared by math_verify.

A gold that is a literal number is graded exactly as by `number`. Else the answer must commit to one bounded string (a
box, answer tags, ####, "the answer is ...", or nothing but itself) that neither lists nor hedges unless the gold
does; that string alone is compared. Left out: what math_verify itself takes for equal in expressions (it rounds
decimals to six places there); golds of another type belong to another grader.
"""

from __future__ import annotations

import re

from verigrad.acceptance.comparing import equal
from verigrad.acceptance.graders import number
from verigrad.acceptance.literals import fold, gold_number, unwrap
from verigrad.acceptance.reading import committed, explicit
from verigrad.records import Grade, Task

MAX_LENGTH = 500
_LIST = re.compile(r"\bor\b|\band\b|\\pm|±|\\vee|\\lor|;", re.IGNORECASE)
_OPEN_ENDED = re.compile(r"\\[lc]?dots|\.\.\.|…")
_FUNCTIONS = ("sin", "cos", "tan", "log", "sqrt", "exp")
_INNER = r"\s?(?:[0-9]+|[a-z]|\{[^{}^]{0,6}|\([^()^]{0,6})\s?"
_TOWER = re.compile(rf"\^{_INNER}\^|\*\*{_INNER}\*\*|[0-9]{{40}}|\^\s?\{{?[0-9]{{4}}|!\s?!|[0-9]{{4}}\s?!")


def grade(answer: str, task: Task) -> Grade:
    """Strict by the one committed string, lenient by the last box or line; ungraded where the gold is unreadable."""
    if gold_number(task.gold) is not None:
        return number.grade(answer, task)
    gold = expression(task.gold, shout=False) if isinstance(task.gold, str) else None
    if gold is None or len(_words(gold)) > 1:
        return Grade(strict="ungraded", lenient="ungraded", reason="the gold is no bounded expression")
    reading = committed(
        answer,
        lambda segment: _alone(segment, gold),
        same=lambda text: re.sub(r"\s+", "", text),
        in_sentence=lambda segment: _alone(segment, gold),
        speaks=lambda sentence: True,
    )
    last = _last(answer, gold)
    lenient, why = equal(gold, last) if last is not None else ("unreadable", "no expression")
    if reading.value is None:
        return Grade(strict="unreadable", lenient=lenient, reason=reading.reason)
    strict, reason = (lenient, why) if reading.value == last else equal(gold, reading.value)
    return Grade(strict=strict, lenient=lenient, read=reading.value, reason=reason)


def expression(text: str, *, shout: bool = True) -> str | None:
    """A bounded expression without wrappers, or None: empty, too long, open-ended (1, 2, ...), or a tower of powers.

    `shout`: a ! that closes the text is an exclamation mark.
    """
    bare = unwrap(fold(text), brackets=False, shout=shout) if len(text) <= 4 * MAX_LENGTH else ""
    return bare if 0 < len(bare) <= MAX_LENGTH and not _TOWER.search(bare) and not _OPEN_ENDED.search(bare) else None


def _alone(segment: str, gold: str) -> str | None:
    shout = "!" not in gold
    text = expression(segment, shout=shout)
    if text is None or "?" in text:
        return None
    if "=" in text and "=" not in gold:
        if (_LIST.search(text) and not _LIST.search(gold)) or (_commas(text) and not _commas(gold)):
            return None  # x = 79; y = 80
        text = expression(text.rsplit("=", 1)[1], shout=shout)
    if text is None or (_LIST.search(text) and not _LIST.search(gold)) or _shape(text) != _shape(gold):
        return None
    return None if any(w not in gold for w in _words(text)) else text


def _words(text: str) -> list[str]:
    prose = re.sub(r"\\text\s?\{[^}]*\}|\\[a-zA-Z]+", " ", text)
    return [w for w in re.findall(r"[A-Za-z]{3,}", prose) if w not in _FUNCTIONS]


def _shape(text: str) -> tuple[str, list[str]]:
    """What math_verify drops: the brackets of a list (1, 4 is neither (1, 4) nor [1, 4)), and subscripts (25_8)."""
    bare = text.replace("\\left", "").replace("\\right", "").strip()
    subscripts = sorted(re.findall(r"_\s?\{?\s?([0-9A-Za-z]+)", bare))
    if _commas(bare):
        return "list", subscripts
    if _commas(bare[1:-1]) and bare[:1] in "([" and bare[-1:] in ")]":
        return bare[0] + bare[-1], subscripts
    return "", subscripts


def _commas(text: str) -> bool:
    """A comma outside brackets that is no thousands separator."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0 and not re.match(r"[0-9]{3}(?![0-9])", text[i + 1 :]):
            return True
    return False


def _last(answer: str, gold: str) -> str | None:
    found = explicit(answer[-4 * MAX_LENGTH :])
    segments = [] if isinstance(found, str) else found[0]
    lines = [line for line in answer[-4 * MAX_LENGTH :].splitlines() if line.strip()]
    for text in [*reversed(segments), *reversed(lines[-1:])]:
        if (last := _alone(text, gold)) is not None:
            return last
    return None
