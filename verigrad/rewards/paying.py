"""From a shaping part of the recipe to what it pays each rollout."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verigrad.recipe import Reward
from verigrad.records import Rollout, Verdict, ungraded
from verigrad.rewards import user
from verigrad.rewards.options import checked, pays
from verigrad.rewards.shaping import OWN_OPTIONS, shaping_of
from verigrad.rewards.shaping.setting import Setting
from verigrad.rewards.user import OwnCheck
from verigrad.sandbox import Pool, Worker


@dataclass(frozen=True, kw_only=True)
class Payer:
    """One shaping part."""

    name: str
    """By which it is logged."""
    pay: Callable[[Sequence[Rollout], Sequence[Verdict]], list[float | Verdict]]
    """Amounts, before weight and gate; a Verdict (ungraded) where nobody could have been shaped."""
    check: OwnCheck | None = None
    """The user's function, where it is one."""


def payer_of(
    part: Reward, *, folder: Path, pool: Pool, max_tokens: int, seconds: float | None, own: bool, key: str
) -> Payer:
    """The payer of a part with `shaping`; the rest as in `shaping.setting`. Raises RecipeError with the key path."""
    named = part.shaping
    assert named is not None
    if user.is_own(named):
        return _own(named, part.options, folder=folder, pool=pool, seconds=seconds, key=key)
    name, options_key = str(named), f"{key}.options"
    module = shaping_of(name, key=f"{key}.shaping")
    values = checked(part.options, module.OPTIONS, key=options_key, whose=name)
    pay = module.payer(values, Setting(pool=pool, max_tokens=max_tokens, own=own, key=options_key))
    return Payer(name=name, pay=lambda rollouts, verdicts: list(pay(rollouts, verdicts)))


def _own(
    named: str | Callable[..., Any],
    options: Mapping[str, Any],
    *,
    folder: Path,
    pool: Pool,
    seconds: float | None,
    key: str,
) -> Payer:
    values = checked(options, OWN_OPTIONS, key=f"{key}.options", whose=str(getattr(named, "__name__", named)))
    low, high = pays(values["range"], key=f"{key}.options.range")
    limit = values["seconds"] if "seconds" in options or seconds is None else seconds
    check = OwnCheck(named, folder=folder, pool=pool, seconds=limit, gold_as=values["gold_as"], key=f"{key}.shaping")

    def read(worker: Worker, answer: str, rollout: Rollout) -> tuple[float | None, str]:
        amount, fault = check.attempt(worker, answer, rollout.task)
        if amount is not None and not (math.isfinite(amount) and low <= amount <= high):
            return None, f"returned {amount!r}, not a number in [{low:g}, {high:g}]"
        return amount, fault

    def one(worker: Worker, rollout: Rollout) -> float | Verdict:
        amount, fault = read(worker, rollout.answer, rollout)
        if amount is not None:
            return amount
        worker.restart()
        gold = check.gold_answer(rollout.task)
        if gold is None or read(worker, gold, rollout)[0] is None:
            return ungraded(f"{check.name}: {fault}; it says nothing of the gold either", rule=check.name)
        again, _ = read(worker, rollout.answer, rollout)
        return low if again is None else again

    return Payer(name=check.name, pay=lambda rollouts, _: pool.map(one, rollouts), check=check)
