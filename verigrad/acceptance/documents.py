"""A grader's own reading of documents: a JSON parser of a few lines, typed and bounded, and where the document stands.

Numbers keep their spelling's type (4 is whole, 4.0 is not). Refused: duplicate keys, NaN and Infinity, lone surrogates,
control characters, more than 64 levels, more than 128 digits, 100,000 characters. Left out: validation (schema_worker).
"""

from __future__ import annotations

import math
import re
from typing import Any

from verigrad.acceptance.reading import after_reasoning

MAX_TEXT = 100_000
MAX_LEVELS = 64
MAX_DIGITS = 128

_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"true": True, "false": False, "null": None}
_BLOCK = re.compile(
    r"^[ \t]*(```++|~~~++)[ \t]*([\w+./-]*)[^\n]*\n(.*?)^[ \t]*\1[`~]*[ \t]*$", re.DOTALL | re.MULTILINE
)


class NoDocument(ValueError):
    """The text is no bounded document; says why."""


def parse(text: str) -> Any:
    """The JSON value a text is. Raises NoDocument."""
    if len(text) > MAX_TEXT:
        raise NoDocument("too long")
    value, at = _value(text, _skip(text, 0), 0)
    if _skip(text, at) != len(text):
        raise NoDocument("text after the value")
    return value


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int, level: int) -> tuple[Any, int]:
    if at >= len(text):
        raise NoDocument("ends too early")
    c = text[at]
    if c in "{[":
        if level >= MAX_LEVELS:
            raise NoDocument("too deep")
        return _object(text, at, level) if c == "{" else _array(text, at, level)
    if c == '"':
        return _text(text, at)
    for word, value in _WORDS.items():
        if text.startswith(word, at):
            return value, at + len(word)
    match = _NUMBER.match(text, at)
    if match is None or match.end() == at:
        raise NoDocument(f"no value at {text[at : at + 10]!r}")
    if match.end() - at > MAX_DIGITS:
        raise NoDocument("too many digits")
    if match[1] or match[2]:
        number = float(match[0])
        if not math.isfinite(number):
            raise NoDocument("too large a number")
        return number, match.end()
    return int(match[0]), match.end()


def _array(text: str, at: int, level: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return items, at + 1
    while True:
        item, at = _value(text, at, level + 1)
        items.append(item)
        at = _skip(text, at)
        mark, at = text[at : at + 1], at + 1
        if mark == "]":
            return items, at
        if mark != ",":
            raise NoDocument("an array without , or ]")
        at = _skip(text, at)


def _object(text: str, at: int, level: int) -> tuple[dict[str, Any], int]:
    items: dict[str, Any] = {}
    at = _skip(text, at + 1)
    if text[at : at + 1] == "}":
        return items, at + 1
    while True:
        if text[at : at + 1] != '"':
            raise NoDocument("a key that is no text")
        key, at = _text(text, at)
        at = _skip(text, at)
        if key in items or text[at : at + 1] != ":":
            raise NoDocument("a key twice, or without :")
        items[key], at = _value(text, _skip(text, at + 1), level + 1)
        at = _skip(text, at)
        mark, at = text[at : at + 1], at + 1
        if mark == "}":
            return items, at
        if mark != ",":
            raise NoDocument("an object without , or }")
        at = _skip(text, at)


def _text(text: str, at: int) -> tuple[str, int]:
    parts: list[str] = []
    at += 1
    while True:
        match = _PLAIN.match(text, at)
        end = match.end() if match else at
        parts.append(text[at:end])
        mark = text[end : end + 1]
        if mark == '"':
            break
        if mark != "\\":
            raise NoDocument("a text that is not closed")
        code = text[end + 1 : end + 2]
        if code == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", text[end + 2 : end + 6]):
            parts.append(chr(int(text[end + 2 : end + 6], 16)))
            at = end + 6
        elif code in _ESCAPES and code:
            parts.append(_ESCAPES[code])
            at = end + 2
        else:
            raise NoDocument("an unknown escape")
    joined = "".join(parts)
    if re.search("[\ud800-\udfff]", joined):
        joined = joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if "\ufffd" in joined:
            raise NoDocument("half a character")
    return joined, end + 1


def candidates(answer: str, marks: tuple[str, ...], *, bare: bool) -> list[str] | str:
    """The texts an answer offers as its document, all of which must say the same; a text says why there is none.

    What the answer tags hold; the code blocks marked with one of `marks`, or else those without a mark; else the whole
    text; with `bare`, else what stands from its first bracket to the last, nothing but prose around it.
    """
    text = after_reasoning(answer)
    if text is None:
        return "unclosed reasoning"
    tags = re.findall(r"(?is)<answer>(.*?)</answer>", text)
    if len(tags) != len(re.findall(r"(?i)</?answer>", text)) / 2:
        return "answer tags that do not match"
    found: list[str] = []
    for part in tags or [text]:
        if len(re.findall(r"(?m)^[ \t]*(?:```|~~~)", part)) % 2 and not re.search(r"(?m)^[ \t]*```.*```[ \t]*$", part):
            return "an unclosed code block"
        blocks = [(m[2].lower(), m[3]) for m in _BLOCK.finditer(part)]
        chosen = [body for mark, body in blocks if mark in marks] or [body for mark, body in blocks if not mark]
        if chosen and bare:
            chosen += [x for x in _BLOCK.sub("", part).split("\n") if re.fullmatch(r"\s*[\[{].*[\]}]\s*", x)]
        found += chosen or [_between(part) if bare else part]
    found = [f.strip() for f in found]
    return found if all(found) and len(found) <= 20 else "no document"


def _between(text: str) -> str:
    text = text.strip()
    start = re.search(r"(?:^|\n|[:：.!])[ \t*]*(?=[\[{])", text)
    ends = [m.end() for m in re.finditer(r"[\]}](?=[ \t.]*(?:\n|$))", text)]
    if start is None or not ends or ends[-1] <= start.end() + 1 or text[:1] in '[{"':
        return text
    before = text[: start.end()].rpartition("\n")[2]
    denied = re.search(r"(?i)\b(?:not|never|wrong|incorrect)\b|n't\b", before)
    return "" if denied else text[start.end() : ends[-1]]


def equal(gold: Any, value: Any, *, strict: bool) -> bool:
    """One value: by type and content; a whole number may stand for a decimal gold, with `strict` never the reverse."""
    if type(gold) is type(value):
        if isinstance(gold, dict):
            return set(gold) == set(value) and all(equal(gold[k], value[k], strict=strict) for k in gold)
        if isinstance(gold, list):
            return len(gold) == len(value) and all(equal(a, b, strict=strict) for a, b in zip(gold, value, strict=True))
        return bool(gold == value)
    pair = (type(gold), type(value))
    return pair in ((float, int), *(() if strict else ((int, float),))) and bool(gold == value)
