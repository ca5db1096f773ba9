"""The four questions answered in one line each, from a run's resolved values (docs/design.md 1). Left out: HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from verigrad.reporting.view import View

QUESTIONS = (
    "Where does the data come from?",
    "Who gives the reward?",
    "How is the loss computed?",
    "Who accepts the result?",
)


def four_answers(v: View) -> tuple[str, str, str, str]:
    """One line for each of QUESTIONS, in order: as the run wrote them down, else from its values."""
    said = v.resolved.get("answers")
    if isinstance(said, list) and len(said) == 4 and all(isinstance(line, str) for line in said):
        one, two, three, four = (re.sub(r"^[1-4]\. \w+\s+", "", line) for line in said)
        return one, two, three, four
    return data_line(v), reward_line(v), loss_line(v), acceptance_line(v)


def data_line(v: View) -> str:
    """The sources and what is held out of them."""
    parts = []
    for d in v.children("data"):
        held = d.get("held_out")
        kept = f"{held:.0%} of the families held out" if isinstance(held, float | int) else f"held out: {held}"
        weight = f", weight {d['weight']:g}" if isinstance(d.get("weight"), float | int) else ""
        parts.append(
            f"{d.get('source', '?')} ({kept}{weight})" if held is not None else f"{d.get('source', '?')}{weight}"
        )
    return "; ".join(parts) or "not recorded"


def reward_line(v: View) -> str:
    """The verifier, shaping parts and reward models, with their weights."""
    parts = []
    for r in v.paid:
        kind = next((k for k in ("verifier", "shaping", "model") if r.get(k) is not None), None)
        if kind is None:
            continue
        extra = [f"weight {r['weight']:g}"] if r.get("weight", 1) != 1 else []
        extra += ["only when right"] if r.get("gated") else []
        extra += [f"on {r['on']}"] if r.get("on") else []
        parts.append(f"{kind} {r[kind]}" + (f" ({', '.join(extra)})" if extra else ""))
    return "; ".join(parts) or "not recorded"


def loss_line(v: View) -> str:
    """The method by the name it has become, or with what was changed."""
    said = v.resolved.get("method")
    if isinstance(said, str):
        return said
    if isinstance(said, Mapping):
        for key in ("ran", "description"):
            if isinstance(said.get(key), str):
                return str(said[key])
    return str(v.value("loss.method", "not recorded"))


def acceptance_line(v: View) -> str:
    """The graders, their rules, and whether any is the training verifier itself."""
    parts = []
    for s in v.children("acceptance"):
        grader = s.get("grader")
        name = "the training verifier itself, NOT INDEPENDENT" if grader == "same" else f"grader {grader}"
        on = f" on {s['source']}" if s.get("source") else ""
        parts.append(f"{name}{on}{_rule(s)}")
    return "; ".join(parts) or "nobody: the recipe has no [acceptance]"


def _rule(suite: Mapping[str, Any]) -> str:
    rule = suite.get("rule")
    rule = dict(rule) if isinstance(rule, Mapping) else {}
    rule |= {k.removeprefix("rule."): v for k, v in suite.items() if k.startswith("rule.")}
    rule |= {k.removeprefix("value."): v for k, v in rule.items()}
    says = [str(rule["test"])] if rule.get("test") else []
    says += [f"{rule['answers']} answers an item"] if rule.get("test") == "sampled" and rule.get("answers") else []
    says += [f"p {rule['p']:g}"] if isinstance(rule.get("p"), float | int) else []
    if isinstance(rule.get("margin"), float | int):
        says.append(f"guard: may not fall by more than {abs(rule['margin']) * 100:g} points")
    elif isinstance(rule.get("gain"), float | int):
        says.append(f"gain above {rule['gain'] * 100:g} points")
    return f" ({', '.join(says)})" if says else ""
