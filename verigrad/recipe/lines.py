"""The line of every key of a TOML text, which tomllib does not tell. Only for text that tomllib has read.

Follows the grammar of TOML 1.0: bare, quoted and dotted keys, four kinds of strings, arrays and inline tables over
several lines, comments. Left out: values, which tomllib reads, and errors, which tomllib has raised already.
"""

from __future__ import annotations

import tomllib
from bisect import bisect_right

Path = tuple[str | int, ...]
"""Keys and list indices from the top: ("reward", 0, "weight")."""


def key_lines(text: str) -> dict[Path, int]:
    """The line, from 1, on which each table, key and list item begins; a table's is its first header or dotted key."""
    return _Scanner(text.replace("\r\n", "\n")).scan()


class _Scanner:
    """Where in the text one is, and what was found so far."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.starts = [0] + [i + 1 for i, c in enumerate(text) if c == "\n"]
        self.found: dict[Path, int] = {}
        self.counts: dict[Path, int] = {}

    def scan(self) -> dict[Path, int]:
        """Statement after statement."""
        table: Path = ()
        while self._skip():
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self.found

    def _line(self) -> int:
        return bisect_right(self.starts, self.at)

    def _note(self, path: Path) -> None:
        self.found.setdefault(path, self._line())

    def _skip(self) -> bool:
        """Past blanks, line ends and comments; False at the end of the text."""
        while self.at < len(self.text):
            if self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text[self.at] in " \t\n":
                self.at += 1
            else:
                return True
        return False

    def _blanks(self) -> None:
        while self.text[self.at] in " \t":
            self.at += 1

    def _header(self) -> Path:
        doubled = self.text.startswith("[[", self.at)
        start = self.at
        self.at += 2 if doubled else 1
        parts = self._key()
        after, self.at = self.at, start
        path: Path = ()
        for depth, part in enumerate(parts):
            path = (*path, part)
            self._note(path)
            if doubled and depth == len(parts) - 1:
                index = self.counts.get(path, 0)
                self.counts[path] = index + 1
                path = (*path, index)
                self._note(path)
            elif path in self.counts:
                path = (*path, self.counts[path] - 1)
        self.at = self.text.index("]", after) + (2 if doubled else 1)
        return path

    def _key(self) -> list[str]:
        """A dotted key's parts; stops behind the last of them and its blanks."""
        parts = []
        while True:
            self._blanks()
            start = self.at
            if self.text[self.at] in "\"'":
                self._string()
                parts.append(str(tomllib.loads(f"k = {self.text[start : self.at]}")["k"]))
            else:
                while self.text[self.at] not in " \t.=]":
                    self.at += 1
                parts.append(self.text[start : self.at])
            self._blanks()
            if self.text[self.at] != ".":
                return parts
            self.at += 1

    def _pair(self, table: Path) -> None:
        start = self.at
        parts = self._key()
        after, self.at = self.at, start
        path = table
        for part in parts:
            path = (*path, part)
            self._note(path)
        self.at = after + 1
        self._blanks()
        self._value(path)

    def _value(self, path: Path) -> None:
        first = self.text[self.at]
        if first in "\"'":
            self._string()
        elif first == "[":
            self._items(path)
        elif first == "{":
            self._inline(path)
        else:
            while self.at < len(self.text) and self.text[self.at] not in ",]}#\n":
                self.at += 1

    def _items(self, path: Path) -> None:
        self.at += 1
        index = 0
        while self._skip() and self.text[self.at] != "]":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._note((*path, index))
            self._value((*path, index))
            index += 1
        self.at += 1

    def _inline(self, path: Path) -> None:
        self.at += 1
        while self._skip() and self.text[self.at] != "}":
            if self.text[self.at] == ",":
                self.at += 1
                continue
            self._pair(path)
        self.at += 1

    def _string(self) -> None:
        """Past a string of any of the four kinds."""
        quote = self.text[self.at]
        long = self.text.startswith(quote * 3, self.at)
        self.at += 3 if long else 1
        close = quote * 3 if long else quote
        while not self.text.startswith(close, self.at):
            self.at += 2 if quote == '"' and self.text[self.at] == "\\" else 1
        self.at += len(close)
        for _ in range(2 if long else 0):
            # A long string may end in one or two quotes of its own: the closing three are the last.
            self.at += self.text.startswith(quote, self.at)
