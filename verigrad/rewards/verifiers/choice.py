r"""`choice`: one of the given choices, by its letter or its text.

Right, for gold B of A to D: "Answer: B", "(b)", "\boxed{\text{B}}"; for gold animal of animal|food: "Animal.".
Refused: "A or B", "not B", "AB", "food. animal.", "animals", "Is it an animal?", "B is wrong", "all but B",
"\boxed{\neg B}", "it can't be B", "animal-free". So "B is wrong" does not name B where the question asks what is wrong.

The gold is {"answer": "B", "choices": "ABCD"} (several letters: "B, D" or "ACD", all of them and no other), or a label
with the choices in the option or the column `choices`: letters ("ABCD"), words ("animal|food" or a list), or letters
with texts ({"A": "Paris"}, or a list of texts and a letter or an index as gold). Case does not matter; the letters A
and I are not read where they are an article or a pronoun. Without a mark (see `extract`) the whole last line may name
one choice only, negated ones aside. Left out: texts that are only nearly a choice.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verigrad.records import BROKE_CHECK, Task, Verdict, right, ungraded, unreadable, wrong
from verigrad.rewards import context, extract
from verigrad.rewards.options import Option
from verigrad.rewards.spelling import normalise
from verigrad.rewards.tokens import MAX_SPAN, TooBig, Unread

RULE = "choice"
OPTIONS: Mapping[str, Option] = {
    "choices": Option(
        default="", type=(str, list), meaning='the choices, "animal|food" or a list; else the column choices'
    ),
}
_MAX_CHOICES = 100
_NEGATED = re.compile(r"(?:不是|并非|而非|不选|不能选|不应选|不应该选|排除|不为)\s*(?:选项)?\s*[\"'(*]*$")
_DENIED = re.compile(r"\)?\s*(?:选?项)?\s*(?:是|为|就是)?\s*(?:错|不对|不正确|不成立|不符合|不是|吗)")
_WRAPPED = re.compile(r"\\(?!text|math|underline|rm|bf|it|sf|tt)[A-Za-z]+ ?\{? ?$|(?<![\w ])[-!] ?$")
_HEDGE = re.compile(r"\b(?:or|either|maybe|perhaps|possibly|unsure)\b|或|还是", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class _Gold:
    answer: frozenset[str]
    """The labels that are right, all of them."""
    labels: Mapping[str, str]
    """Case-folded spelling -> label."""
    letters: frozenset[str]
    """Labels that are single letters."""


def verify(answer: str, task: Task, *, choices: str | list[Any] = "") -> Verdict:
    """The verdict on the one choice (for a gold of several: the set of choices) the answer commits itself to."""
    try:
        gold = _read_gold(task, choices)
    except Unread as error:
        return ungraded(f"gold {str(task.gold)[:60]!r}: {error}", rule=RULE)
    several = len(gold.answer) > 1
    try:
        text = extract.visible(answer)
        if not extract.marks(text) and _lists(text, gold):
            raise Unread("lists the choices")
        found = extract.committed(
            text,
            lambda span, boxed: _commit(span, gold, several=several),
            lambda line: _bare(line, gold, several=several),
            lambda a, b: a == b,
            whole_line=True,
        )
    except Unread as error:
        return unreadable(str(error), rule=RULE)
    except TooBig as error:
        return wrong(rule=RULE, reason=f"{BROKE_CHECK}: {error}")
    read = ", ".join(sorted(found))
    return right(read, rule=RULE) if found == gold.answer else wrong(read, rule=RULE)


def check_gold(task: Task, *, choices: str | list[Any] = "") -> str | None:
    """Why this task's gold cannot be read; None where it can."""
    try:
        _read_gold(task, choices)
    except Unread as error:
        return str(error)
    return None


def gold_answer(task: Task, *, choices: str | list[Any] = "") -> str:
    """The answer that must be right for this task. Raises Unread."""
    return ", ".join(sorted(_read_gold(task, choices).answer))


def _read_gold(task: Task, given: str | list[Any]) -> _Gold:
    answer, choices = task.gold, given or task.columns.get("choices")
    if isinstance(answer, Mapping):
        if not {"answer", "choices"} <= set(answer):
            raise Unread("want answer and choices")
        answer, choices = answer["answer"], answer["choices"]
    labels = _labels(choices, answer)
    if not 2 <= len(set(labels.values())) <= _MAX_CHOICES:
        raise Unread(f"{len(set(labels.values()))} choices: want 2 to {_MAX_CHOICES}")
    letters = frozenset(label for label in labels.values() if len(label) == 1 and label.isalpha())
    if isinstance(answer, int) and not isinstance(answer, bool):
        order = list(dict.fromkeys(labels.values()))
        if not 0 <= answer < len(order):
            raise Unread(f"no choice has the index {answer}")
        return _Gold(answer=frozenset([order[answer]]), labels=labels, letters=letters)
    if not isinstance(answer, str):
        raise Unread("the answer is no text")
    whole = labels.get(_fold(answer))
    parts = [whole] if whole else [labels.get(_fold(p)) for p in _split(answer, letters)]
    if not parts or None in parts:
        raise Unread(f"{answer[:40]!r} is none of the choices")
    return _Gold(answer=frozenset(p for p in parts if p), labels=labels, letters=letters)


def _labels(choices: Any, answer: Any) -> dict[str, str]:
    """Spellings of each choice, case-folded, with its label."""
    if isinstance(choices, str):
        cut = [c.strip() for c in re.split(r"[|,;\n]", choices) if c.strip()]
        choices = list(choices.strip()) if len(cut) == 1 else cut
    if isinstance(choices, Mapping):
        pairs = [(str(letter), str(text)) for letter, text in choices.items()]
    elif isinstance(choices, (list, tuple)):
        texts = [str(c) for c in choices]
        lettered = len(texts) <= 26 and any(len(t) > 1 for t in texts) and _names_a_letter(answer, texts)
        pairs = [(chr(65 + i) if lettered else t, t) for i, t in enumerate(texts)]
    else:
        raise Unread("no choices: give them in the gold, the option or the column `choices`")
    out: dict[str, str] = {}
    for label, text in pairs:
        label = label.upper() if len(label) == 1 else label
        for spelling in (_fold(label), _fold(text)):
            if not spelling or out.get(spelling, label) != label:
                raise Unread("two choices are spelled alike" if spelling else "an empty choice")
            out[spelling] = label
    return out


def _names_a_letter(answer: Any, texts: list[str]) -> bool:
    """The answer is an index or a letter for these texts, not one of them."""
    if isinstance(answer, str):
        return _fold(answer) not in {_fold(t) for t in texts} and bool(
            re.fullmatch(r"[A-Za-z](?:[, ]*[A-Za-z])*", answer)
        )
    return isinstance(answer, int)


def _split(answer: str, letters: frozenset[str]) -> list[str]:
    """Several labels of one text: "B, D" at its separators, "ACD" letter by letter."""
    cut = [p.strip() for p in re.split(r"[,;，、和与及]|\band\b|&|\s{1,3}", answer) if p.strip()]
    if len(cut) == 1 and all(c.upper() in letters for c in cut[0]):
        return list(cut[0])
    return cut


def _lists(text: str, gold: _Gold) -> bool:
    """The last two lines are two choices of a list ("C. 7", "D. 8"): the question's, said again."""
    lines = [line for line in text.splitlines()[-100:] if line.strip()][-2:]
    heads = [m and gold.labels.get(m[1].casefold()) for m in (re.match(r" *\(?(\w)[.):] *\S", line) for line in lines)]
    return len(heads) == 2 and None not in heads and heads[0] != heads[1]


def _commit(span: str, gold: _Gold, *, several: bool) -> frozenset[str]:
    """The labels a span commits itself to; one, unless the gold is several."""
    if len(span) > MAX_SPAN:
        raise TooBig(f"a span of more than {MAX_SPAN} characters")
    with contextlib.suppress(Unread):
        return _bare(span, gold, several=several)
    text = normalise(span)
    if text.rstrip(" \"'*").endswith("?"):
        raise Unread("a question, not an answer")
    if _HEDGE.search(text):
        raise Unread("hedged")
    found = {gold.labels[_fold(m[0])] for m in _mentions(gold).finditer(text) if _counts(m, text)}
    if not found:
        raise Unread("names none of the choices")
    if len(found) > 1 and not several:
        raise Unread("names several choices")
    return frozenset(found)


def _mentions(gold: _Gold) -> re.Pattern[str]:
    """Every spelling as a word. Chinese goes without spaces: beside a Latin word it is no part of it (选项B正确)."""
    forms = []
    for ascii_only, edge in ((True, r"[^\W\u4e00-\u9fff]"), (False, r"\w")):
        spellings = sorted((s for s in gold.labels if s.isascii() == ascii_only), key=len, reverse=True)
        if spellings:
            forms.append(rf"(?<!{edge})(?:{'|'.join(map(re.escape, spellings))})(?!{edge})")
    return re.compile("|".join(forms), re.IGNORECASE)


def _bare(span: str, gold: _Gold, *, several: bool) -> frozenset[str]:
    """The labels of a span that is nothing else."""
    text = normalise(span).rstrip(" .,;:!()[]{}\"'*_").lstrip(" .,;:()[]{}\"'*_")
    if label := gold.labels.get(_fold(text)):
        return frozenset([label])
    parts = [gold.labels.get(_fold(p)) for p in _split(text, gold.letters)] if several and len(text) < 200 else []
    if not parts or None in parts:
        raise Unread("not one of the choices")
    return frozenset(p for p in parts if p)


def _counts(match: re.Match[str], text: str) -> bool:
    """A choice that is named, not negated, not an article or a pronoun, not a lower-case letter in a sentence."""
    name, after = match[0], text[match.end() :]
    before = text[max(0, match.start() - 200) : match.start()]
    if _NEGATED.search(before) or _WRAPPED.search(before) or re.match(r"\}? ?\^", after):
        return False
    if len(name) > 1 and (re.search(r"\w\w-$", before) or re.match(r"-\w", after)):
        return False
    if re.search(r"(?<!\w)[nN]/$", before):  # "N/A" is no A
        return False
    if context.denied(before, after) or _DENIED.match(after):
        return False
    if len(name) > 1 or not name.isascii() or not name.isalpha():
        return True
    if name.islower() or after.startswith("'"):
        return False
    if re.search(r"(?:option|choice|answer|answer is)[\s:*\"(]*$", before, re.IGNORECASE) and not re.match(
        r" [a-z]", after
    ):
        return True
    following = re.match(r" ([a-z]+)", after)
    return name not in "AI" or following is None or following[1] in _THEN[name]


_THEN: Mapping[str, frozenset[str]] = {
    "A": frozenset(("is", "and", "because", "since", "as", "but", "was", "would")),
    "I": frozenset(("is", "and", "because", "since", "as", "but")),
}


def _fold(text: str) -> str:
    return " ".join(normalise(text).split()).casefold()
