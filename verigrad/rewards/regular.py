r"""Regular expressions on hostile text: RE2 (linear time) first, Python's `re` for what RE2 cannot.

RE2 has no backreferences and no lookaround; a pattern with them is matched by `re`, which may take for ever, and so in
a killable process (`slow`). Both mean the same here: \d \w \s \b are ASCII, $ is the end of the text (never before a
last line break), the dot is no line break. Left out: which text is matched (verifiers).
"""

from __future__ import annotations

import functools
import re
import warnings
from typing import Any, Literal

MAX_PATTERN = 4_000
"""Characters of a pattern."""
MAX_TEXT = 100_000
"""Characters of a text that is matched."""

_LONE = re.compile("[\ud800-\udfff]")
"""Half a character, which RE2 cannot take."""
How = Literal["full", "search"]


@functools.lru_cache(maxsize=512)
def linear(pattern: str, *, ignore_case: bool = False) -> Any:
    """The pattern compiled by RE2; None where RE2 cannot."""
    import re2

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.max_mem = 16 << 20
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None


def matches(compiled: Any, text: str, how: How) -> bool:
    """Whether a compiled pattern matches the whole text, or somewhere in it."""
    return (compiled.fullmatch(text) if how == "full" else compiled.search(text)) is not None


def whole(text: str) -> str:
    """The text with every half of a character as U+FFFD."""
    return _LONE.sub("\ufffd", text)


def refused(pattern: str) -> str:
    """Why the pattern cannot be used at all; empty where it can. May be slow for hostile patterns, never for texts."""
    if len(pattern) > MAX_PATTERN:
        return f"a pattern of more than {MAX_PATTERN:,} characters"
    if linear(pattern) is not None:
        return ""
    try:
        _slow(pattern, False)
    except (re.error, RecursionError, OverflowError) as error:
        return f"not a regular expression: {str(error)[:100]}"
    return ""


def slow(pattern: str, text: str, how: How, ignore_case: bool) -> bool:
    """Runs in a killable process: by RE2 where it can, else by `re`. Raises re.error."""
    compiled = linear(pattern, ignore_case=ignore_case)
    return matches(_slow(pattern, ignore_case) if compiled is None else compiled, text, how)


@functools.lru_cache(maxsize=512)
def _slow(pattern: str, ignore_case: bool) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(_ends(pattern), re.ASCII | (re.IGNORECASE if ignore_case else 0))


def _ends(pattern: str) -> str:
    r"""The pattern with every bare $ as \Z, unless it asks for lines (?m)."""
    if re.search(r"\(\?[aisux]*m", pattern):
        return pattern
    out, inside, at = list[str](), False, 0
    while at < len(pattern):
        piece = pattern[at : at + 2] if pattern[at] == "\\" else pattern[at]
        if piece == "[" and not inside:
            inside = True
            # a ] that comes first is a member of the class
            piece += _first(pattern, at + 1)
        elif piece == "]":
            inside = False
        out.append("\\Z" if piece == "$" and not inside else piece)
        at += len(piece)
    return "".join(out)


def _first(pattern: str, at: int) -> str:
    match = re.compile(r"\^?\]?").match(pattern, at)
    return match[0] if match else ""
