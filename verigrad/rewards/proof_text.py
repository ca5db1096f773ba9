"""Proof texts before anything runs: comments and strings out, forbidden words, look-alike characters, the statement.

A reading in front of the compiler, on purpose narrower than its grammar: what is doubtful is refused, and what is let
through is compiled against our own copy of the statement. Left out: each prover's words (provers).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_TEXT = 30_000
"""Characters of a proof."""

_KNOWN = frozenset(
    "∀∃∄λΠΣ→←↔⇒⇔↦∧∨¬≤≥≠≈≡∈∉⊆⊂∪∩∅∘·•×÷±√∑∏∞⟨⟩⟪⟫‹›⌊⌋⌈⌉∣∥⊢⊤⊥▸◁▷…′″ℕℤℚℝℂ𝔽αβγδεζηθικμνξπρστυφχψωΓΔΘΛΞΦΨΩ"
    "₀₁₂₃₄₅₆₇₈₉ₙₘᵢⱼ⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ∙‖∃!"
)
"""Characters beyond ASCII that proofs are written with; none looks like a Latin letter."""


@dataclass(frozen=True, kw_only=True)
class Comments:
    """How a language marks what it passes over."""

    open: str
    """Opens a comment that nests."""
    close: str
    """Closes it."""
    line: str = ""
    """Opens one that ends with its line."""
    strings_inside: bool = False
    """A text inside a comment hides a closing mark (Coq)."""
    escape: str = ""
    """Escapes a quote inside a text (Lean); else a quote is doubled."""


def stripped(text: str, marks: Comments) -> str | None:
    """The text with every comment as a blank and every quoted text as ""; None where one is never closed."""
    out, at, depth = list[str](), 0, 0
    while at < len(text):
        if text.startswith(marks.open, at):
            depth, at = depth + 1, at + len(marks.open)
        elif depth and text.startswith(marks.close, at):
            depth, at = depth - 1, at + len(marks.close)
            out.append(" ")
        elif marks.line and not depth and text.startswith(marks.line, at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text[at] == '"' and (not depth or marks.strings_inside):
            end = _closing(text, at + 1, marks.escape)
            if end < 0:
                return None
            out.append('""' if not depth else "")
            at = end + 1
        else:
            if not depth:
                out.append(text[at])
            at += 1
    return None if depth else "".join(out)


def _closing(text: str, at: int, escape: str) -> int:
    while at < len(text):
        if escape and text[at] == escape:
            at += 2
        elif text[at] == '"':
            return at
        else:
            at += 1
    return -1


def look_alike(text: str, goal: str) -> str:
    """The first character that is neither ASCII, nor one proofs are written with, nor in the statement."""
    for c in text:
        if not (c.isascii() and (c.isprintable() or c in "\n\t")) and c not in _KNOWN and c not in goal:
            return f"the character U+{ord(c):04X}"
    return ""


def forbidden(text: str, words: Iterable[str]) -> str:
    """The first of the words that stands in the text as a word."""
    found = set(re.findall(r"[#@\w][\w!?']*", text))
    return next((word for word in sorted(words) if word in found), "")


def one_blank(text: str) -> str:
    """The text with every run of blanks as one, none beside punctuation."""
    text = " ".join(text.split())
    return re.sub(r" ?([^\w\s']) ?", r"\1", text)


def without(text: str, preamble: str) -> str:
    """The text without the preamble it begins by repeating, blanks aside; else as it is."""
    words = preamble.split()
    match = re.match(r"\s*" + r"\s+".join(map(re.escape, words)) + r"(?:\s|$)", text) if words else None
    return text[match.end() :] if match else text


def headers(text: str, keywords: str, name: str, stop: str) -> list[str]:
    """Every header (name, binders, type) of a theorem of that name, blanks made one."""
    found = re.finditer(rf"(?<![\w'.])(?:{keywords})\s+(?={re.escape(name)}(?![\w'.]))", text)
    out: list[str] = []
    for match in found:
        end = re.compile(stop).search(text, match.end())
        out.append(one_blank(text[match.end() : end.start() if end else len(text)]))
    return out


def cut(header: str) -> tuple[str, str]:
    """Binders and type: at the first colon outside brackets that is not :=. ("", "") where there is none."""
    depth = 0
    for i, c in enumerate(header):
        depth += (c in "([{⟨") - (c in ")]}⟩")
        if c == ":" and depth == 0 and header[i + 1 : i + 2] not in ("=", ":") and header[i - 1 : i] != ":":
            return header[:i].strip(), header[i + 1 :].strip()
    return "", ""
