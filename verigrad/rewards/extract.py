r"""Where an answer commits itself: the visible text, the marks in it, the last sentence. Shared by all verifiers.

What counts as committed, in this order:
  1. Reasoning does not count: a closed <think>, <thinking>, <reasoning> or <thought> block is cut out, an unclosed one
     leaves nothing to read; a lone closing tag (the template opened the block) cuts everything before it.
  2. Marks: \boxed{...}, <answer>...</answer>, a line "#### ...", a cue ("the answer is", "Answer:", "答案是") up to
     the end of its sentence. All marks must say the same. A later one replaces an earlier one only where words of
     correction stand between ("wait", "no,", "I meant"). A line that is nothing but an answer, after the last mark,
     counts as a mark.
  3. Without a mark: the last sentence of the last line, and it must not contradict an earlier line that is
     nothing but an answer.
A mark whose own sentence denies it or makes another value of it ("not \boxed{80}", "half of \boxed{80}", "I doubt the
answer is 80") is no mark; what a later sentence takes back ("That is wrong.") is not committed.

What the words beside an answer do (context):
  - Denied is not committed: "not 80", "80 is wrong", "anything but B", "it can't be B", "B? no".
  - A question is not committed, in a box either: "80?", "Is it 80".
  - Left open is not committed: "maybe 80", "it could be 80", "80 or so". A word of belief or of rounding with one
    candidate only ("I think it is 80", "probably 80", "about 80") is: it names one value and covers no second one.
  - A part of another value is not the value: "half of 80", "80 million", "80M", "80 below zero", "under 80".
  - "80!" at the end of prose is an exclamation; in a box, in math delimiters or before more text a factorial.
One value is read or none, never the best of several. Left out: what a span says (literals, verifiers).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from verigrad.rewards import context
from verigrad.rewards.spelling import normalise
from verigrad.rewards.tokens import MAX_SPAN, TooBig, Unread

MAX_TEXT = 400_000
"""Characters of an answer that are read at all."""

MAX_MARKS = 100
"""Marks of one answer; more is spraying."""
MAX_LINES = 50
"""Last lines that are looked at for a line that is nothing but an answer."""

_WORDY = re.compile(r"[^\s.,:;$*()\[\]\\]")
"""What could deny or change an answer: anything but spaces and the signs that open and close mathematics."""

_REACH = 200
"""Characters beside a mark that are looked at."""

T = TypeVar("T")

_CLOSE = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_OPEN = re.compile(r"<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_BOX = re.compile(r"\\(?:boxed|fbox|framebox|beginboxed)\s{0,3}\{")
_HASH = re.compile(r"(?m)####[ \t]*([^\n]*)")
_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_CUE = re.compile(
    r"\b(?:final |correct |right )?(?:answer|option|choice)(?:\*\*)?"
    r"\s{0,2}(?:(?:is|are|would be|must be|=)(?![a-z])|[:：])\s{0,2}[:：]?"
    r"|[故应]选\s{0,2}[:：]?|(?<![不没能该])选(?:择|项)?\s{0,2}[:：]?(?=\s{0,2}[（(]?[A-Za-zＡ-Ｚ]{1,10}(?![A-Za-z]))|(?:正确)?(?:答案|选项)(?:应该)?\s{0,2}(?:是|为|选|[:：])\s{0,2}[:：]?",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"\b(?:no|wait|actually|correction|mistake|mistaken|sorry|mixed up|i meant|instead|scratch that|oops|rather)\b"
    r"|不对|更正|错了|应该是",
    re.IGNORECASE,
)
_WISH = re.compile(r"(?<=[.!])\s{1,3}I hope (?:it|this|that) (?:is correct|helps)[.!]{0,2}$", re.IGNORECASE)
"""What models say after the answer (the Minerva prompt taught it)."""
_SENTENCE_END = re.compile(r"(?<!\\)[.!?](?=\s|\*|$)|[。！？\n]")


@dataclass(frozen=True)
class Mark:
    """A place where the answer says "this is it"."""

    start: int
    end: int
    span: str
    boxed: bool
    """The span is all answer (box, tag), not a sentence with an answer in it."""


def visible(answer: str) -> str:
    """The answer without its reasoning. Raises Unread for reasoning that never ends, TooBig beyond MAX_TEXT."""
    if len(answer) > MAX_TEXT:
        raise TooBig(f"an answer of more than {MAX_TEXT} characters")
    kept: list[str] = []
    at = 0
    while opened := _OPEN.search(answer, at):
        kept.append(answer[at : opened.start()])
        closed = _CLOSE.search(answer, opened.end())
        if not closed:
            raise Unread(f"<{opened[1].lower()}> is never closed")
        at = closed.end()
    kept.append(answer[at:])
    text = " ".join(kept)
    return _CLOSE.split(text)[-1].replace("\r\n", "\n").replace("\r", "\n").strip()


def marks(text: str) -> list[Mark]:
    """Every mark in the text, in order; a cue or a hash whose sentence holds a box or a tag is that box or tag."""
    tags = _tags(text)
    found = [*tags, *(box for box in _boxes(text) if not _inside(box.start, tags))]
    found = [mark for mark in found if _said(text, mark)]
    starts = [m.start for m in found]
    covered = skipped = 0
    for match in sorted([*_HASH.finditer(text), *_CUE.finditer(text)], key=lambda m: m.start()):
        if match.start() < covered or _inside(match.start(), found):
            continue
        if match.re is _CUE and _denied_cue(text, match):
            if (skipped := skipped + 1) > MAX_MARKS:
                raise Unread(f"more than {MAX_MARKS} denied answers")
            continue
        start = match.start(1) if match.re is _HASH else match.end()
        end = _end_of_span(text, start)
        if any(match.start() <= s < end for s in starts):
            continue
        if span := text[start:end].strip():
            found.append(Mark(match.start(), end, span, False))
            covered = end
        if len(found) > MAX_MARKS:
            raise Unread(f"more than {MAX_MARKS} marked answers")
    return sorted(found, key=lambda m: m.start)


def committed(
    text: str,
    read: Callable[[str, bool], T],
    bare: Callable[[str], T],
    same: Callable[[T, T], bool],
    *,
    whole_line: bool = False,
) -> T:
    """The one answer the text commits itself to, by the rules above.

    `read(span, boxed)` reads a span, `bare(line)` a line that must be nothing but an answer; both raise Unread. `same`
    says whether two readings are one answer. `whole_line`: without a mark the whole last line is read, not its last
    sentence alone. Raises Unread.
    """
    found = marks(text)
    if found:
        answers = [(m.start, m.end, read(m.span, m.boxed)) for m in found]
        answers += _bare_lines(text, found[-1].end, bare)
        if context.retracted(text[answers[-1][1] :]):
            raise Unread("taken back")
    else:
        answers = _bare_lines(text, 0, bare)
        sentence = last_sentence(text, whole_line=whole_line)
        if not (answers and answers[-1][1] >= len(text)):
            answers.append((len(text), len(text), read(sentence, False)))
    last = answers[-1]
    for earlier, later in zip(reversed(answers[:-1]), reversed(answers), strict=False):
        if not same(earlier[2], last[2]):
            if _CORRECTION.search(text, earlier[1], max(later[0], earlier[1])):
                break
            raise Unread("two answers that differ")
    return last[2]


def last_sentence(text: str, *, whole_line: bool = False) -> str:
    """The last sentence of the last line that is not empty, or that line."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        raise Unread("empty")
    line = _WISH.sub("", lines[-1].strip()[-MAX_SPAN - 1 :])
    if whole_line:
        return line
    cuts = [m.end() for m in _SENTENCE_END.finditer(line) if line[m.end() :].strip(" *_`\"')$}\\]")]
    return line[cuts[-1] :].strip() if cuts else line


def _boxes(text: str) -> list[Mark]:
    found: list[Mark] = []
    at = 0
    while match := _BOX.search(text, at):
        depth, i = 1, match.end()
        while depth and i < len(text):
            depth += (text[i] == "{") - (text[i] == "}") if text[i - 1] != "\\" else 0
            i += 1
        if depth:
            raise Unread("a box is never closed")
        found.append(Mark(match.start(), i, text[match.end() : i - 1].strip(), True))
        at = i
        if len(found) > MAX_MARKS:
            raise Unread(f"more than {MAX_MARKS} boxes")
    filled = next((n for n, mark in enumerate(found) if mark.span), 0)
    return found[filled:]  # "Put it in \\boxed{}": an empty box before the first answer names the form


def _tags(text: str) -> list[Mark]:
    found: list[Mark] = []
    opened: re.Match[str] | None = None
    for match in _TAG.finditer(text):
        if not match[1]:
            if opened:
                raise Unread("<answer> inside <answer>")
            opened = match
        elif opened:
            found.append(Mark(opened.start(), match.end(), text[opened.end() : match.start()].strip(), True))
            opened = None
            if len(found) > MAX_MARKS:
                raise Unread(f"more than {MAX_MARKS} answer tags")
    if opened:
        raise Unread("<answer> is never closed")
    return found


def _said(text: str, mark: Mark) -> bool:
    """The sentence around a box or tag says its answer and neither denies nor changes it."""
    after = re.split(r"[.!](?=\s|$)|\n", text[mark.end : mark.end + _REACH], maxsplit=1)[0]
    before = _sentence_before(text, mark.start)
    if not _WORDY.search(before) and not _WORDY.search(after):
        return True
    glued_minus = bool(re.search(r"[\w=)] ?-\$?$", before))
    before, after = normalise(before), normalise(after)
    return not (glued_minus or context.denied(before + " ", after) or context.changed(before + " ", after))


def _denied_cue(text: str, cue: re.Match[str]) -> bool:
    before = _sentence_before(text, cue.start()) + cue[0].rstrip(":： *")
    return context.denied(normalise(before) + " ")


def _sentence_before(text: str, end: int) -> str:
    return re.split(r"[.!?。！？](?=\s)|\n", text[max(0, end - _REACH) : end])[-1]


def _inside(at: int, marks: list[Mark]) -> bool:
    return any(m.start <= at < m.end for m in marks)


def _end_of_span(text: str, start: int) -> int:
    """End of the sentence that starts at `start`; where its line is empty, of the next line that is not."""
    at = start
    while at < len(text) and text[at] in " \t\n*_:":
        at += 1
    limit = min(len(text), at + MAX_SPAN + 1)
    match = _SENTENCE_END.search(text, at, limit)
    if not match:
        return limit
    return match.end() if match[0] in "?？" else match.start()


def _bare_lines(text: str, start: int, bare: Callable[[str], T]) -> list[tuple[int, int, T]]:
    out: list[tuple[int, int, T]] = []
    lines = text[start:].rsplit("\n", MAX_LINES)
    at = start
    for line in lines:
        if 0 < len(line.strip()) <= 80:
            with contextlib.suppress(Unread, TooBig):
                out.append((at, at + len(line), bare(line.strip())))
        at += len(line) + 1
    return out
