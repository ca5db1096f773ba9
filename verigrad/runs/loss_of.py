"""What a stage's [loss] means for its kind. Left out: the losses themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from verigrad.errors import Refused
from verigrad.losses import Method, PreferenceMethod, build, build_preference, methods, preferences, sets_elsewhere
from verigrad.recipe import POLICY_AXES, PREFERENCE_AXES, Recipe
from verigrad.training.reward_model import CENTER

PAIRS = "bradley_terry"
"""The one loss of a reward model."""


def method_sets(name: str) -> Mapping[str, Any]:
    """What an rl stage's method sets outside [loss]; see `losses.sets_elsewhere`. Raises Refused."""
    if name in preferences:
        raise Refused(f'loss.method = "{name}" learns from pairs: [[stage]] kind = "preference"', key="loss.method")
    return sets_elsewhere(name)


def method_of(recipe: Recipe, own: Mapping[str, Any]) -> Method:
    """The policy-gradient method of an rl stage. Raises Refused."""
    loss = recipe.loss
    method_sets(loss.method)
    return build(loss.method, _axes(loss.axes, own, POLICY_AXES, PREFERENCE_AXES, "rl"))


def preference_of(recipe: Recipe, own: Mapping[str, Any]) -> PreferenceMethod:
    """The preference method of a preference stage. Raises Refused."""
    loss = recipe.loss
    if loss.method in methods:
        written = recipe.document.has(("loss", "method"))
        said = f'loss.method is "{loss.method}", which learns from rewards' if written else "needs its loss"
        raise Refused(f'a preference stage: {said}; say [stage.loss] method = "dpo"', key="loss.method")
    return build_preference(loss.method, _axes(loss.axes, own, PREFERENCE_AXES, POLICY_AXES, "preference"))


def center_of(recipe: Recipe, own: Mapping[str, Any]) -> float:
    """The centring coefficient of a reward model: `link = { center = 0.01 }`, which is the default. Raises Refused."""
    method = own.get("method", PAIRS)
    if method != PAIRS:
        raise Refused(f'a reward_model stage: loss.method is "{PAIRS}", not "{method}"', key="loss.method")
    for key in own:
        if key not in ("method", "link"):
            raise Refused(
                f"a reward_model stage has no loss.{key}: link = {{ center = 0.01 }} is all", key=f"loss.{key}"
            )
    link = own.get("link", {})
    value = link.get("center", CENTER) if isinstance(link, Mapping) and set(link) <= {"center"} else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise Refused("loss.link of a reward_model stage wants { center = a number of at least 0 }", key="loss.link")
    return float(value)


def _axes(
    axes: Mapping[str, Any], own: Mapping[str, Any], ours: tuple[str, ...], theirs: tuple[str, ...], kind: str
) -> dict[str, Any]:
    """The axes of this family. What the tables above the stages say for the other family is not for this stage."""
    for axis in theirs:
        if axis in own:
            raise Refused(f"loss.{axis} is no axis of {'an' if kind == 'rl' else 'a'} {kind} stage; it has "
                          f"{', '.join(ours)}", key=f"loss.{axis}")  # fmt: skip
    return {axis: given for axis, given in axes.items() if axis in ours}
