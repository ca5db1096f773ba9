r"""Pieces of tokens: without delimiters, cut at separators outside brackets, a name on the left, words alone.

Left out: what the pieces together say (statements).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from verigrad.rewards import context
from verigrad.rewards.mathematics import lexing, regions
from verigrad.rewards.mathematics.lexing import Token
from verigrad.rewards.mathematics.trees import MAX_ITEMS, Collection, Text, TooBig, Unread, Value

OPEN = {"(": ")", "[": "]", "{": "}", "\\{": "\\}", "\\langle": "\\rangle", "\\begin": "\\end"}
CLOSE = frozenset((")", "]", "}", "\\}", "\\rangle", "\\end"))
_JOINS = {
    "or": "\\or", "and": "\\and", "and/or": "\\or", "或": "\\or", "或者": "\\or", "和": "\\and", "且": "\\and",
    "与": "\\and", ",": ",", "\\lor": "\\or", "\\land": "\\and", "\\or": "\\or", "\\and": "\\and", ";": ";",
    ", and": "\\and", ", or": "\\or", "&": "\\and",
}  # fmt: skip
_EMPTY = frozenset(("no solution", "no solutions", "no real solution", "no real solutions", "empty set",
                    "the empty set", "无解", "空集"))  # fmt: skip
_LINES = frozenset(("all real numbers", "all reals", "real numbers", "全体实数"))
PAIRED = re.compile(
    r"\$\$([^$]+)\$\$|\$(?=[^\s$])([^$]*)(?<=[^\s$])\$(?![0-9])|\$\s([^$]+?)\s\$"
    r"|\$([^$]*\\[A-Za-z][^$]*)\$(?![0-9])"
)
"""Mathematics between dollar signs; two prices are no pair ($5 or $6). With a command in it a space may stand inside
one of them alone."""
_TEXT_SIGNS = frozenset(("(", ")", "[", "]", "'", "-", '"', ".", ",", "/", "{", "}"))


def undelimited(text: str) -> str:
    r"""Without $...$, \(...\), \[...\]; a currency sign (escaped, or not one of a pair) becomes ¤."""
    text = text.replace("\\$", "¤")
    if "$" in text:
        text = PAIRED.sub(lambda m: " " + next(g for g in m.groups() if g) + " ", text).replace("$", "¤")
    return re.sub(r"(?<!\\)\\[()\[\]]", " ", text) if "\\" in text else text


def prepared(tokens: list[Token]) -> list[Token]:
    """Texts that only join, wrap a number or say a word are put in their place; closing punctuation goes."""
    out: list[Token] = []
    for token in tokens:
        if token.kind == "text":
            join = _JOINS.get(token.text.strip().lower())
            if join:
                out.append(Token("cmd" if join[0] == "\\" else "op", join, token.spaced))
                continue
            inner = lexing.tokens(token.text)
            if not inner:
                continue
            words = any(t.kind == "word" for t in inner)
            unit = bool(out) and out[-1].kind in ("num", "rep", "sci")
            if not words and (not unit or inner[0].text == "%" or any(t.kind == "num" for t in inner)):
                out.extend(inner)
                continue
        elif token.kind in ("cmd", "word") and token.text in _JOINS:
            token = Token("cmd", _JOINS[token.text], token.spaced)
        out.append(token)
    while out and out[-1].text in (".", ",", ";", ":", "`", "\\\\") and out[-1].kind in ("op", "cmd"):
        out.pop()
    while out and out[0].text in (".", ",", ";", ":", "`", "\\\\", "\\Rightarrow", "\\therefore", "\\because"):
        out.pop(0)
    return out


def split(tokens: Sequence[Token], at: frozenset[str]) -> tuple[list[list[Token]], list[str]]:
    """The pieces between separators outside brackets, and the separators. Brackets of unlike kind may close each
    other: [0, 6).
    """
    parts: list[list[Token]] = [[]]
    found: list[str] = []
    depth = 0
    for token in tokens:
        if token.kind in ("op", "cmd"):
            depth += (token.text in OPEN) - (token.text in CLOSE)
            if depth <= 0 and token.text in at:
                parts.append([])
                found.append(token.text)
                if len(found) > MAX_ITEMS:
                    raise TooBig(f"more than {MAX_ITEMS} members")
                continue
        parts[-1].append(token)
    return parts, found


def label_of(tokens: list[Token]) -> str:
    r"""The compact text of a left side that is only a name: x, f(2), AB, \angle BCA, the area; "" for anything else."""
    if "".join(t.text for t in tokens[:4]).startswith("\\frac{d") and all(
        t.kind == "id" or t.text in ("\\frac", "{", "}", "^", "2", "(", ")") for t in tokens
    ):
        return "".join(t.text for t in tokens)  # dy/dx
    depth, letters, out = 0, 0, []
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else None
        if token.kind in ("num", "rep", "sci"):
            if not depth and not (before is not None and before.text == "_") and not (before and before.kind == "text"):
                return ""
        elif token.kind == "op":
            if token.text in ("(", "{", "["):
                depth += 1
            elif token.text in (")", "}", "]"):
                depth -= 1
            elif token.text not in ("_", "'", "|", ",", ":") and not (depth and token.text in "+-*/^"):
                return ""
            if token.text == "(" and before is None and len(tokens) > 1 and not _names_only(tokens):
                return ""
        elif token.kind == "id":
            letters += not depth
            both = before is not None and before.kind == "id" and not depth and not token.spaced
            if both and before is not None and all(len(t.text) == 1 and t.text.islower() for t in (token, before)):
                return ""  # xy is a product
        elif token.kind == "cmd" and token.text in ("\\frac", "\\sqrt", "\\ldots", "\\pm", "\\begin"):
            return ""
        out.append(token.text)
    if not letters and not any(t.kind in ("word", "text", "cmd", "id") for t in tokens):
        return ""
    said = " ".join(t.text for t in tokens if t.kind in ("word", "text"))
    if said and (context.denied(said + " ") or context.changed(said + " ", "")):
        raise Unread("denied, left open or a part of another value")
    return "".join(out)


def _names_only(tokens: list[Token]) -> bool:
    return all(t.kind == "id" or t.text in ("(", ")", ",") for t in tokens)


def text_of(tokens: list[Token]) -> Value | None:
    """Words alone. Some words say a set."""
    words = [t for t in tokens if t.kind in ("word", "text")]
    if not words or any(
        t.kind in ("num", "rep", "sci", "cmd") or (t.kind == "op" and t.text not in _TEXT_SIGNS) for t in tokens
    ):
        return None
    if tokens[0].text == "¤":
        return None
    said = "".join((" " if t.spaced and i else "") + t.text for i, t in enumerate(tokens))
    said = re.sub(r"\s+", " ", said).strip(" .,;:()[]{}\"'").casefold()
    if said in _EMPTY:
        return Collection((), braces=True)
    return regions.LINE if said in _LINES else Text(said)
