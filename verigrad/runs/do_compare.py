"""`compare`: two runs on their stored answers, or two models measured afresh by a recipe's suites.

Either side may be several training seeds. Left out: the arithmetic (acceptance.versus), measuring (afresh).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.acceptance import overall, versus, versus_lines, with_holm
from verigrad.acceptance.decide import Rule
from verigrad.errors import Refused
from verigrad.recipe import Recipe
from verigrad.records import Decision
from verigrad.runs.sides import BEFORE, Answers, StoredRun, differences, names, place, stored, trained
from verigrad.runs.talk import Silent, Talk

Side = str | Path | Sequence[str | Path]


@dataclass(frozen=True, kw_only=True)
class Compared:
    """B against A, suite by suite."""

    numbers: dict[str, Any]
    """verdict, why, a, b (names), measured ("stored" or "fresh"), notes, suites (see acceptance.versus)."""

    @property
    def better(self) -> bool:
        """True iff B is shown better in every suite (in a guard: not worse than its margin)."""
        return bool(self.numbers["verdict"] == "better")

    def as_json(self) -> dict[str, Any]:
        """The numbers."""
        return self.numbers

    def lines(self) -> list[str]:
        """For a person."""
        told = [f"A  {', '.join(self.numbers['a'])}", f"B  {', '.join(self.numbers['b'])}"]
        told += [f"note: {note}" for note in self.numbers["notes"]]
        told += [line for suite in self.numbers["suites"] for line in versus_lines(suite)]
        return [*told, f"B is {self.numbers['verdict'].replace('_', ' ').upper()}: {self.numbers['why']}"]


def compare(
    a: Side,
    b: Side,
    *,
    recipe: Recipe | str | Path | None = None,
    sets: Sequence[str] = (),
    talk: Talk | None = None,
) -> Compared:
    """Whether B is better than A, by the suites' own rules, paired item by item.

    Without `recipe`: both are finished runs; their trained models' stored answers to the items they share are compared
    by the rules of B, nothing is sampled and no held-out side is opened. A = "before": what the runs of B started from.
    With `recipe`: both are models (as model.path takes them) or runs (their model/), measured afresh on its held-out
    side. Either side may be several training seeds of one recipe: a sequence, or a text with commas. The answer is that
    of the least suite. Raises Refused where they share no item or a side is not there.
    """
    talk = talk or Silent()
    of_a, of_b = names(a), names(b)
    on_b = {place(name) for name in of_b}
    if both := [name for name in of_a if place(name) in on_b]:
        raise Refused(f"{', '.join(both)} is on both sides: nothing to compare")
    if recipe is None:
        return _stored(of_a, of_b)
    # Stored answers need no model: torch is imported only here.
    from verigrad.runs.afresh import measured_afresh

    found, rules, notes = measured_afresh((*of_a, *of_b), recipe, sets, talk)
    answers_a, answers_b = [found[name] for name in of_a], [found[name] for name in of_b]
    fixed = frozenset(letter for letter, side in (("a", of_a), ("b", of_b)) if not any(map(trained, side)))
    return _compared(list(of_a), list(of_b), answers_a, answers_b, rules, notes, measured="fresh", fixed=fixed)


def _stored(a: tuple[str, ...], b: tuple[str, ...]) -> Compared:
    right = [stored(name) for name in b]
    before = a == (BEFORE,) and not Path(BEFORE).exists()
    left = right[:1] if before else [stored(name) for name in a]
    notes = [] if before else differences(left, right)
    if before and len({r.settings.get("model.path") for r in right}) > 1:
        raise Refused(f"the runs of B start from different models: {BEFORE} is not one model")
    answers_a = [run.before if before else run.after for run in left]
    answers_b = [run.after for run in right]
    rules = _rules_of(right)
    shared = [suite for suite in rules if all(suite in run for run in (*answers_a, *answers_b))]
    if not shared:
        mine, other = (", ".join(sorted({s for run in side for s in run})) for side in (answers_a, answers_b))
        raise Refused(f"the two share no suite: A has {mine}; B has {other}; --recipe R measures both afresh")
    lost = sorted({s for run in (*answers_a, *answers_b) for s in run} - set(shared))
    notes += [f"not every run has the suite {suite}: left out" for suite in lost]
    named = [f"what B started from ({left[0].settings.get('model.path')})"] if before else list(a)
    rules = {suite: rules[suite] for suite in shared}
    fixed = frozenset({"a"} if before else ())
    return _compared(named, list(b), answers_a, answers_b, rules, notes, measured="stored", fixed=fixed)


def _rules_of(runs: Sequence[StoredRun]) -> dict[str, Rule]:
    """The rules of the last run of B; Refused where one of its suites has none."""
    last = runs[-1]
    for suite in last.after:
        if suite not in last.rules:
            raise Refused(f"{last.name}: resolved.json has no rule for its suite {suite}; say --recipe R")
    return {suite: last.rules[suite] for suite in last.after}


def _compared(
    a: list[str],
    b: list[str],
    answers_a: Sequence[Answers],
    answers_b: Sequence[Answers],
    rules: Mapping[str, Rule],
    notes: list[str],
    *,
    measured: str,
    fixed: frozenset[str],
) -> Compared:
    suites = with_holm(
        [
            versus([run[suite] for run in answers_a], [run[suite] for run in answers_b], rule, suite=suite, fixed=fixed)
            for suite, rule in rules.items()
        ]
    )
    name, least = overall({s["suite"]: _decision(s["decision"]) for s in suites})
    words = {"accepted": "better", "not_accepted": "not_better", "undecided": "undecided"}
    numbers = {
        "verdict": words[least.verdict],
        "why": f"{name}: {least.why}",
        "a": a,
        "b": b,
        "measured": measured,
        "notes": notes,
        "suites": suites,
    }
    return Compared(numbers=numbers)


def _decision(plain: Mapping[str, Any]) -> Decision:
    return Decision(**{**plain, "interval": tuple(plain["interval"])})
