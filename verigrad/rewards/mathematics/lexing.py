"""From spelled text to tokens. What a comma between digits is (thousands, a decimal comma, a list) the caller says.

Left out: grammar. Nothing is dropped silently: a sign nobody knows is a token that no grammar accepts.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from verigrad.rewards.mathematics import units
from verigrad.rewards.mathematics.trees import MAX_DIGITS, TooBig
from verigrad.rewards.spelling import words

MAX_TOKENS = 1_500


class Token(NamedTuple):
    """`kind`: num, rep (repeating decimal), sci, id (a symbol), cmd, text, word, op."""

    kind: str
    text: str
    spaced: bool = False
    """White space stands before it."""


_REPEATING = r"[0-9]*\.[0-9]*\\(?:overline|dot|widehat) ?(?:\{[0-9]{1,40}\}|[0-9])(?:[0-9]*\\dot ?\{?[0-9]\}?)?"
_BRACKETED = r"[0-9]+\.[0-9]*\([0-9]{1,40}\)"
_BEFORE = r"(?<![0-9.,(\[{])(?<![(\[{][-+ ])(?<![(\[{] [-+])"
_GROUPED = rf"{_BEFORE}[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+(?![0-9]|,[0-9])(?:\.[0-9]+)?"
_DECIMAL_COMMA = rf"{_BEFORE}0,[0-9]+(?![0-9]|[,.][0-9])"
_SCIENTIFIC = r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)[eE][-+]?[0-9]+(?![0-9A-Za-z])"
_NUM = r"[0-9]+\.[0-9]+|[0-9]+\.(?![0-9.A-Za-z])|[0-9]+|\.[0-9]+"
_REST = (
    r"|(?P<cjk>[\u4e00-\u9fff\u2460-\u2473]+)|(?P<text>\x01[^\x02]*\x02)|(?P<cmd>\\[A-Za-z]+|\\.)|(?P<word>[A-Za-z]+)"
    r"|(?P<dots>\.\.\.+)|(?P<op>=>|->|<=|>=|!=|==|\+-|[^\sA-Za-z0-9\\])|(?P<space>\s+)"
)
_SINGLE = re.compile(
    rf"(?P<rep>{_REPEATING}|{_BRACKETED})|(?P<sci>{_SCIENTIFIC})|(?P<num>{_GROUPED}|{_DECIMAL_COMMA}|{_NUM}){_REST}"
)
_GROUPS = re.compile(
    rf"(?P<rep>{_REPEATING}|{_BRACKETED})|(?P<sci>{_SCIENTIFIC})|(?P<num>{_GROUPED.replace(_BEFORE, '(?<![0-9.,])')}"
    rf"|{_NUM}){_REST}"
)
_SPACED_LIST = re.compile(r"[0-9],[0-9]{3}(?![0-9]).*[,;] |[,;] .*[0-9],[0-9]{3}(?![0-9])")
"""Members with a space between them: a comma without one groups."""
_LISTED = re.compile(rf"(?P<rep>{_REPEATING}|{_BRACKETED})|(?P<sci>{_SCIENTIFIC})|(?P<num>{_NUM}){_REST}")

_NAMED = words(
    "sin cos tan cot sec csc asin acos atan arcsin arccos arctan sinh cosh tanh ln log lg exp sqrt cbrt abs pi gcd lcm"
)
_WORDS = {
    "infinity": "\\infty", "inf": "\\infty", "oo": "\\infty", "Infinity": "\\infty", "Pi": "\\pi", "PI": "\\pi",
    "theta": "\\theta", "alpha": "\\alpha", "beta": "\\beta", "gamma": "\\gamma", "lambda": "\\lambda",
    "or": "\\or", "and": "\\and", "OR": "\\or", "AND": "\\and", "union": "\\cup", "U": "U", "percent": "%",
}  # fmt: skip
_SHORT_WORDS = words(
    "is the an at of to in on by we so it if be as no not are was has had but for all any get her his she he its let"
    " per out off yes one two six ten odd up do go me my us you our who why how when what did does now new old may can"
    " day sun mon tue wed thu fri sat red am pm cat dog boy men man"
)
_SIGNS = {"<=": "\\le", ">=": "\\ge", "!=": "\\ne", "==": "=", "=>": "\\Rightarrow", "->": "\\rightarrow",
          "+-": "\\pm"}  # fmt: skip


def tokens(text: str, *, listed: bool = False) -> list[Token]:
    """The tokens of a spelled text; `listed`: a comma between digits always separates. Raises TooBig."""
    out: list[Token] = []
    spaced = False
    pattern = _LISTED if listed else _SINGLE
    if not listed and "," in text and _SPACED_LIST.search(text):
        pattern = _GROUPS
    for match in pattern.finditer(text):
        kind, piece = match.lastgroup or "", match[0]
        if kind == "space":
            spaced = True
            continue
        if kind in ("num", "sci", "rep"):
            if len(piece) > MAX_DIGITS and sum(c.isdigit() for c in piece) > MAX_DIGITS:
                raise TooBig(f"a number of more than {MAX_DIGITS} digits")
            if "," in piece:
                piece = piece.replace(",", "." if piece.startswith("0,") else "")
            out.append(Token(kind, piece, spaced))
        elif kind == "word":
            _word(piece, spaced, out)
        elif kind == "cjk":
            out.append(Token("word", piece, spaced))
        elif kind == "text":
            out.append(Token("text", piece[1:-1].strip(), spaced))
        elif kind == "dots":
            out.append(Token("cmd", "\\ldots", spaced))
        elif piece in _SIGNS:
            out.append(Token("cmd" if _SIGNS[piece] != "=" else "op", _SIGNS[piece], spaced))
        elif piece == "/" or kind != "cmd" or len(piece) > 2 or piece[1].isalpha() or piece in ("\\{", "\\}", "\\\\"):
            out.append(Token(kind if piece != "%" else "op", piece, spaced))
        else:
            out.append(Token("op", piece, spaced))
        spaced = False
        if len(out) > MAX_TOKENS:
            raise TooBig(f"more than {MAX_TOKENS} signs")
    return out


def _word(piece: str, spaced: bool, out: list[Token]) -> None:
    """A run of letters: a name with a meaning, one symbol, a product of symbols, a unit behind a number, or a word."""
    if len(piece) == 1:
        out.append(Token("id", piece, spaced))
    elif piece in _NAMED:
        out.append(Token("cmd", "\\" + piece, spaced))
    elif piece in _WORDS:
        named = _WORDS[piece]
        out.append(Token("op" if named == "%" else "cmd", named, spaced))
    elif out and out[-1].kind in ("num", "rep", "sci") and units.known(piece):
        out.append(Token("word", piece, spaced))
    elif piece.isupper() and len(piece) <= 4:
        out.append(Token("id", piece, spaced))
    elif len(piece) <= 3 and piece.islower() and piece not in _SHORT_WORDS and not units.known(piece):
        for i, letter in enumerate(piece):
            out.append(Token("id", letter, spaced and i == 0))
    elif len(piece) <= 6 and (inside := _inside(piece)):
        for i, name in enumerate(inside):
            long = len(name) > 1
            out.append(Token("cmd" if long else "id", "\\" + name if long else name, spaced and not i))
    else:
        out.append(Token("word", piece, spaced))


def _inside(piece: str) -> tuple[str, ...] | None:
    """A function and its one-letter argument written together: sinx, lnx, xsinx."""
    match = re.fullmatch(r"([a-z]?)(sin|cos|tan|ln|log)([a-z])", piece)
    return tuple(p for p in match.groups() if p) if match else None
