"""What needs more than one key of the recipe, and nothing but the recipe. Each refusal is one line with its place.

Left out: files (files), rooms' own words (the rooms), what this version has not built (built).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verigrad.errors import RecipeError, nearest
from verigrad.recipe.document import listed
from verigrad.recipe.grammar import name_of
from verigrad.recipe.lines import Path
from verigrad.recipe.recipe import Recipe
from verigrad.recipe.tables import Data, Stage, Suite, source_name

_OFF = {"top_p": (1,), "top_k": (0, -1)}
"""Values that switch top-p and top-k off, beside false and "off"."""


def check_recipe(recipe: Recipe) -> None:
    """All checks, of the whole recipe and of each stage. Raises RecipeError."""
    stages = recipe.flat or (recipe,)
    for n, _ in enumerate(listed(recipe.document.value.get("stage"))):
        _check_stage_tables(recipe, n)
    known = {d.name for each in (recipe, *stages) for d in each.data}
    for each in (recipe, *recipe.flat):
        _check_names(each)
        _check_parts(each)
        _check_on(each, known)
        if each is recipe or each.stages[0].kind == "rl":  # other stages inherit a reward and pay nobody
            _check_models(each, recipe.stages if each is recipe else recipe.stages[: each.stages[0].number - 1])
    for each in stages:
        _check_stage(each)
        _check_mined(each, recipe.stages[: each.stages[0].number - 1])
        if each.stages[0].kind != "reward_model":  # which is accepted on its own held-out pairs
            _check_suites(each, recipe.data)
    _check_units_used(recipe)


def _check_stage(recipe: Recipe) -> None:
    if not recipe.data:
        raise _refusal(recipe, ("data",), "[data] is missing: it needs data.source, where the data comes from")
    _check_unit(recipe)
    if recipe.stages[0].kind == "rl":
        _check_judged(recipe)
        _check_drawing(recipe)
    _check_rules(recipe)


def _check_mined(recipe: Recipe, before: Sequence[Stage]) -> None:
    """`run:.` reads the rollouts of an rl stage of this run."""
    for n, data in enumerate(recipe.data):
        if data.source == "run:." and not any(s.kind == "rl" for s in before):
            text = 'data.source = "run:.": no rl stage comes before this one; name another run, run:NAME'
            raise _refusal(recipe, ("data", n, "source"), text)


def judged_sides(suites: Sequence[Suite], data: Sequence[Data]) -> tuple[tuple[str, ...], ...]:
    """For each suite the names of the sources whose held-out side it judges; none where its items are from elsewhere.

    `data` is the whole recipe's, whose held-out sides all stages use. A suite without `source` judges every side.
    """
    sides = held_out_sides(data)
    names = {d.name for d in data}
    return tuple(sides if s.source is None else (str(s.source),) if _names_data(s, names) else () for s in suites)


def held_out_sides(data: Sequence[Data]) -> tuple[str, ...]:
    """Names of the sources that keep a held-out side."""
    return tuple(d.name for d in data if isinstance(d.held_out, str) or d.held_out > 0)


def _names_data(suite: Suite, names: Iterable[str]) -> bool:
    return isinstance(suite.source, str) and suite.source in names


def _refusal(recipe: Recipe, path: Path, message: str) -> RecipeError:
    return recipe.document.refusal(path, message)


def _key(recipe: Recipe, path: Path) -> str:
    return name_of(recipe.document, path)


def _check_names(recipe: Recipe) -> None:
    seen: set[str] = set()
    for n, data in enumerate(recipe.data):
        path: Path = ("data", n, "source")
        if data.name in seen:
            raise _refusal(recipe, path, f"{_key(recipe, path)}: two sources are called {data.name}; rename one's file")
        seen.add(data.name)


def _check_parts(recipe: Recipe) -> None:
    for n, part in enumerate(recipe.reward):
        given = [name for name in ("verifier", "shaping", "model") if getattr(part, name) is not None]
        path: Path = ("reward", n)
        if not given:
            text = f"{_key(recipe, path)} gives no reward: say verifier, shaping or model"
            raise _refusal(recipe, path, text)
        if len(given) > 1:
            text = f"{_key(recipe, path)} has {' and '.join(given)}: one [[reward]] each"
            raise _refusal(recipe, (*path, given[1]), text)


def _check_unit(recipe: Recipe) -> None:
    kind = recipe.stages[0].kind
    train = recipe.train
    right, other = ("steps", "epochs") if kind == "rl" else ("epochs", "steps")
    of = f"stage {recipe.stages[0].number} ({kind})" if recipe.document.home else "an rl stage"
    if getattr(train, other) is not None:
        raise _refusal(recipe, ("train", other), f"{of} counts in train.{right}, not in train.{other}")
    if getattr(train, right) is None:
        what = "rounds of sampling and updates" if kind == "rl" else "passes over the data"
        raise _refusal(recipe, ("train", right), f"train.{right} is missing: {of} counts in {what}")


def _check_rules(recipe: Recipe) -> None:
    for n, suite in enumerate(recipe.acceptance):
        rule: Path = ("acceptance", n, "rule")
        if suite.rule.margin is not None and recipe.document.has((*rule, "gain")):
            text = f"{_key(recipe, rule)} has margin, which makes a guard, and gain: one of the two"
            raise _refusal(recipe, (*rule, "gain"), text)
        heat = recipe.sampling.temperature if suite.rule.temperature is None else suite.rule.temperature
        if suite.rule.test == "sampled" and heat == 0:
            text = f'{_key(recipe, rule)}: test = "sampled" needs a temperature above 0, or test = "greedy"'
            raise _refusal(recipe, rule, text)


def _check_judged(recipe: Recipe) -> None:
    judges = [part for part in recipe.reward if part.shaping is None]
    if not judges:
        text = "no reward part is a verifier or a reward model: an rl stage needs one to say what is right"
        raise _refusal(recipe, ("reward",), text)
    for n, data in enumerate(recipe.data):
        if not any(part.judges(data.name) for part in judges):
            text = f"no verifier judges {data.name}: name it in a part's reward.on"
            raise _refusal(recipe, ("data", n, "source"), text)
    for n, part in enumerate(recipe.reward):
        for data in recipe.data if part.gated else ():
            if part.judges(data.name) and not any(j.judges(data.name) and j.verifier is not None for j in judges):
                text = f"reward.gated pays when a verifier says right, and none judges {data.name}"
                raise _refusal(recipe, ("reward", n, "gated"), text)


def _check_drawing(recipe: Recipe) -> None:
    sampling, train = recipe.sampling, recipe.train
    if sampling.temperature == 0:
        text = "sampling.temperature wants a number above 0 for rl, got 0: equal answers carry no gradient"
        raise _refusal(recipe, ("sampling", "temperature"), text)
    for name, off in _OFF.items():
        value = sampling.options.get(name, False)
        if value is not False and value != "off" and not (not isinstance(value, bool) and value in off):
            text = f"sampling.options.{name} is for acceptance only: training draws from the whole distribution"
            raise _refusal(recipe, ("sampling", "options", name), text)
    answers = train.prompts * train.group
    if train.minibatches > answers:
        text = f"train.minibatches = {train.minibatches}: a step has {answers} answers (train.prompts x train.group)"
        raise _refusal(recipe, ("train", "minibatches"), text)


def _check_on(recipe: Recipe, known: Iterable[str]) -> None:
    for n, part in enumerate(recipe.reward):
        for name in part.on or ():
            if name not in known:
                path: Path = ("reward", n, "on")
                raise _refusal(recipe, path, f'{_key(recipe, path)}: no source "{name}"{nearest(name, known)}')
        if part.on == ():
            raise _refusal(recipe, ("reward", n, "on"), "reward.on names no source: leave it out for all")


def _check_models(recipe: Recipe, before: Sequence[Stage]) -> None:
    """`model = "stage:N"` names a reward_model stage before this one."""
    for n, part in enumerate(recipe.reward):
        if part.model is None or not part.model.startswith("stage:"):
            continue
        number = part.model.removeprefix("stage:")
        if number not in {str(s.number) for s in before if s.kind == "reward_model"}:
            text = f'reward.model = "{part.model}": no stage of kind reward_model with that number comes before'
            raise _refusal(recipe, ("reward", n, "model"), text)


def _check_suites(recipe: Recipe, data: Sequence[Data]) -> None:
    if not recipe.acceptance:
        text = "[acceptance] is missing: it needs acceptance.grader, who accepts the result"
        raise _refusal(recipe, ("acceptance",), text)
    kept = held_out_sides(data)
    judge: dict[str, int] = {}
    elsewhere: dict[str, int] = {}
    for n, (suite, sides) in enumerate(zip(recipe.acceptance, judged_sides(recipe.acceptance, data), strict=True)):
        path: Path = ("acceptance", n, "source")
        for side in sides:
            if side not in kept:
                text = f'acceptance.source = "{side}": that source has data.held_out = 0, so nothing to judge'
                raise _refusal(recipe, path, text)
            if side in judge:
                raise _refusal(recipe, path, _twice(recipe, side, judge[side], n))
            judge[side] = n
        if suite.source is None and not sides:
            text = "acceptance has nothing to judge: no [[data]] has held_out above 0, and it names no source"
            raise _refusal(recipe, path, text)
        if not sides and suite.source is not None:
            name = source_name(suite.source) if callable(suite.source) else suite.source
            if name in elsewhere:
                raise _refusal(recipe, path, f"two [[acceptance]] judge {name}: each item has exactly one suite")
            elsewhere[name] = n
    for n, each in enumerate(data):
        if each.name in kept and each.name not in judge:
            text = f"no [[acceptance]] judges the held-out side of {each.name}: add one, or held_out = 0"
            raise _refusal(recipe, ("data", n, "source"), text)


def _twice(recipe: Recipe, side: str, first: int, second: int) -> str:
    """Two suites for one held-out side; a suite without source is the usual reason."""
    unnamed = [n for n in (first, second) if recipe.acceptance[n].source is None]
    if unnamed:
        return (
            f"two [[acceptance]] judge the held-out side of {side}: one without source judges every held-out side; "
            "name its source"
        )
    return f"two [[acceptance]] judge the held-out side of {side}: each item has exactly one suite"


def _check_stage_tables(recipe: Recipe, n: int) -> None:
    """What a stage cannot override: where it starts, what the run is, what is held out."""
    stage = recipe.document.value["stage"][n]
    above: Path = ("stage", n)
    if "path" in stage.get("model", {}):
        text = "stage.model.path cannot be set: each stage starts from the model of the one before"
        raise _refusal(recipe, (*above, "model", "path"), text)
    if "run" in stage:
        raise _refusal(recipe, (*above, "run"), "stage.run cannot be set: [run] is of the whole recipe")
    for k, row in enumerate(stage.get("data", ())):
        if "held_out" in row:
            text = "stage.data.held_out cannot be set: a stage's own data is only trained on; hold out in [[data]]"
            raise _refusal(recipe, (*above, "data", k, "held_out"), text)


def _check_units_used(recipe: Recipe) -> None:
    """A count above the stages that no stage inherits would be ignored in silence."""
    kinds = {s.kind for s in recipe.stages}
    if recipe.train.steps is not None and "rl" not in kinds:
        raise _refusal(recipe, ("train", "steps"), "train.steps is for rl stages, and there is none: train.epochs")
    if recipe.train.epochs is not None and kinds == {"rl"}:
        raise _refusal(recipe, ("train", "epochs"), "train.epochs is not for rl stages, and all are: train.steps")
