"""From a short text to the one number it commits itself to, or a reason why not.

An expression ("8 * 10", "8/2", "2^10") is not a number, and no one of several numbers is taken. Left out: where in an
answer to look (extract), how a number is spelled (tokens), and comparing with the gold (the kind `number`).
"""

from __future__ import annotations

import re

from verigrad.rewards import context
from verigrad.rewards.spelling import words
from verigrad.rewards.tokens import Number, Token, TooBig, Unread, tokens

__all__ = ["Number", "TooBig", "Unread", "commit", "parse"]

_OPERATIONS = words("plus minus times multiplied divided over mod")
_AFTER = words(
    "hundred hundreds thousand thousands million millions billion billions trillion trillions dozen dozens k"
    " squared cubed factorial 百 千 万 亿"
)
_FACTORIAL = re.compile(r"[0-9] ?! ?(?:\$|\\[)\]])")
_LARGE = words("M B K T")
_INVERTED = words("Is Are Was Were Does Did Could Would Should What's")
_NEGATIONS = words("not never neither nor than least most isn't aren't wasn't or either between")
_QUESTION = words("what how which compute calculate find solve evaluate simplify determine")


def parse(text: str, *, boxed: bool = True) -> Number:
    r"""The number this text is, and nothing beside it (`boxed`: see commit). Raises Unread or TooBig.

    >>> parse(r"\frac{3}{4}").value, parse("1,640").value, parse("42.5%").value
    (Fraction(3, 4), Fraction(1640, 1), Fraction(17, 40))
    """
    found = tokens(text, boxed=boxed)
    numbers = [t for t in found if t.number]
    rest = [t for t in found if not t.number and t.text not in "().{}[]"]
    if len(numbers) != 1 or rest or numbers[0].number is None:
        raise Unread("not one number literal")
    return numbers[0].number


def commit(span: str, *, boxed: bool = False) -> Number:
    """The one number this span commits itself to.

    Exactly one literal, words around it allowed, or an equation (`=` or "is", "equals", "makes" ...) whose last right
    side holds exactly one literal: "8 * 10 = 80" commits 80. Raises Unread for none, several, a hedge, a negation, a
    question, an expression, a cut end; TooBig beyond our limits. `boxed`: the span is marked as the answer (a box, a
    tag), so that a lone minus is a minus and "!" is a factorial.

    >>> commit("That makes 64, counting the spare.").value
    Fraction(64, 1)
    """
    if not boxed and _FACTORIAL.search(span):
        raise Unread("not a number literal: a factorial")
    found = tokens(span, boxed=boxed)
    while (
        found
        and found[-1].kind == "mark"
        and found[-1].text in (".", ";", ",", '"', "'", ":") + (() if boxed else ("!",))
    ):
        found.pop()
    if not any(t.number or t.kind == "broken" for t in found):
        raise Unread("no number")
    if found[-1].kind in ("operator", "equal"):
        raise Unread("cut off after an operator")
    if not boxed and (found[0].text.lower() in _QUESTION or found[0].text in _INVERTED):
        raise Unread("a question, not an answer")
    segments: list[list[Token]] = [[]]
    for i, token in enumerate(found):
        if token.link and any(t.number or t.kind == "broken" for t in found[i + 1 :][:64]):
            segments.append([])
        else:
            segments[-1].append(token)
    final = _single(segments[-1], boxed=boxed)
    _stands(found, boxed=boxed)
    for place, segment in enumerate(segments[:-1]):
        _agrees(segment, final, first=place == 0)
    return final


def _single(tokens: list[Token], *, boxed: bool) -> Number:
    """The one number among the tokens of a right side."""
    found: Number | None = None
    for i, token in enumerate(tokens):
        word = token.text.lower()
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        if token.kind == "broken":
            raise Unread(f"not a number literal: {token.text[:40]}")
        if token.number:
            if found:
                raise Unread("several numbers")
            found = token.number
            if after and (after.text.lower() in _AFTER):
                raise Unread(f"not a number literal: {token.text} {after.text}")
        elif found and _aside(word, tokens[i - 1], after):
            continue
        elif word in _NEGATIONS:
            raise Unread(f"hedged or negated ({word})")
        elif (token.kind == "operator" or word in _OPERATIONS) and _operates(token, after):
            raise Unread("an expression, not a number")
        elif token.kind == "command" or token.text in "√π∞∑∫_^‰‱٪﹪" or (boxed and token.text in "!;"):
            raise Unread(f"not a number literal: {token.text}")
    if not found:
        raise Unread("no number")
    return found


def _aside(word: str, before: Token, after: Token | None) -> bool:
    """A word behind the number that only looks like an operation or a negation: 64 left over; 64, not counting two."""
    if word == "over":
        return before.text.lower() == "left"
    return word == "not" and after is not None and after.text.lower() in ("counting", "including")


def _stands(tokens: list[Token], *, boxed: bool) -> None:
    """Raises Unread where the words around the last number deny it or make another value of it."""
    at = max(i for i, t in enumerate(tokens) if t.number)
    before, after = (" ".join(t.text for t in part) for part in (tokens[:at], tokens[at + 1 :]))
    if any(t.text == "?" for t in tokens[at + 1 :]):
        raise Unread("a question, not an answer")
    if context.denied(before, after):
        raise Unread("denied or left open")
    beside = {t.text for t in (tokens[at - 1 : at] + tokens[at + 1 : at + 2])}
    if context.changed(before, after) or beside & {"!", "¬"} or (after and tokens[at + 1].text in _LARGE):
        raise Unread("a part of another value")


def _operates(token: Token, after: Token | None) -> bool:
    """An operator, not a dash: what follows can be an operand."""
    if token.text in "^±<>≤≥≠" or after is None:
        return True
    one_letter = after.kind == "word" and len(after.text) == 1
    return bool(after.number) or one_letter or after.kind in ("command", "broken") or after.text in ("(", "{", "by")


def _agrees(tokens: list[Token], final: Number, *, first: bool) -> None:
    """Raises Unread where an earlier side of an equation offers another answer."""
    numbers = [t.number for t in tokens if t.number]
    if not numbers:
        return
    if any(t.text.lower() in ("or", "either") for t in tokens):
        raise Unread("hedged (or)")
    if first:
        if len(tokens) == len(numbers) == 1 and numbers[0].value != final.value:
            raise Unread("several numbers")
        return
    separators = [i for i, t in enumerate(tokens) if t.text.lower() in (",", ";", "and")]
    if (
        separators
        and any(t.number for t in tokens[: separators[-1]])
        and any(t.number for t in tokens[separators[0] :])
    ):
        raise Unread("several answers")
    operates = any(t.kind == "operator" or t.text.lower() in _OPERATIONS for t in tokens)
    if len(numbers) == 1 and not operates and numbers[0].value != final.value:
        raise Unread("several numbers")
