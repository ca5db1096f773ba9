r"""The one document an answer commits itself to.

  1. Reasoning is cut out (`extract.visible`). <answer> tags, where there are any, hold the document.
  2. Code blocks: those marked as the format, else those without a mark. All must say the same, and no document on a
     line of its own outside them may say something else. A block that is never closed leaves nothing to read.
  3. Without a block: the whole text; or, where the format may stand bare (JSON), the one object or array in it that
     begins a line or a sentence, or follows a colon, and ends its line. Prose may stand around it, no other bracket.
What a sentence denies or takes back ("this is wrong:", "That is wrong.") is not committed. Left out: reading a
document (formats).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from verigrad.rewards import context, extract
from verigrad.rewards.documents.formats import Format
from verigrad.rewards.documents.limits import Malformed
from verigrad.rewards.spelling import normalise
from verigrad.rewards.tokens import Unread

MAX_BLOCKS = 20
"""Code blocks or bare documents of one answer; more is spraying."""

_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w.+/-]*)[ \t]*(.*)")
_TOKEN = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|[{}\[\]]", re.DOTALL)
_TOKEN_LENIENT = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[{}\[\]]", re.DOTALL)

Read = Callable[[str], Any]
Same = Callable[[Any, Any], bool]


def committed(answer: str, form: Format, read: Read, same: Same, *, lenient: bool = False) -> Any:
    """The value of the one document. Raises Unread (none, or several that differ), Malformed, TooBig."""
    text = extract.visible(answer)
    if not text:
        raise Unread("empty")
    tagged = _tagged(text)
    if tagged is not None:
        body, rest = tagged
        if context.retracted(rest):
            raise Unread("taken back")
        return _one([_inside(part, form, read, same, lenient) for part in body], same)
    return _inside(text, form, read, same, lenient)


def _inside(text: str, form: Format, read: Read, same: Same, lenient: bool) -> Any:
    prose, code = blocks(text)
    marked = [body for mark, body in code if mark.lower() in form.FENCES]
    plain = [body for mark, body in code if not mark]
    if marked or plain:
        values = [read(body) for body in (marked or plain)]
        values += [v for body in (plain if marked else []) if (v := _maybe(read, body)) is not _NOTHING]
        if form.BARE:
            values += [v for line in prose.split("\n") if (v := _on_its_own(line, read)) is not _NOTHING]
        if context.retracted(prose.rpartition("\0")[2]) or _denied(prose):
            raise Unread("taken back")
        return _one(values, same)
    whole = _maybe(read, text)
    if whole is not _NOTHING:
        return whole
    spans = _spans(text, _TOKEN_LENIENT if lenient else _TOKEN) if form.BARE else []
    if not form.BARE:
        return read(text)
    if not spans:
        raise Unread("no document")
    values = []
    for start, end in spans:
        before, after = text[:start].rpartition("\n")[2], text[end:].partition("\n")[0]
        if (before.strip() and not before.rstrip(" *_").endswith((":", "：", ".", "!", "。"))) or after.strip(" .`"):
            raise Unread("a document inside a sentence")
        if context.denied(normalise(before).rstrip(":") + " ", normalise(after)):
            raise Unread("denied")
        values.append(read(text[start:end]))
    if context.retracted(text[spans[-1][1] :]):
        raise Unread("taken back")
    return _one(values, same)


_NOTHING = object()


def _maybe(read: Read, text: str) -> Any:
    """What it reads as; a size limit is one whoever asks."""
    try:
        return read(text)
    except Malformed:
        return _NOTHING


def _on_its_own(line: str, read: Read) -> Any:
    return _maybe(read, line) if line.strip()[:1] in ("{", "[") and line.strip()[-1:] in ("}", "]") else _NOTHING


def _one(values: list[Any], same: Same) -> Any:
    if not all(same(values[0], value) for value in values[1:]):
        raise Unread("several documents that differ")
    return values[0]


def _denied(prose: str) -> bool:
    """The line that leads to the last block denies it."""
    lines = [line for line in prose.rpartition("\0")[0].replace("\0", "").split("\n") if line.strip()]
    return bool(lines) and context.denied(normalise(lines[-1]).rstrip(":. ") + " ")


def _tagged(text: str) -> tuple[list[str], str] | None:
    """What the answer tags hold, and what follows the last of them; None where there are none."""
    found, opened, end = list[str](), -1, 0
    for match in _TAG.finditer(text):
        if bool(match[1]) != (opened >= 0):
            raise Unread("answer tags that do not match")
        if match[1]:
            found.append(text[opened : match.start()].strip())
            opened, end = -1, match.end()
        else:
            opened = match.end()
        if len(found) > MAX_BLOCKS:
            raise Unread(f"more than {MAX_BLOCKS} answer tags")
    if opened >= 0:
        raise Unread("<answer> is never closed")
    if not found:
        return None
    if not all(found):
        raise Unread("an empty answer tag")
    return found, text[end:]


def blocks(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The text outside its code blocks (a zero byte for each), and the blocks: info string and body."""
    prose: list[str] = []
    blocks: list[tuple[str, str]] = []
    fence, mark, body = "", "", list[str]()
    for line in text.split("\n"):
        match = _FENCE.fullmatch(line)
        if fence:
            if match and match[1].startswith(fence) and not match[2] and not match[3]:
                blocks.append((mark, "\n".join(body)))
                fence = ""
            else:
                body.append(line)
        elif match and match[3].endswith(match[1]) and len(match[3]) > len(match[1]):
            blocks.append((match[2], match[3][: -len(match[1])]))
            prose.append("\0")
        elif match and "`" not in match[3]:
            fence, mark, body = match[1], match[2], []
            prose.append("\0")
        else:
            prose.append(line.replace("\0", ""))
        if len(blocks) > MAX_BLOCKS:
            raise Unread(f"more than {MAX_BLOCKS} code blocks")
    if fence:
        raise Unread("a code block is never closed")
    return "\n".join(prose), blocks


def _spans(text: str, token: re.Pattern[str]) -> list[tuple[int, int]]:
    """Where the outermost bracketed texts start and end. Raises Unread for brackets that do not match."""
    spans: list[tuple[int, int]] = []
    at = 0
    while opened := re.compile(r"[{}\[\]]").search(text, at):
        if opened[0] in "}]":
            raise Unread("a bracket that opens nowhere")
        depth, at = 0, opened.start()
        while True:
            match = token.search(text, at)
            if match is None:
                raise Unread("a bracket that is never closed")
            at = match.end()
            depth += (match[0] in "{[") - (match[0] in "}]")
            if depth == 0:
                break
        spans.append((opened.start(), at))
        if len(spans) > MAX_BLOCKS:
            raise Unread(f"more than {MAX_BLOCKS} documents")
    return spans
