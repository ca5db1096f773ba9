"""Python-style literals ({'name': 'Ann', 'ok': True}) read as data: nothing is ever evaluated.

Dicts, lists, texts in either quote, whole and decimal numbers, True, False, None and JSON's own words; a comma may
close a list. Left out: tuples, sets, bytes, prefixes, names, calls, arithmetic, adjacent texts.
"""

from __future__ import annotations

import re
from typing import Any

from verigrad.rewards.documents.limits import (
    MAX_DEPTH,
    MAX_NODES,
    Malformed,
    decimal,
    integer,
    text_fits,
    value_fits,
)
from verigrad.rewards.tokens import TooBig

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:(?P<mark>[][{}:,])|(?P<text>"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*')"""
    r"""|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![\w.]))|(?P<word>[A-Za-z]+(?!\w)))"""
)
_WORDS = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)")
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "'": "'", '"': '"', "/": "/"}


def read(text: str) -> Any:
    """The value. Raises Malformed or TooBig."""
    text_fits(text)
    reader = _Reader(text.strip(" \t\r\n"))
    value = reader.value(1)
    if reader.at != len(reader.text):
        raise Malformed("more text after the literal")
    value_fits(value)
    return value


class _Reader:
    """Where the reading is."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.nodes = text, 0, 0

    def value(self, depth: int) -> Any:
        kind, word = self._next()
        self.nodes += 1
        if depth > MAX_DEPTH + 1:
            raise TooBig(f"nested more than {MAX_DEPTH} deep")
        if self.nodes > MAX_NODES:
            raise TooBig(f"more than {MAX_NODES:,} values")
        if kind == "text":
            return _unescaped(word[1:-1])
        if kind == "number":
            return decimal(word) if re.search(r"[.eE]", word) else integer(word)
        if kind == "word" and word in _WORDS:
            return _WORDS[word]
        if word == "[":
            return self._list(depth)
        if word == "{":
            return self._dict(depth)
        raise Malformed(f"not a literal at {word[:20]!r}")

    def _list(self, depth: int) -> list[Any]:
        items: list[Any] = []
        while not self._take("]"):
            items.append(self.value(depth + 1))
            if not self._take(","):
                self._want("]")
                break
        return items

    def _dict(self, depth: int) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while not self._take("}"):
            kind, word = self._next()
            if kind != "text":
                raise Malformed("a key that is no text")
            key = _unescaped(word[1:-1])
            if key in items:
                raise Malformed(f"the key {key[:40]!r} twice")
            self._want(":")
            items[key] = self.value(depth + 1)
            if not self._take(","):
                self._want("}")
                break
        return items

    def _next(self) -> tuple[str, str]:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise Malformed(f"not a literal at {self.text[self.at : self.at + 20]!r}")
        self.at = match.end()
        kind = match.lastgroup or ""
        return kind, match[kind]

    def _take(self, mark: str) -> bool:
        match = _TOKEN.match(self.text, self.at)
        if match is None or match["mark"] != mark:
            return False
        self.at = match.end()
        return True

    def _want(self, mark: str) -> None:
        if not self._take(mark):
            raise Malformed(f"no {mark!r} at {self.text[self.at : self.at + 20]!r}")


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        word = match[1]
        if word[0] in "ux" and len(word) > 1:
            return chr(int(word[1:], 16))
        if word not in _SIMPLE:
            raise Malformed(f"the escape \\{word}")
        return _SIMPLE[word]

    return _ESCAPE.sub(one, text)
