r"""Grader `math`: one committed value of the type the gold asks for, compared part by part by math_verify.

Accepted for \frac{3}{4}: `\boxed{0.75}`, `x = \frac{3}{4}`, `75\%`; for \{2, 5\}: `\{5, 2\}`, `2, 5`. Not accepted:
`\frac{3}{4}` or another, `1/2 + 1/4`, `(2, 5)` for a set, `[0, 6)` for (0, 6), `5 cm` for 5 m, `25_8` for 25_6.
The type, brackets, units and bases are read here (acceptance.typed), because math_verify drops them; only members,
sides and expressions without them reach it. Left out: a gold of no type (ungraded); inequalities spelled otherwise.
"""

from __future__ import annotations

import re
from fractions import Fraction

from verigrad.acceptance import comparing
from verigrad.acceptance.graders import math_verify
from verigrad.acceptance.literals import Number, admits, fold
from verigrad.acceptance.reading import committed, explicit
from verigrad.acceptance.typed import Typed, typed
from verigrad.records import Grade, Status, Task

_MAX = 500
_JOINED = re.compile(
    r"\}[ \t]*(?:\\\)|\$)?(?:[ \t]|,|;|\band\b|\\text\{\s*and\s*\}|\\quad){1,9}(?:\\\(|\$)?[ \t]*\\boxed\{"
)
_LISTS = ("set", "list")
_NO_WORDS = re.compile(
    r"\b(?:see|figure|above|below|proof|vary|varies|answers?|diagram|omitted|none|n/a|nan|null|todo|tbd)\b",
    re.IGNORECASE,
)
_DISPLAY = re.compile(r"\\\[.{0,1000}?\\\]|\$\$.{0,1000}?\$\$", re.DOTALL)
_UNSURE = re.compile(
    r"\b(?:or|either|not|maybe|perhaps|could|might|for every|if|when|half|twice|double|triple|third|quarter)\b|\?",
    re.IGNORECASE,
)
_OPEN_ENDED = re.compile(r"\\[lc]?dots|\.\.\.|…")


def grade(answer: str, task: Task) -> Grade:
    """Strict by the one committed value, lenient by the last box or line; ungraded where the gold has no type."""
    gold = read_gold(task)
    if gold is None:
        return Grade(strict="ungraded", lenient="ungraded", reason="the gold is no bounded value of a known type")
    shown = _DISPLAY.sub(lambda m: m[0].replace("\n", " "), answer) if "\n" in answer else answer
    if gold.type in _LISTS:
        shown = _JOINED.sub(", ", shown)
    reading = committed(
        shown,
        lambda segment: _fitting(segment, gold),
        same=lambda found: re.sub(r"\s+", "", found.text) + found.unit,
        in_sentence=lambda segment: _said(segment, gold),
        speaks=lambda sentence: True,
    )
    last = _last(shown, gold)
    lenient, why = _equal(gold, last) if last is not None else ("unreadable", "no value of the type")
    if reading.value is None:
        return Grade(strict="unreadable", lenient=lenient, reason=reading.reason)
    if _copied(reading.value, gold, task):
        return Grade(strict="unreadable", lenient=lenient, reason="copied from the question")
    strict, reason = (lenient, why) if reading.value == last else _equal(gold, reading.value)
    return Grade(strict=strict, lenient=lenient, read=reading.value.text[:200], reason=reason)


def _copied(found: Typed, gold: Typed, task: Task) -> bool:
    """What is answered stands in the question, as written or with its terms in another order, and is not the gold's."""
    asked = next((m["content"] for m in reversed(task.prompt) if m["role"] == "user"), "")[-20_000:]
    said, right = _terms(found.text), _terms(gold.text)
    if said == right or not re.search(r"[-+*/^=\\]", found.text):
        return False
    pieces = re.findall(r"\$([^$]{1,400})\$", asked) + re.split(r"[.?:;]\s|\s(?:for|is|as|in)\s", asked)
    whole = [re.sub(r"^\s*[A-Z][a-z]+\s(?:the\s)?", "", p) for p in pieces]
    return any(_terms(p) == said for p in (*pieces, *whole))


def _terms(text: str) -> tuple[str, ...]:
    sides = re.sub(r"\s|\\[,;!]", "", fold(text)).strip("$.?").split("=")
    return tuple(sorted("".join(sorted(re.findall(r"[+-]?[^+-]+", s if s[:1] in "+-" else f"+{s}"))) for s in sides))


def read_gold(task: Task) -> Typed | None:
    """The gold's type and parts; None where it has none."""
    gold = task.gold
    if isinstance(gold, bool) or not isinstance(gold, (int, float, str)):
        return None
    text = gold if isinstance(gold, str) else repr(gold)
    text = text.rsplit("####", 1)[-1].strip()
    if "\\boxed" in text:
        found = explicit(text[-4 * _MAX :])
        text = found[0][-1] if not isinstance(found, str) and found[0] else ""
    if re.search(r"\\(?:int|sum|lim|prod)(?![a-z])|^[Nn]/?[Aa]$", text):
        return None
    if (
        len(text) > _MAX
        or re.search(r"[-+*/^=<>]$", text)
        or text.endswith("!")
        or _OPEN_ENDED.search(text)
        or math_verify.expression(text) is None
    ):
        return None
    value = typed(text, question=True)
    if value is not None and value.type == "words" and (_NO_WORDS.search(value.text) or len(value.text.split()) > 3):
        return None
    return value


def _fitting(segment: str, gold: Typed) -> Typed | None:
    """The value that a whole segment is, where its type fits the gold's."""
    if (
        len(segment) > _MAX
        or _OPEN_ENDED.search(segment)
        or (gold.type != "words" and math_verify.expression(segment) is None)
    ):
        return None
    value = typed(segment, question=gold.type == "words")
    if value is None:
        return None
    if value.type == "equation" and gold.type not in ("equation", "list") and not gold.name:
        left, right = value.parts
        steps, last = typed(left), typed(right)
        worked = steps is not None and last is not None and last.type == "number" and not re.search(r"[a-zA-Z]", left)
        if not worked or last is None or comparing.equal(left, last.text)[0] != "right":
            return None
        value = last
    if gold.type == "equation" and not gold.name and value.name:
        sides = (value.name, value.text)
        return Typed(text=" = ".join(sides), type="equation", parts=sides)
    if value.type == gold.type or {value.type, gold.type} <= set(_LISTS):
        return value
    both = {value.type, gold.type}
    if both <= {"number", "expression"} or both == {"bracket", "inequality"} or both == {"matrix", "bracket"}:
        return value if both != {"matrix", "bracket"} else None
    if gold.name and value.type == "equation" and re.search(r"[a-z]", gold.text):
        return value
    if gold.type == "equation" and gold.name and value.type in ("number", "expression"):
        return value
    return None


def _said(segment: str, gold: Typed) -> Typed | None:
    """A segment, or the mathematics at the end of a sentence, after "is" or a name."""
    whole = _fitting(segment, gold)
    if whole is not None:
        return whole
    if _UNSURE.search(segment):
        return None
    text = re.sub(r",?\s(?:since|because|as)\s.*", "", segment.strip(), flags=re.DOTALL).rstrip(".")
    maths = re.findall(r"\$([^$]+)\$|\\\((.+?)\\\)", text)
    if len(maths) == 1 and re.search(r"(?:\$|\\\))\s*$", text):
        return _fitting(next(m for m in maths[0] if m), gold)
    match = re.fullmatch(
        r".*\b(?:is|are|equals|at|costs?|get|gives|makes|total|have|with)\b:?\s*(\S.*)", text, re.DOTALL
    )
    return _fitting(re.split(r",\s(?=[a-z]{2})|\s(?:since|because|as)\s", match[1])[0], gold) if match else None


def _last(answer: str, gold: Typed) -> Typed | None:
    tail = fold(answer[-4 * _MAX :])
    found = explicit(tail)
    segments = [] if isinstance(found, str) else found[0]
    lines = [line for line in tail.splitlines() if line.strip()]
    for text in [*reversed(segments), *reversed(lines[-1:])]:
        if (value := _said(text, gold)) is not None:
            return value
    return None


def _equal(gold: Typed, found: Typed) -> tuple[Status, str]:
    """Right or wrong, by type."""
    if gold.name and found.name and gold.name != found.name:
        return "wrong", "another name"
    if not _units_agree(gold, found):
        return "wrong", "units that differ"
    if gold.type == "words":
        return ("right" if gold.text == found.text else "wrong"), ""
    if gold.type in _LISTS:
        return _members(gold.parts, found.parts)
    if gold.type == "bracket" and found.type == "bracket":
        if gold.ends != found.ends or len(gold.parts) != len(found.parts):
            return "wrong", "another bracket or length"
        return _all([_pair(g, f) for g, f in zip(gold.parts, found.parts, strict=True)])
    if gold.type == "base":
        return ("right" if gold.text == found.text else "wrong"), ""
    if found.type == "equation":
        return comparing.proportional(f"{gold.name} = {gold.text}" if gold.name else gold.text, found.text)
    if gold.number is not None and found.number is not None:
        if found.unit == "degree" and gold.unit != "degree":
            return "wrong", "a degree where none is asked"
        return _numbers(gold.number, found.number)
    if gold.number is not None and gold.unit != "degree":
        return "unreadable", "still to be worked out"
    if gold.type == "congruence":
        return _congruent(gold.text, found.text)
    if found.number is not None and "." in found.number.text and gold.unit == found.unit:
        return comparing.rounded(gold.text, found.number.text)
    if gold.unit == "degree" and found.unit != "degree" and found.number is None:
        return comparing.equal(f"\\frac{{({gold.text})\\pi}}{{180}}", found.text)
    if found.unit == "degree" and gold.unit != "degree":
        return comparing.equal(gold.text, f"\\frac{{({found.text})\\pi}}{{180}}")
    return comparing.equal(gold.text, found.text)


def _numbers(gold: Number, found: Number) -> tuple[Status, str]:
    if reason := admits(gold, found):
        return "unreadable", reason
    places = len(gold.text.rstrip("%").partition(".")[2]) if gold.form == "plain" else 0
    digits = len(re.sub(r"[^0-9]", "", gold.text).lstrip("0"))
    longer = found.form == "fraction" or len(found.text.rstrip("%").partition(".")[2]) > places
    if places and digits >= 3 and longer and abs(found.value - gold.value) * 2 <= Fraction(1, 10**places):
        return "right", ""
    return comparing.equal(gold.exact, found.exact)


def _congruent(gold: str, found: str) -> tuple[Status, str]:
    read = [re.fullmatch(r"(.+?)\\equiv\s*(-?[0-9]+)\s*\(?\\p?mod\s*\{?([0-9]+)\}?\)?", t) for t in (gold, found)]
    if read[0] is None:
        return "ungraded", "a congruence that is not solved"
    if read[1] is None:
        return "wrong", ""
    (name, one, size), (other, two, modulus) = (m.groups() for m in read if m is not None)
    same = name.strip() == other.strip() and size == modulus and int(size) != 0
    return ("right" if same and (int(one) - int(two)) % int(size) == 0 else "wrong"), ""


def _units_agree(gold: Typed, found: Typed) -> bool:
    if not gold.unit or not found.unit or gold.unit == found.unit:
        return True
    one, two = set(gold.unit.split()), set(found.unit.split())
    return one <= two or two <= one


def _members(gold: tuple[str, ...], found: tuple[str, ...]) -> tuple[Status, str]:
    names = [_name(part) for part in gold]
    numbered = all(re.fullmatch(r"[a-zA-Z]_\{?[1-9]\}?", n) for n in names) and len({n[:1] for n in names}) == 1
    if len(set(names)) > 1 and not numbered and not all(_name(part) for part in found):
        return "wrong", "named values are asked"
    left = list(dict.fromkeys(found))
    if len(left) != len(set(gold)):
        return "wrong", "another number of members"
    for member in dict.fromkeys(gold):
        said = [(_pair(member, other), other) for other in left]
        if any(status == "ungraded" for (status, _), _ in said):
            return "ungraded", "a member of the gold cannot be compared"
        match = next((other for (status, _), other in said if status == "right"), None)
        if match is None:
            return "wrong", ""
        left.remove(match)
    return "right", ""


def _name(part: str) -> str:
    read = typed(part, question=True)
    return read.name if read is not None else ""


def _pair(gold: str, found: str) -> tuple[Status, str]:
    ends = [re.fullmatch(r"([+-]?)\s*\\infty\s*", _spelled_end(text)) for text in (gold, found)]
    if ends[0] or ends[1]:
        same = ends[0] is not None and ends[1] is not None and (ends[0][1] == "-") == (ends[1][1] == "-")
        return ("right" if same else "wrong"), ""
    one, two = typed(gold, question=True), typed(found, question=True)
    if one is None:
        return "ungraded", "a part of the gold has no type"
    if two is None or (one.type != two.type and {one.type, two.type} != {"number", "expression"}):
        return "wrong", ""
    return _equal(one, two)


def _spelled_end(text: str) -> str:
    return text.strip().replace("∞", "\\infty").strip("$ ")


def _all(said: list[tuple[Status, str]]) -> tuple[Status, str]:
    return next((s for s in said if s[0] != "right"), ("right", ""))


def gold_as(task: Task) -> list[str]:
    """The gold in a box, where it is read."""
    if read_gold(task) is None:
        return []
    text = str(task.gold).rsplit("####", 1)[-1].strip()
    return [text if "\\boxed" in text else f"\\boxed{{{text}}}"]
