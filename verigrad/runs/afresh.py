"""Models put before a recipe's suites, one after the other: the answers `compare --recipe` is about.

Left out: what is compared (do_compare), the base before training (do_accept).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from verigrad.acceptance import Measured
from verigrad.acceptance.decide import Rule
from verigrad.errors import Refused
from verigrad.models import load as load_model
from verigrad.recipe import Recipe
from verigrad.runs.accepting import measure_suites
from verigrad.runs.golds import check_golds
from verigrad.runs.policy import model_path, sampler_of
from verigrad.runs.prepare import placed, prepared, read
from verigrad.runs.sides import Answers
from verigrad.runs.talk import Talk


def measured_afresh(
    names: Sequence[str], recipe: Recipe | str | Path, sets: Sequence[str], talk: Talk
) -> tuple[dict[str, Answers], dict[str, Rule], list[str]]:
    """Each model's answers to the suites of the recipe, the suites' rules, and notes. Raises Refused.

    `names`: models as model.path takes them, or runs, whose model/ is meant; each is loaded once, with the recipe's
    dtype, device and template, and drawn from with its sampling. The held-out side is opened for each, which is counted
    nowhere.
    """
    whole = read(recipe, sets)
    paths = {name: model_path(name) for name in names}
    found: dict[str, Answers] = {}
    with prepared(whole) as ready:
        if not ready.suites:
            raise Refused("the recipe trains a reward model alone: it has no suite that judges a policy")
        ready, _ = check_golds(ready, Path("runs") / whole.run.name, anyway=True)
        for note in ready.notes:
            talk.line(f"note: {note}")
        model = ready.recipe.model
        for name, path in paths.items():
            talk.phase(f"loading {name}")
            with placed(whole):
                lm = load_model(
                    path, dtype=model.dtype, device=model.device, template=model.template, folder=whole.folder
                )
            by_suite: dict[str, dict[str, Measured]] = {}
            for m in measure_suites(ready, sampler_of(ready, lm, talk), talk, when=name):
                by_suite.setdefault(m.suite, {})[m.task.key] = m
            found[name] = by_suite
            del lm
        rules: dict[str, Rule] = {j.name: j.suite.rule for j in ready.suites}
        notes = [
            f"{j.name}: NOT INDEPENDENT, graded by the training verifier itself"
            for j in ready.suites
            if not j.grader.independent
        ]
    return found, rules, notes
