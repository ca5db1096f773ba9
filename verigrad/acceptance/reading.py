"""Which part of an answer is the answer: the committed segments, all of which must say the same.

Strict reading: closed reasoning is set aside, unclosed reasoning is no answer, nor is one with struck-out text.
Explicit commitments (a box, answer tags, ####, "the answer is ...") must all be readable and agree with each other and
with what a later sentence commits to. Without one, the last sentence that speaks of a number must be a bare value, an
equation whose last side is one, or "... is VALUE"; every other bare value, every equation with the same left side, and
every equation of the same sentence (premises of a "so" aside) must agree with it. Left out: what a value is (the
caller's `read`), and any repair: a doubtful answer is unread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from verigrad.acceptance.literals import fold

MAX_ANSWER = 100_000
"""Characters of an answer that are looked at; a longer one is not read."""
_MAX_SEGMENT = 1_000
_MAX_SEGMENTS = 64
_MAX_SENTENCES = 2_000

T = TypeVar("T")

_BOX = re.compile(r"\\(?:boxed|fbox)\s?\{")
_TAGS = re.compile(r"<(/?)answer>", re.IGNORECASE)
_HASHES = re.compile(r"####[ \t]*([^\n]*)")
_PHRASE = re.compile(
    r"\b(?:answer|result|solution)s?\b(?:\s(?:to|of|for)\b[^.\n:=]{0,120}?)?[*\s]{0,4}(?:\bis\b|\bare\b|\bequals\b|=|:)[\s:*]{0,8}"
    r"|(?:答案|结果)\s?】?\s?(?:应该?)?(?:是|为|选|:)[\s:*]{0,8}|【答案】\s{0,4}|[故应]该?选择?\s?[\s:*]{0,8}",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"\n|[.!?](?=\s|$)")
_COPULA = re.compile(
    r"^(.*)\b(?:is|are|was|be|becomes|equals?(?: to)?|gives|gets?|got|makes|yields|have|has)\b:?\s*(\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = re.compile(r"^(\S{1,80}) is (?:the|our|my|your) (?:\w+ ){0,2}\w+$", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|probably|not|cannot|unsure|guess)\b|n['’]t\b|\?|或|不|吗", re.IGNORECASE
)
_NO_EQUATION = re.compile(r"[!<>~]=|[≠≤≥]")
_TAKEN_BACK = re.compile(
    r"\b(?:or|maybe|perhaps|possibly|alternatively|not|wait|actually|wrong|incorrect|no|unsure|instead|mistake|sorry)\b|n['’]t\b|或|不是|不对|错",
    re.IGNORECASE,
)
_NUMBER_WORD = re.compile(
    r"[0-9]|\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundred|thousand|million|billion|dozen)\b",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"~~[^~\n]{1,1000}~~|<(?:s|del|strike)>|\\(?:sout|st)\s?\{", re.IGNORECASE)
_CLAUSE_END = re.compile(r";|:\s|,(?![0-9]{3}(?![0-9]))|\b(?:and|but|while|whereas)\b|\\\\|\\q?quad\b|\|")
_CONCLUDES = re.compile(r"\s*(?:and\s+)?(?:so|then|thus|therefore|hence|which|making|giving)\b", re.IGNORECASE)
_PREMISE = re.compile(r"\W*(?:if|since|given|because|when|as|with|let|suppose|assuming)\b", re.IGNORECASE)
_WORKING = re.compile(r"\W*(?:[a-z]{2,12},? ){0,3}[-+$€£(]*[0-9][0-9\s.,+*/×÷·x^()$%-]*", re.IGNORECASE)
_IS = re.compile(r".*\b(?:is|are|equals)\b:?\s*(\S.*)", re.IGNORECASE | re.DOTALL)
_FILLER = re.compile(r"\b(?:the|my|our|final|correct|so|therefore|thus|hence|that)\b|[\s,:*_]", re.IGNORECASE)
_NEXT_NAME = re.compile(r"[0-9]\s+[^\W\d]\w{0,20}\s*$")
_FACTORIAL = re.compile(r"[0-9a-zA-Z)}\]]\s?!\s*[$}]*\s*$")
_DENIED = re.compile(r"\b(?:not|never|nor|cannot be|doubt|\w+n['’]t(?: be)?)\s*[$:(]*\s*(?:<answer>)?$", re.I)
"""What stands right before a box or tag that is named only to be refused."""
_REASONING = ("think", "thinking", "reasoning", "scratchpad")


@dataclass(frozen=True, kw_only=True)
class Reading(Generic[T]):
    """What strict reading found."""

    value: T | None
    """The one committed value; None = unread."""
    reason: str
    """Why it is unread; empty otherwise."""


def after_reasoning(text: str) -> str | None:
    """What follows the reasoning; None where a reasoning block was opened and never closed."""
    for tag in _REASONING:
        _, closed, tail = text.rpartition(f"</{tag}>")
        rest = tail if closed else text
        if f"<{tag}>" in rest:
            return None
        text = rest
    return text


def committed(
    answer: str,
    read: Callable[[str], T | None],
    *,
    same: Callable[[T], Hashable],
    in_sentence: Callable[[str], T | None] | None = None,
    speaks: Callable[[str], bool] | None = None,
) -> Reading[T]:
    """The one value an answer commits to.

    `read` gives the value that a whole segment is, or None; `same` what two values must share to agree; `in_sentence`
    reads a value out of a sentence (default: bare, last side of an equation, after "is"); `speaks` says whether a
    sentence speaks of values at all, so that a closing courtesy is passed over (default: it holds a number).
    """
    say = speaks or (lambda sentence: _NUMBER_WORD.search(sentence) is not None)
    inner = in_sentence or (lambda sentence: side(sentence, read, same))
    if len(answer) > MAX_ANSWER:
        return Reading(value=None, reason=f"longer than {MAX_ANSWER:,} characters")
    text = after_reasoning(fold(answer))
    if text is None:
        return Reading(value=None, reason="unclosed reasoning")
    if _STRUCK.search(text):
        return Reading(value=None, reason="struck-out text")
    found = explicit(text)
    if isinstance(found, str):
        return Reading(value=None, reason=found)
    segments, end = found
    values: list[T] = []
    for segment in segments:
        value = inner(segment) if len(segment) <= _MAX_SEGMENT else None
        if value is None:
            return Reading(value=None, reason="what it commits to is not one value")
        values.append(value)
    tail = sentences(text[end:])
    if len(tail) > _MAX_SENTENCES:
        return Reading(value=None, reason=f"more than {_MAX_SENTENCES:,} sentences")
    if segments:
        values += [v for s in tail if (v := inner(s)) is not None]
        rest = " ".join(tail)
    else:
        speaking = [i for i, s in enumerate(tail) if say(s)]
        last = inner(tail[speaking[-1]]) if speaking else None
        if last is None:
            return Reading(value=None, reason="no committed answer")
        values = [last, *(v for s in tail if (v := read(s)) is not None)]
        rest = " ".join(tail[speaking[-1] + 1 :])
        if _restated(tail, read, same):
            return Reading(value=None, reason="one left side with several right sides")
    if len({same(v) for v in values}) > 1:
        return Reading(value=None, reason="several candidates")
    if _TAKEN_BACK.search(rest):
        return Reading(value=None, reason="the answer is taken back or hedged")
    return Reading(value=values[0], reason="")


def explicit(text: str) -> tuple[list[str], int] | str:
    """Segments that are said to be the answer, and where the last of them ends; a text says why there can be none."""
    if sum(1 for pattern in (_BOX, _TAGS, _HASHES, _PHRASE) for _ in pattern.finditer(text)) > _MAX_SEGMENTS:
        return "more candidates than an answer has"
    spans: list[tuple[int, int, int]] = []  # start of the marker, start and end of the segment
    for match in _BOX.finditer(text):
        end = _closing(text, match.end())
        if end is None:
            return "an unclosed box"
        # "80!" in a box is a factorial: the box stays around it, so that it is read as one
        kept = _FACTORIAL.search(text[max(match.end(), end - 40) : end]) is not None
        spans.append((match.start(), match.start(), end + 1) if kept else (match.start(), match.end(), end))
    opened: int | None = None
    for match in _TAGS.finditer(text):
        if (match[1] == "") == (opened is not None):
            return "answer tags that do not match"
        if opened is not None:
            spans.append((opened, opened, match.start()))
        opened = match.end() if match[1] == "" else None
    if opened is not None:
        return "an unclosed answer tag"
    spans += [(m.start(), m.start(1), m.end(1)) for m in _HASHES.finditer(text)]
    strong = sorted(spans)
    if any(_DENIED.search(text[max(0, start - 40) : start]) for start, _, _ in strong):
        return "what it marks is denied"
    marks = list(_PHRASE.finditer(text))
    for i, match in enumerate(marks):
        stop = _SENTENCE_END.search(text, match.end())
        end = stop.end() if stop else len(text)
        if i + 1 < len(marks) and marks[i + 1].start() < end:
            if not _FILLER.sub("", text[match.end() : marks[i + 1].start()]):
                continue  # "Answer: the answer is 80": the inner phrase speaks
            end = marks[i + 1].start()
        if any(s < end and match.start() < e for s, _, e in strong):
            continue  # the box or tag inside it speaks
        if text[match.end() : end].rstrip().endswith(":"):
            continue  # "the solution is as follows:" announces one
        spans.append((match.start(), match.end(), end))
    spans.sort()
    return [_bare(text[a:b]) for _, a, b in spans], max((b for _, _, b in spans), default=0)


def _bare(segment: str) -> str:
    """Without markup at its ends: the phrase took the opening ** of "is **80**."; a star after a space is a product."""
    return re.sub(r"(?<=[^\s*])\*{1,2}([.!]?)$", r"\1", segment.lstrip("* \t\r\n").rstrip())


def sentences(text: str) -> list[str]:
    """The text's sentences and lines, empty ones left out, wrappers of markup kept."""
    parts, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        parts.append(text[start : match.end()])
        start = match.end()
    parts.append(text[start:])
    return [p.strip() for p in parts if p.strip(" \t\r\n.!$*}\\)]")]


def side(sentence: str, read: Callable[[str], T | None], same: Callable[[T], Hashable]) -> T | None:
    """The value a sentence commits to: itself, the last side of its equation, or what follows its last "is"."""
    if len(sentence) > _MAX_SEGMENT:
        sentence = sentence[-_MAX_SEGMENT:]
    value = read(sentence)
    if value is not None:
        return value
    if _HEDGE.search(sentence) or _NO_EQUATION.search(sentence):
        return None
    parts = _sides(sentence)
    if len(parts) > 1:
        last = read(parts[-1])
        values = [v for p in parts if (v := read(p)) is not None]
        if last is None or len({same(v) for v in values}) > 1 or any(_NEXT_NAME.search(p) for p in parts[1:-1]):
            return None
        return last if _alike(sentence, read, same, last) else None
    plain = sentence.strip().rstrip(".!")
    if match := _NAMED.match(plain):
        return read(match[1])
    match = _COPULA.match(plain)
    value = read(match[2]) if match else None
    return value if match and value is not None and not _another(match[1], read, same, value) else None


def _sides(sentence: str) -> list[str]:
    # markup around a whole equation belongs to neither side; a ! inside it is a factorial
    text = sentence.strip().rstrip(".!").rstrip()
    if re.search(r"!\s*(?:\$|\\\)|\\\]|\})$", text):
        return [sentence]
    return (
        text.strip("$*`")
        .rstrip(".!")
        .strip("$*`")
        .replace("\\(", "")
        .replace("\\)", "")
        .replace("\\[", "")
        .replace("\\]", "")
        .replace("==", "=")
        .split("=")
    )


def _alike(sentence: str, read: Callable[[str], T | None], same: Callable[[T], Hashable], last: T) -> bool:
    """Every equation of the sentence ends in `last`, is said to be a premise, or is a step of arithmetic before it."""
    clauses = [c for c in _CLAUSE_END.split(sentence.replace("==", "=")) if c.strip(" $*`.!")]
    if _CONCLUDES.match(clauses[-1]) or _PREMISE.match(sentence):
        return True
    seen = {re.sub(r"\s+", "", _sides(clauses[-1])[0])}
    for parts in (_sides(c) for c in clauses[:-1] if "=" in c):
        left, end = re.sub(r"\s+", "", parts[0]), read(parts[-1])
        step = left not in seen and read(parts[0]) is None and _WORKING.fullmatch(_signs(parts[0])) is not None
        if end is None or (same(end) != same(last) and not step):
            return False
        seen.add(left)
    return True


def _signs(text: str) -> str:
    return re.sub(r"\\(?:times|cdot|div)\b", "*", text)


def _another(text: str, read: Callable[[str], T | None], same: Callable[[T], Hashable], value: T) -> bool:
    """What stands before the last "is" gives another value: "79; it" is 80, "x is 79 and y" is 80; no premise of it."""
    clauses = _CLAUSE_END.split(text)
    if len(clauses) < 2 or _PREMISE.match(text) or _CONCLUDES.match(clauses[-1]):
        return False
    said = [read(piece) for piece in re.split(r"[;,]", text)[:-1]]
    said += [read(m[1]) for c in clauses[:-1] if (m := _IS.fullmatch(c.strip()))]
    return any(v is not None and same(v) != same(value) for v in said)


def _restated(tail: list[str], read: Callable[[str], T | None], same: Callable[[T], Hashable]) -> bool:
    right_of: dict[str, Hashable] = {}
    for sentence in tail:
        for clause in re.split(r", |;|\band\b", sentence):
            parts = _sides(clause)
            if len(parts) < 2 or len(clause) > _MAX_SEGMENT:
                continue
            left, value = re.sub(r"\s+", "", parts[0]).casefold(), read(parts[-1])
            if left and value is not None and right_of.setdefault(left, same(value)) != same(value):
                return True
    return False


def _closing(text: str, start: int) -> int | None:
    depth = 1
    for i in range(start, min(len(text), start + 10 * _MAX_SEGMENT)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i
    return None
