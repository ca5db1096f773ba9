"""What an audit found, as one record; its JSON is documented in docs/audit.md. Left out: its words (`words`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

SHOWN = 4_000
"""Characters of an answer in JSON; longer ones are cut in the middle, with their length said."""


@dataclass(frozen=True, kw_only=True)
class Count:
    """Attacks of one trick on rows of one kind."""

    kind: str
    """The rows' kind; "" where no kind reads their golds."""
    trick: str
    """The trick's name, or "shipped cases"."""
    attacks: int
    """Answers that are not right, or not known to be, and were tried."""
    accepted: int
    """False accepts among them."""
    both: int
    """Accepted by the independent grader too: a policy, or a question for the grader."""
    doubtful: int
    """Accepted, and nobody can say that it is wrong: the gold in words that no grader reads."""


@dataclass(frozen=True, kw_only=True)
class Exploit:
    """A trick that works, with its smallest input."""

    kind: str
    """The row's kind."""
    trick: str
    """The trick's name."""
    about: str
    """What a check that falls for it does wrong."""
    answer: str
    """The smallest answer found that is accepted and not right."""
    gold: str
    """What is right."""
    question: str
    """What was asked, cut."""
    score: float | None
    """What it was paid."""
    judged: str
    """Who says that it is not right: the grader's word, a shipped case's id, or how it was built."""
    accepted: int
    """Attacks of this trick on this kind that were accepted."""
    attacks: int
    """Attacks of this trick on this kind."""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A right answer that was not accepted."""

    kind: str
    """The row's kind."""
    answer: str
    """The answer."""
    gold: str
    """What is right."""
    reason: str
    """What the check said."""
    label: str
    """A shipped case's id; "" for a spelling of a row's gold."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something else that is wrong with the check."""

    name: str
    """constant, random score, depends on the order, depends on the company, exception, hang, died, no score, not a
    number, non-finite, out of range, partial credit, pays no gold."""
    fails: bool
    """It makes the audit say no."""
    line: str
    """One line for a person."""
    answer: str | None = None
    """An answer that shows it."""


@dataclass(frozen=True, kw_only=True)
class Audit:
    """An audit's result.

    `clean` is False on any false accept and on any finding that fails.
    """

    target: str
    """The audited check's name."""
    said: str
    """What it is and how it was called."""
    notes: tuple[str, ...]
    """What a reader must know: where the rows come from, which grader decided, what was not tried."""
    rows: Mapping[str, int]
    """Rows by kind."""
    counts: tuple[Count, ...]
    """Attacks by kind and trick."""
    right: Mapping[str, tuple[int, int]]
    """Kind -> right answers tried, refused."""
    exploits: tuple[Exploit, ...]
    """One for each kind and trick that works."""
    refusals: tuple[Refusal, ...]
    """Right answers that were refused, at most a few a kind."""
    findings: tuple[Finding, ...]
    """Findings."""

    @property
    def false_accepts(self) -> int:
        """Accepted attacks that are not right."""
        return sum(c.accepted for c in self.counts)

    @property
    def attacks(self) -> int:
        """Attacks tried."""
        return sum(c.attacks for c in self.counts)

    @property
    def clean(self) -> bool:
        """No false accept, no finding that fails."""
        return not self.false_accepts and not any(f.fails for f in self.findings)

    def by_kind(self) -> dict[str, tuple[int, int]]:
        """Kind -> accepted, attacks."""
        out: dict[str, tuple[int, int]] = {}
        for c in self.counts:
            accepted, attacks = out.get(c.kind, (0, 0))
            out[c.kind] = (accepted + c.accepted, attacks + c.attacks)
        return out

    def as_json(self) -> dict[str, Any]:
        """The document `--json` prints."""
        right = {kind: {"tried": tried, "refused": refused} for kind, (tried, refused) in self.right.items()}
        kinds = {kind: {"accepted": n, "attacks": of} for kind, (n, of) in self.by_kind().items()}
        return {
            "target": self.target,
            "said": self.said,
            "clean": self.clean,
            "accepted": self.false_accepts,
            "attacks": self.attacks,
            "by_kind": kinds,
            "right_answers": right,
            "rows": dict(self.rows),
            "notes": list(self.notes),
            "tricks": [asdict(c) for c in self.counts],
            "exploits": [{**asdict(e), "answer": cut(e.answer, SHOWN)} for e in self.exploits],
            "refused": [{**asdict(r), "answer": cut(r.answer, SHOWN)} for r in self.refusals],
            "findings": [
                {**asdict(f), "answer": None if f.answer is None else cut(f.answer, SHOWN)} for f in self.findings
            ],
        }

    def lines(self) -> list[str]:
        """The result for a person, at most 100 columns wide."""
        from verigrad.rewards.audit.words import lines

        return lines(self)

    def markdown(self) -> str:
        """The result as a page."""
        from verigrad.rewards.audit.words import markdown

        return markdown(self)


def cut(text: str, most: int) -> str:
    """The text, or its beginning and end with the number of characters between them."""
    if len(text) <= most:
        return text
    half = max(1, (most - 30) // 2)
    return f"{text[:half]} ... {len(text) - 2 * half:,} characters ... {text[-half:]}"
