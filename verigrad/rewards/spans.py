r"""The one text an answer commits itself to, for kinds that judge a whole text (a grid, a formula, a form).

Reasoning is cut out; then the one of: what <answer> tags or boxes hold, else what "the answer is ..." or #### says
(where `cues`), else the one code block, else the whole visible text. Several marks must say the same; what is taken
back afterwards is not committed. Left out: what the text says.
"""

from __future__ import annotations

from verigrad.rewards import context, extract
from verigrad.rewards.documents.committed import blocks
from verigrad.rewards.tokens import TooBig, Unread

MAX_TEXT = 20_000
"""Characters of a committed text."""


def committed_text(answer: str, *, cues: bool = True, limit: int = MAX_TEXT) -> str:
    """The text, stripped, never empty. Raises Unread or TooBig."""
    text = extract.visible(answer)
    if not text:
        raise Unread("empty")
    marks = [m for m in extract.marks(text) if m.boxed or cues]
    if marks:
        spans = [m.span for m in marks]
        rest = text[marks[-1].end :]
    else:
        prose, code = blocks(text)
        spans = [body.strip() for _, body in code] or [text]
        rest = prose.rpartition("\0")[2] if code else ""
    spans = [inner(span) for span in spans]
    if len({" ".join(span.split()) for span in spans}) > 1:
        raise Unread("several answers that differ")
    if context.retracted(rest):
        raise Unread("taken back")
    if not spans[0]:
        raise Unread("empty")
    if len(spans[0]) > limit:
        raise TooBig(f"an answer of more than {limit:,} characters")
    return spans[0]


def inner(span: str) -> str:
    """What a mark holds, out of the one code block or the dollars it is nothing else than."""
    span = span.strip()
    if span.startswith(("```", "~~~")):
        prose, code = blocks(span)
        if len(code) == 1 and not prose.replace("\0", "").strip():
            return code[0][1].strip()
    for left, right in (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("`", "`"), ("**", "**")):
        body = span[len(left) : -len(right)]
        if span.startswith(left) and span.endswith(right) and body and left not in body:
            return body.strip()
    return span
