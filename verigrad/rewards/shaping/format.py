r"""`format`: paid for the asked form, right or wrong.

By default the form is the verifier's own: exactly one committed answer was read. `kind` asks another verifier whether
one is; `pattern` is a regular expression for the whole answer; `rule` is a rule of the verifier `format`, for instance
{ rule = "think_block", min_reasoning_chars = 20, prefilled_open_tag = true }: one block of reasoning and then an
answer, where the chat template wrote <think> itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from verigrad.errors import RecipeError
from verigrad.records import Rollout, Task, Verdict
from verigrad.rewards.judges import BuiltIn
from verigrad.rewards.options import Option, pays
from verigrad.rewards.shaping.setting import Pay, Setting
from verigrad.rewards.verifiers import format as rules
from verigrad.rewards.verifiers import kind
from verigrad.sandbox import Worker

OPTIONS: Mapping[str, Option] = {
    "kind": Option(default="", type=str, meaning="the verifier whose one committed answer is asked for; the row's own"),
    "pattern": Option(default="", type=str, meaning="a regular expression the whole answer must have the form of"),
    "rule": Option(default=None, type=dict, meaning="a rule of the verifier format, with its keys"),
    "pays": Option(default=(0.0, 1.0), type=(list, tuple), meaning="what a wrong and a right form are paid"),
    "seconds": Option(default=1.0, type=float, meaning="a pattern not decided by then counts as the wrong form"),
}


def payer(values: Mapping[str, Any], setting: Setting) -> Pay:
    """By the one form that is asked for. Raises RecipeError."""
    low, high = pays(values["pays"], key=f"{setting.key}.pays")
    if sum(bool(values[name]) for name in ("kind", "pattern", "rule")) > 1:
        raise RecipeError(f"{setting.key}: kind, pattern or rule, not two of them", key=setting.key)
    if values["pattern"]:
        return _pattern(values, setting, low, high)
    if values["rule"] is not None:
        asked = Task.make(prompt="", gold=dict(values["rule"]))
        if fault := rules.check_gold(asked):
            raise RecipeError(f"{setting.key}.rule: {fault}", key=f"{setting.key}.rule")
        return lambda rollouts, _: [high if rules.verify(r.answer, asked).correct else low for r in rollouts]
    if values["kind"]:
        module = kind(values["kind"], key=f"{setting.key}.kind")
        judge = BuiltIn(module, {name: option.default for name, option in module.OPTIONS.items()})
        return lambda rollouts, _: [
            high if has_form(v) else low for v in judge.verify_all([(r.answer, r.task) for r in rollouts])
        ]
    if setting.own:
        raise RecipeError(
            f"{setting.key}: a check of your own says nothing of the form: give format a kind, a pattern or a rule",
            key=setting.key,
        )
    return lambda _, verdicts: [high if has_form(v) else low for v in verdicts]


def has_form(verdict: Verdict) -> bool:
    """Exactly one committed answer was read, right or wrong."""
    return verdict.read is not None and verdict.status in ("right", "wrong")


def _pattern(values: Mapping[str, Any], setting: Setting, low: float, high: float) -> Pay:
    pattern, seconds = values["pattern"], values["seconds"]
    try:
        re.compile(pattern)
    except re.error as error:
        key = f"{setting.key}.pattern"
        raise RecipeError(f"{key} is no regular expression: {error}", key=key) from None

    def fits(worker: Worker, rollout: Rollout) -> float:
        outcome = worker.call("verigrad.rewards.check_process:matches", [pattern, rollout.answer], seconds=seconds)
        return high if outcome.kind == "value" and outcome.value is True else low

    return lambda rollouts, _: setting.pool.map(fits, rollouts)
