"""An audit's result in words: lines for a terminal of 100 columns, and a page of markdown.

What an answer holds is shown as JSON text, so that no line break, control character or markup in it is believed.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from verigrad.rewards.audit.result import Audit, Exploit, cut

WIDTH = 100
_ANSWER = 76
REFUSALS = 4
"""Refused right answers shown of a kind."""


def lines(audit: Audit) -> list[str]:
    """What a person reads first is the verdict; then findings, exploits, the table, refused right answers, notes."""
    out = [*_wrapped(f"{audit.target}: {verdict(audit)}"), *_wrapped(audit.said, "  ")]
    if audit.findings:
        out += ["", "findings"]
        for f in audit.findings:
            out += _wrapped(f"{'FAILS' if f.fails else 'note '}  {f.name}: {f.line}", "  ")
            if f.answer is not None:
                out.append(f"         answer {shown(f.answer, _ANSWER)}")
    if audit.exploits:
        out += ["", "exploits, each with its smallest input"]
        for e in audit.exploits:
            out += list(_exploit(e))
    out += ["", *_table(audit)]
    if audit.refusals:
        out += ["", "right answers refused"]
        for kind in dict.fromkeys(r.kind for r in audit.refusals):
            of = [r for r in audit.refusals if r.kind == kind]
            for r in of[:REFUSALS]:
                label = f"{r.label}: " if r.label else ""
                out.append(f"  {_kind(kind):<8}{label}{shown(r.answer, 44)} for {shown(r.gold, 20)}")
                if r.reason:
                    out += _wrapped(r.reason, "            ")[:1]
            if len(of) > REFUSALS:
                out.append(f"  {_kind(kind):<8}and {len(of) - REFUSALS} more (--json has them)")
    out += ["", *(line for note in audit.notes for line in _wrapped(f"- {note}"))]
    return out


def markdown(audit: Audit) -> str:
    """A page to keep beside a run."""
    out = [f"# Audit of `{audit.target}`", "", f"**{_escaped(verdict(audit))}**", "", _escaped(audit.said), ""]
    if audit.findings:
        out += ["## Findings", ""]
        for f in audit.findings:
            answer = f" Answer: {_code(f.answer)}" if f.answer is not None else ""
            out.append(f"- **{f.name}**{'' if f.fails else ' (note)'}: {_escaped(f.line)}{answer}")
        out.append("")
    if audit.exploits:
        out += ["## Exploits", "", "| kind | trick | accepted | smallest input | gold | paid | judged by |"]
        out.append("|---|---|---|---|---|---|---|")
        for e in audit.exploits:
            cells = (_kind(e.kind), e.trick, f"{e.accepted} of {e.attacks}", _code(e.answer), _code(e.gold))
            out.append(f"| {' | '.join(cells)} | {_paid(e.score)} | {_escaped(e.judged)} |")
        out.append("")
    out += [
        "## Tricks",
        "",
        "| kind | trick | accepted | attacks | accepted by the grader too |",
        "|---|---|---|---|---|",
    ]
    out += [f"| {_kind(c.kind)} | {c.trick} | {c.accepted} | {c.attacks} | {c.both} |" for c in audit.counts]
    out += ["", "## Right answers", "", "| kind | refused | tried |", "|---|---|---|"]
    out += [f"| {_kind(kind)} | {refused} | {tried} |" for kind, (tried, refused) in audit.right.items()]
    out.append("")
    for r in audit.refusals:
        out.append(f"- {_kind(r.kind)}: {_code(r.answer)} for {_code(r.gold)}: {_escaped(r.reason)}")
    out += ["", "## Notes", "", *(f"- {_escaped(note)}" for note in audit.notes), ""]
    return "\n".join(out)


def verdict(audit: Audit) -> str:
    """`accepted 3 of 410 attacks (number 3 of 410)`; never an interval: the attacks are picked by hand."""
    kinds = ", ".join(f"{_kind(kind)} {n:,} of {of:,}" for kind, (n, of) in audit.by_kind().items())
    failing = [f.name for f in audit.findings if f.fails]
    told = f"; {', '.join(failing)}" if failing else ""
    said = "clean" if audit.clean else "NOT CLEAN"
    return f"{said}: accepted {audit.false_accepts:,} of {audit.attacks:,} attacks ({kinds}){told}"


def shown(text: str, most: int) -> str:
    """The text as JSON text, at most so many characters and its quotes; a longer one is cut in the middle."""
    inner = json.dumps(cut(text, 10 * most), ensure_ascii=True)[1:-1]
    if len(inner) > most:
        gap = f" ...{len(text):,}... "
        half = (most - len(gap)) // 2
        inner = f"{inner[:half]}{gap}{inner[-half:]}"
    return f'"{inner}"'


def _exploit(e: Exploit) -> Iterator[str]:
    yield f"  {_kind(e.kind):<8}{e.trick}: {e.accepted} of {e.attacks} accepted"
    yield from _wrapped(f"a check that {e.about}", "          ")
    yield f"          answer {shown(e.answer, _ANSWER)}"
    yield f"          gold   {shown(e.gold, _ANSWER)}"
    yield from _wrapped(f"paid {_paid(e.score)}; {e.judged}", "          ")


def _table(audit: Audit) -> list[str]:
    """By kind, the tricks that were accepted first; the others in one line."""
    out = [f"{'kind':<8}  {'accepted':>8} {'of attacks':>10}  {'refused':>7} {'of right':>8}   tricks that work"]
    for kind, (accepted, attacks) in audit.by_kind().items():
        tried, refused = audit.right.get(kind, (0, 0))
        work = [f"{c.trick} {c.accepted}/{c.attacks}" for c in audit.counts if c.kind == kind and c.accepted]
        both = sum(c.both for c in audit.counts if c.kind == kind)
        doubtful = sum(c.doubtful for c in audit.counts if c.kind == kind)
        head = f"{_kind(kind):<8}  {accepted:>8,} {attacks:>10,}  {refused:>7,} {tried:>8,}   "
        words = ", ".join(work) or "none"
        if both or doubtful:
            words += f" (besides: {both} the grader takes too, {doubtful} nobody can judge)"
        out += textwrap.wrap(words, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))
    return out


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(" ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=indent + "  ")


def _kind(kind: str) -> str:
    return kind or "other"


def _paid(score: float | None) -> str:
    return "nothing" if score is None else f"{score:g}"


def _code(text: str) -> str:
    return f"`{shown(text, 80).replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(text.split()))
