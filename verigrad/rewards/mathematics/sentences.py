"""The value that a span of an answer commits itself to: the span itself, mathematics in a sentence, what follows "is".

The gold says what is asked, so that a comma between digits, "and" and a bracket can be read. Words that deny, leave
open or change a value count as for every other kind (context); a literal in plain prose is read as by `number`
(literals). Left out: which span counts (extract), and equality (comparing).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from verigrad.rewards import context, literals
from verigrad.rewards.mathematics import notations, parts, quantities, regions, statements, units
from verigrad.rewards.mathematics.trees import (
    Collection,
    Named,
    Node,
    Relation,
    Scalar,
    Sequence,
    Text,
    TooBig,
    Unread,
    Value,
    literal,
)
from verigrad.rewards.spelling import normalise
from verigrad.rewards.tokens import MAX_SPAN

_SEGMENT = re.compile(parts.PAIRED.pattern + r"|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_JOIN = re.compile(r"\s*(?:,|;|&|和|或|(?:,\s*)?(?:and|or)\b|\.\s*(?=$))\s*")
_LINK = re.compile(
    r"\b(?:is|are|was|equals?|equal to|gives?|gets?|get|be|becomes|makes|obtain|obtained|have|yields?|to be)\b"
    r"(?! (?:a|an) \w+ of)|[:：]|是|为|等于|得到?|⇒|→|=>|->|\\(?:Rightarrow|implies|to|therefore)(?![A-Za-z])"
)
_LEAD = re.compile(
    r"^(?:(?:so|thus|hence|therefore|then|finally|and|that|this|now|we|it|(?-i:I)|the|get|have|find|obtain|gives|yields"
    r"|follows|means|which|overall|in total|as a result|consequently)\b[,:]?\s*"
    r"|[∴⇒]\s*|所以|因此|故|则|即|解得)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,|;)?\s+(?:since|because|as|so|which|where|counting|by|after|when|if|for|assuming|in which|with|from|due)\b"
    r"|,\s+(?=[a-z]{2,} [a-z])|[，,]?(?:因为|其中|由于)"
)
_QUESTION = re.compile(
    r"^\W*(?:what|how|which|compute|calculate|find|solve|evaluate|simplify|determine|is|are|does|do|could|would|can)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:for|when|if|where|whenever|unless|provided|given|only|suppose|assume|assuming|let)\b", re.IGNORECASE
)
_RELATION = re.compile(r"[<>≤≥≠∈]|\\(?:le|ge|ne|lt|gt|leq|geq|neq|in|leqslant|geqslant)(?![A-Za-z])")
_REFUSED = re.compile(r"\b(?:not|rather than|instead of|unlike|as opposed to)\s*$", re.IGNORECASE)
"""What stands before a value that is named only to be refused: it is 4, not 5."""
_NAME = re.compile(r"\\?[A-Za-z]+(?:_\{?\w+\}?)?'?(?:\([A-Za-z0-9, ]+\))?")
_UNIT = re.compile(r"\s*([A-Za-z%°¢]+)(?: ([a-z]+))?")
_CURRENCY = r"([$€£¥₹])\s?(?=-?[0-9.])"


@dataclass(frozen=True)
class Said:
    """A value and the text it was read from."""

    value: Value
    text: str


def read(span: str, gold: Value, *, boxed: bool) -> Said:
    """The one value of a span. Raises Unread or TooBig."""
    if len(span) > MAX_SPAN:
        raise TooBig(f"a span of more than {MAX_SPAN} characters")
    if boxed and (node := notations.plain(span, listed=_listed(span, gold))) is not None:
        return Said(quantities.whole(node), span)
    segments = list(_SEGMENT.finditer(span))
    if segments and not boxed and re.search(r"[a-zA-Z]{2}", _JOIN.sub(" ", _SEGMENT.sub(" ", span))):
        if _QUESTION.match(span) or span.rstrip(" *_\"')$").endswith(("?", "？")):
            raise Unread("a question, not an answer")
        if (said := _about_a_name(span, segments, gold)) is not None:
            return said
        return _segments(span, segments, gold)
    if isinstance(gold, Text) and not boxed and (said := _linked(span, gold)) is not None:
        return said
    try:
        return _fitting(_whole(span, gold, boxed=boxed), span, gold)
    except Unread as error:
        whole = error
    if not boxed and (_QUESTION.match(span) or span.rstrip(" *_\"')$").endswith(("?", "？"))):
        raise Unread("a question, not an answer")
    if segments:
        return _segments(span, segments, gold)
    if isinstance(gold, Scalar) and literal(gold.node) and not re.search(r"\\(?!text|boxed|,|\$|%|d?frac)", span):
        try:
            return _literal(span, boxed=boxed)
        except literals.Unread as error:
            whole = error
            if "several" in str(error) or "hedged" in str(error) or "denied" in str(error):
                raise
    said = _linked(span, gold)
    if said is None:
        raise whole
    return said


def bare(line: str, gold: Value) -> Said:
    """A line that is nothing but an answer: a literal, a name with a literal, or what is of the gold's own kind."""
    if not re.search(r"[0-9\\]", line) or re.search(r"[a-z]{4}", line.replace("\\frac", "").replace("\\sqrt", "")):
        raise Unread("not an answer alone")
    value = _whole(line, gold, boxed=False)
    inner = value.sides[-1] if isinstance(value, Relation) and value.label and len(value.sides) == 2 else value
    if isinstance(inner, Scalar) and literal(inner.node):
        return Said(value, line)
    if isinstance(value, type(gold)) and not isinstance(value, (Scalar, Relation, Text)):
        return Said(value, line)
    raise Unread("not an answer alone")


def _listed(text: str, gold: Value) -> bool:
    """Commas between digits separate: the gold is a list, and no other comma of the text shows that they group."""
    if not isinstance(gold, (Collection, Named, Sequence)):
        return False
    return not (re.search(r"[0-9],[0-9]{3}(?![0-9])", text) and re.search(r", |;|\\text|\band\b", text))


def _whole(span: str, gold: Value, *, boxed: bool) -> Value:
    text = span.strip().strip("*_`").strip()
    if not boxed:
        shouted = not (isinstance(gold, Scalar) and _factorial(gold.node))
        text = text.rstrip("!").rstrip() if shouted and not re.search(r"[$)\\\]}]!$|![$]", text) else text
        if re.match(r"[-–−]\s+[0-9]", text) and not isinstance(gold, Relation):
            raise Unread("a dash or a minus")
        if shouted and re.search(r"[0-9]\s?!", text):
            raise Unread("an exclamation or a factorial")
        text = _LEAD.sub("", text)
    if text.endswith(("?", "？")):
        raise Unread("a question, not an answer")
    if len(text) > 1 and (text[0] + text[-1]) in ('""', "''", "“”"):
        text = text[1:-1]
    return statements.read(text, listed=_listed(text, gold))


def _factorial(node: Node) -> bool:
    return node.value == "factorial" or any(_factorial(a) for a in node.args)


def _fitting(value: Value, text: str, gold: Value) -> Said:
    """Words are an answer only where words are asked; 5m is a unit where the gold has no m."""
    if isinstance(value, Text) and not isinstance(gold, Text):
        raise Unread("words where a value is asked")
    if isinstance(value, Scalar):
        known = regions.symbols(gold.node) if isinstance(gold, Scalar) else frozenset()
        value = quantities.glued_unit(value, known)
    if isinstance(value, Relation) and isinstance(value.sides[-1], Text) and not isinstance(gold, Text):
        raise Unread("words where a value is asked")
    return Said(value, text.strip())


def _stands(before: str, after: str) -> None:
    before, after = normalise(before)[-200:] + " ", normalise(after)[:200]
    if context.denied(before, " " + after):
        raise Unread("denied or left open")
    if context.changed(before, " " + after):
        raise Unread("a part of another value")


def _segments(span: str, segments: list[re.Match[str]], gold: Value) -> Said:
    """The last mathematics between delimiters, joined with what an "and" or a comma joins to it."""
    segments = _first_alone(span, segments)
    while len(segments) > 1 and _REFUSED.search(span[segments[-2].end() : segments[-1].start()]):
        segments = segments[:-1]
    first = len(segments) - 1
    while first and _JOIN.fullmatch(span[segments[first - 1].end() : segments[first].start()]):
        first -= 1
    pieces: list[str] = []
    for i in range(first, len(segments)):
        inner = next(g for g in segments[i].groups() if g)
        between = span[segments[i - 1].end() : segments[i].start()] if i > first else ""
        pieces.append(f"{between} {inner}")
    before, after = span[: segments[first].start()], span[segments[-1].end() :]
    if refused := re.match(r",? (?:and )?(?:not|rather than|instead of|unlike|as opposed to)\b.*", after, re.DOTALL):
        after = after[: refused.start()]
    if _conditioned(before, gold) or (first and isinstance(gold, Relation)):
        raise Unread("a condition beside the answer")
    text = "".join(pieces).strip()
    unit = _UNIT.match(after)
    _stands(before, after)
    if unit is not None and (units.known(unit[1]) or unit[1] in "%°¢"):
        known_two = unit[2] is not None and units.known(unit[2])
        text += f" {unit[1]}" + (f" {unit[2]}" if known_two else "")
    if re.search(r"\b(?:or|either)\b|或", after.split(".")[0]) or re.search(
        r"\b(?:either|not|neither)\b", before[-60:]
    ):
        raise Unread("hedged")
    return _fitting(_whole(text, gold, boxed=True), text, gold)


def _about_a_name(span: str, segments: list[re.Match[str]], gold: Value) -> Said | None:
    """The plain value behind "is" where the last mathematics only names it: the largest $n$ is 34."""
    last = segments[-1]
    name = next(g for g in last.groups() if g).strip()
    if not _NAME.fullmatch(name) or not _LINK.match(span[last.end() :].lstrip()):
        return None
    try:
        return _linked(span, gold)
    except Unread as error:
        if "denied" in str(error) or "hedged" in str(error):
            raise
        return None


def _first_alone(span: str, segments: list[re.Match[str]]) -> list[re.Match[str]]:
    """A span that begins with a value says that one; another value behind "is" beside it is a second candidate."""
    head = segments[0]
    if len(segments) < 2 or span[: head.start()].strip(" *:_"):
        return segments
    try:
        value = statements.read(next(g for g in head.groups() if g))
    except (Unread, TooBig):
        return segments
    if not isinstance(value, Scalar) or regions.symbols(value.node):
        return segments
    kept = 1
    while kept < len(segments) and _JOIN.fullmatch(span[segments[kept - 1].end() : segments[kept].start()]):
        kept += 1
    if kept < len(segments) and _LINK.search(span[segments[kept - 1].end() :]):
        raise Unread("a second candidate beside the answer")
    return segments[:kept]


def _conditioned(before: str, gold: Value) -> bool:
    """A condition stands before an equation that the gold states without one."""
    return isinstance(gold, Relation) and bool(_CONDITION.search(before) or _RELATION.search(before))


def _literal(span: str, *, boxed: bool) -> Said:
    """One literal in prose, by the rules of the kind `number`, with the unit that stands beside it."""
    try:
        found = literals.commit(span, boxed=boxed)
    except literals.TooBig as error:
        raise TooBig(str(error)) from error
    value = statements.read(found.text)
    if not isinstance(value, Scalar):
        raise Unread("no single number")
    spelled = normalise(span)
    digits = found.text.lstrip("+-")
    after = spelled[spelled.rfind(digits) + len(digits) :]
    unit = value.unit
    match = _UNIT.match(after)
    if unit is None and match is not None and (units.known(match[1]) or match[1] in ("°", "¢")):
        words = match[0].strip() if match[2] and units.known(match[2]) else match[1]
        value = _with_unit(value, found.text, words)
        unit = value.unit
    if unit is None and (mark := re.search(_CURRENCY + re.escape(digits[:12]), span)) is not None:
        value = Scalar(value.node, units.sign(mark[1]))
    return Said(value, found.text)


def _with_unit(value: Scalar, text: str, words: str) -> Scalar:
    read_ = statements.read(f"{text} {words}")
    return read_ if isinstance(read_, Scalar) else value


def _linked(span: str, gold: Value) -> Said | None:
    """What follows the last "is" or colon, up to a reason; None where there is nothing of that."""
    links = [m for m in _LINK.finditer(span) if span[m.end() :].strip(" .$*")]
    for link in links[-1:]:
        tail, before = span[link.end() :], span[: link.end()]
        cut = _TAIL.search(tail)
        kept, after = (tail[: cut.start()], tail[cut.start() :]) if cut else (tail, "")
        if _conditioned(before, gold):
            raise Unread("a condition beside the answer")
        if isinstance(gold, Scalar) and re.search(r"\b(?:or|either)\b", before[-40:]):
            raise Unread("hedged")
        _stands(before, after if cut and not re.match(r",?\s+(?:if|when|for|assuming)\b", after) else "")
        if re.search(r",?\s+(?:if|when|unless|assuming)\b", after) or (
            re.search(r"\bfor\b", after[:6]) and _RELATION.search(after)
        ):
            raise Unread("a condition beside the answer")
        return _fitting(_whole(kept, gold, boxed=False), kept, gold)
    return None
