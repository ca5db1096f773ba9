"""The off-task probe: 100 built-in questions that want no number and no format, asked before and after training.

It shows what training did to answers nobody paid for: the task's format carried where it does not belong, no reason
given any more, answers grown short or long, a plain text grown surprising. It decides nothing. Left out: who samples
and what the task's format is (handed over), the perplexity (models), whether an answer is true.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from verigrad.acceptance.measure import Sampler
from verigrad.acceptance.task_format import BARE_WORDS, words
from verigrad.records import Finish, Message, Request, seed
from verigrad.statistics import mcnemar, mean_interval, paired_bootstrap, wilson

_END = r"\s*(?:[.,;:!]|$)"
_VERBS = r"(?:answer|assist|comment|discuss|do|explain|give|help(?! but)|offer|provide|say(?! enough)|share|tell)"
_CANNOT = rf"i (?:cannot|can not|can't|could not|couldn't|will not|won't)(?: \w+ly)?(?: {_VERBS}\b|{_END})"
_UNABLE = r"i(?: am|'m) (?:unable|not able)\b"
_KNOWS = rf"i (?:do not|don't) know(?: (?:why|how|what|that|enough|the (?:answer|reason))\b|{_END})"
_HAS = r"i (?:have no|(?:do not|don't) have (?:an?|any)) (?:answer|idea|information|opinion|view)\b"
_SORRY = r"(?:(?:i am |i'm )?(?:so |very )?sorry|unfortunately|as an ai[^.,]*|as a language model)"
_REFUSES = rf"(?:{_CANNOT}|{_UNABLE}|{_KNOWS}|{_HAS})"
_REFUSALS = re.compile(
    rf"\s*(?:{_SORRY}[,.!]? (?:but )?{_REFUSES}|(?:i am |i'm )?sorry,? but\b|{_REFUSES})", re.IGNORECASE
)
P = 0.05
"""Level of the intervals here."""


@dataclass(frozen=True, kw_only=True)
class OffTaskAnswer:
    """One question's answer and what was seen in it."""

    question: str
    """As asked."""
    answer: str
    """The model's output."""
    carries: bool
    """It carries the task's format."""
    refuses: bool
    """It gives no reason: see `refuses_reason`."""
    tokens: int
    """Response tokens."""
    finish: Finish
    """stop | length."""


@dataclass(frozen=True, kw_only=True)
class OffTask:
    """One model's answers to the questions, and its perplexity on the fixed text.

    >>> one = OffTaskAnswer(question="Why?", answer="56", carries=True, refuses=True, tokens=2, finish="stop")
    >>> OffTask(answers=(one,), perplexity=12.5).format
    1.0
    """

    answers: tuple[OffTaskAnswer, ...]
    """In the order of the questions."""
    perplexity: float
    """Of the fixed text, per token of the model's own tokenizer: before and after may be compared, two models not."""

    @property
    def questions(self) -> int:
        """How many were asked."""
        return len(self.answers)

    @property
    def format(self) -> float:
        """Share of answers that carry the task's format."""
        return sum(a.carries for a in self.answers) / len(self.answers)

    @property
    def refusing(self) -> float:
        """Share of answers that give no reason."""
        return sum(a.refuses for a in self.answers) / len(self.answers)

    @property
    def truncated(self) -> float:
        """Share cut at the token limit."""
        return sum(a.finish == "length" for a in self.answers) / len(self.answers)

    @property
    def length(self) -> float:
        """Mean response tokens, those of cut answers among them."""
        return sum(a.tokens for a in self.answers) / len(self.answers)

    def as_json(self) -> dict[str, Any]:
        """Numbers for acceptance.json, shares with their Wilson intervals; `each` pairs before with after.

        `each`: lists [questions] of 0/1 (format, refusing) and token counts, in the order of the questions.
        """
        num = self.questions
        lengths = mean_interval([a.tokens for a in self.answers], range(num), p=P, bounds=(0.0, math.inf))
        return {
            "questions": num,
            "format": self.format,
            "format_interval": list(wilson(sum(a.carries for a in self.answers), num, p=P)),
            "refusing": self.refusing,
            "refusing_interval": list(wilson(sum(a.refuses for a in self.answers), num, p=P)),
            "truncated": self.truncated,
            "length": self.length,
            "length_interval": [lengths.low, lengths.high] if num > 1 else None,
            "perplexity": self.perplexity if math.isfinite(self.perplexity) else None,
            "each": {
                "format": [int(a.carries) for a in self.answers],
                "refusing": [int(a.refuses) for a in self.answers],
                "length": [a.tokens for a in self.answers],
            },
        }

    def rows(self) -> list[dict[str, Any]]:
        """Every question and answer as a plain dict, for a file a person reads."""
        return [
            {
                "question": a.question,
                "answer": a.answer,
                "format": a.carries,
                "refusing": a.refuses,
                "tokens": a.tokens,
                "finish": a.finish,
            }
            for a in self.answers
        ]

    def lines(self) -> list[str]:
        """For a person, one side alone."""
        return [_side(self.as_json())]


@functools.cache
def questions() -> tuple[str, ...]:
    """The built-in questions: harmless, varied, each wants sentences and none a number."""
    text = resources.files("verigrad.acceptance").joinpath("off_task.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line)


@functools.cache
def fixed_text() -> str:
    """About 300 words of plain English prose, written for this purpose: what the perplexity is of."""
    text = resources.files("verigrad.acceptance").joinpath("fixed_text.txt").read_text(encoding="utf-8")
    return text.strip()


def measure_off_task(
    sampler: Sampler,
    *,
    carries: Callable[[str], bool],
    perplexity: float,
    max_tokens: int,
    temperature: float = 0.0,
    stop: tuple[str, ...] = (),
    asked: Sequence[str] | None = None,
    batch: int = 50,
    progress: Callable[[int, int], None] | None = None,
) -> OffTask:
    """One answer to each question, greedy unless `temperature` says otherwise, with seed("off_task", n).

    `carries` says whether a text has the task's format (`task_format(tasks)`), `perplexity` is the model's on
    `fixed_text()`. The question alone is the prompt: no system turn, no examples of the task. `asked`: other questions.
    `progress(done, all)` is called after each batch.
    """
    texts = questions() if asked is None else tuple(asked)
    answers: list[OffTaskAnswer] = []
    for start in range(0, len(texts), batch):
        part = texts[start : start + batch]
        requests = [
            Request(
                prompt=(Message(role="user", content=text),),
                seed=seed("off_task", n),
                max_tokens=max_tokens,
                temperature=temperature,
                stop=stop,
            )
            for n, text in enumerate(part, start)
        ]
        answers += [
            OffTaskAnswer(
                question=text,
                answer=c.text,
                carries=carries(c.text),
                refuses=refuses_reason(c.text),
                tokens=len(c.token_ids),
                finish=c.finish,
            )
            for text, c in zip(part, sampler.sample(requests), strict=True)
        ]
        if progress is not None:
            progress(len(answers), len(texts))
    return OffTask(answers=tuple(answers), perplexity=perplexity)


def refuses_reason(text: str) -> bool:
    """Whether an answer gives no reason at all.

    True where it is empty; where it opens with a refusal ("I cannot help", "I'm sorry, but", "I don't know why", "As an
    AI, I have no view"; "Sorry to hear it" and "I don't know anyone who" are none); and where nothing but a label or a
    value is left once marks of an answer are taken away: at most 4 words with a letter (BARE_WORDS; digits count as no
    word). Every question asks for more than that.
    """
    plain = text.replace("\u2019", "'")
    return _REFUSALS.match(plain) is not None or len(words(text)) <= BARE_WORDS


def off_task_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What changed from one `as_json()` to another, question by question.

    format, refusing: change of the share, its 95% interval (bootstrap over questions) and exact McNemar p; length:
    change of mean tokens with its interval; perplexity: the ratio after / before. Where the two asked different numbers
    of questions, only the changes of the means.
    """
    each = before.get("each"), after.get("each")
    paired = all(each) and before["questions"] == after["questions"]
    out: dict[str, Any] = {}
    for word in ("format", "refusing", "length"):
        change: dict[str, Any] = {"change": after[word] - before[word]}
        if paired:
            d = [a - b for b, a in zip(before["each"][word], after["each"][word], strict=True)]
            boot = paired_bootstrap(d, p=P)
            change["interval"] = [boot.low, boot.high]
            if word != "length":
                change["p_value"] = mcnemar(sum(x > 0 for x in d), sum(x < 0 for x in d)).exact
        out[word] = change
    known = before["perplexity"] and after["perplexity"]
    out["perplexity"] = {"ratio": after["perplexity"] / before["perplexity"] if known else None}
    return out


def off_task_numbers(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """acceptance.json's `off_task`: two `as_json()` and what changed between them."""
    return {"before": dict(before), "after": dict(after), "change": off_task_change(before, after)}


def off_task_lines(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Two `as_json()` for a person: before -> after, with the paired change of each share."""
    change = off_task_change(before, after)
    out = [f"off task: {after['questions']} questions that want no number; it decides nothing"]
    for word, name in (("format", "carry the task's format"), ("refusing", "give no reason")):
        c = change[word]
        tail = ""
        if "interval" in c:
            low, high = c["interval"]
            tail = f", change {c['change']:+.3f} [{low:+.3f}, {high:+.3f}], p {c['p_value']:.2g} by exact McNemar"
        out.append(f"  {name:<24}{before[word]:.3f} -> {after[word]:.3f}{tail}")
    tail = ""
    if "interval" in change["length"]:
        low, high = change["length"]["interval"]
        tail = f", change {change['length']['change']:+.1f} [{low:+.1f}, {high:+.1f}]"
    out.append(
        f"  {'mean tokens':<24}{before['length']:.1f} -> {after['length']:.1f}{tail}, "
        f"cut {before['truncated']:.3f} -> {after['truncated']:.3f}"
    )
    out.append(f"  {'perplexity, plain text':<24}{_plain(before['perplexity'])} -> {_plain(after['perplexity'])}")
    return out


def _side(numbers: Mapping[str, Any]) -> str:
    low, high = numbers["format_interval"]
    least, most = numbers["refusing_interval"]
    return (
        f"off task: {numbers['questions']} questions, format {numbers['format']:.3f} [{low:.3f}, {high:.3f}], "
        f"no reason {numbers['refusing']:.3f} [{least:.3f}, {most:.3f}], {numbers['length']:.1f} tokens, cut "
        f"{numbers['truncated']:.3f}, perplexity {_plain(numbers['perplexity'])}"
    )


def _plain(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
