"""What resolved.json holds beside the recipe's values: method, versions, hardware, git, seeds. And the model card.

Left out: the values themselves (recipe) and their meaning.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from verigrad.acceptance import lines as headline_lines
from verigrad.losses import Method, PreferenceMethod, describe, describe_preference, diff, methods
from verigrad.recipe import Recipe
from verigrad.records import Task
from verigrad.runs.answers import four_answers
from verigrad.runs.prepare import Prepared
from verigrad.sampling import LocalSampler

PACKAGES = ("verigrad", "torch", "transformers", "tokenizers", "safetensors", "numpy", "pydantic", "math-verify")


def about(
    ready: Prepared, stages: Sequence[Prepared], sampler: LocalSampler, *, sets: Sequence[str], anyway: bool
) -> dict[str, Any]:
    """resolved.json: what ran, exactly. `stages`: those prepared at the start, the one in `ready` among them."""
    import torch

    recipe, lm = ready.recipe, sampler.lm
    return {
        "values": ready.whole.resolved(),
        "sets": list(sets),
        "anyway": anyway,
        "folder": str(ready.whole.folder.resolve()),
        "recipe": ready.whole.file,
        "answers": list(four_answers(ready)),
        "notes": list(dict.fromkeys(note for stage in stages for note in stage.notes)),
        "checks": checks_record(stages),
        "data": data_record(stages),
        "method": loss_record(ready.loss),
        "paper_sizes": dict(ready.loss.paper_sizes) if isinstance(ready.loss, Method) else {},
        "stages": [{"stage": s.number, "kind": s.kind, "loss": loss_record(s.loss)} for s in stages],
        "model": {"name": lm.name, "dtype": str(lm.dtype).removeprefix("torch."), "why_dtype": lm.why_dtype},
        "sampling": {
            "dtype": str(sampler.dtype).removeprefix("torch."),
            "why_plain": sampler.fit.why_plain,
            "why_not_the_same_in_any_batch": sampler.why_not_exact,
        },
        "seeds": {"run": recipe.run.seed, "split": "family alone", "accept": "task and index alone"},
        "versions": {name: _version(name) for name in PACKAGES} | {"python": platform.python_version()},
        "hardware": {
            "machine": platform.machine(),
            "system": platform.system(),
            "cores": os.cpu_count(),
            "threads": torch.get_num_threads(),
            "device": str(lm.device),
        },
        "git": _git(recipe),
    }


def user_files(recipe: Recipe) -> dict[str, Path]:
    """The user's own code that a recipe or a stage names ("checks.py:rows_match"), by its copy's name below user/."""
    named = [
        name
        for each in (recipe, *recipe.flat)
        for name in (
            *(part.verifier for part in each.reward),
            *(part.shaping for part in each.reward),
            *(suite.grader for suite in each.acceptance),
            *(data.source for data in each.data),
        )
    ]
    files = {n.rpartition(":")[0] for n in named if isinstance(n, str) and ".py:" in n}
    return {f if _inside(Path(f)) else Path(f).name: recipe.folder / f for f in sorted(files)}


def _inside(path: Path) -> bool:
    return not path.is_absolute() and ".." not in path.parts


def checks_record(stages: Sequence[Prepared]) -> list[dict[str, str]]:
    """The user's own reward functions: what each is called as, its file and the hash of its source."""
    checks = [c for stage in stages if stage.rewards is not None for c in stage.rewards.checks]
    found = {(c.said, c.sha256): {"said": c.said, "file": c.file, "sha256": c.sha256} for c in checks}
    return list(found.values())


def given_sources(stages: Sequence[Prepared]) -> dict[str, str]:
    """Sources of reward functions given in Python, which no file of the recipe holds, by their name below user/."""
    copied = user_files(stages[0].whole)
    checks = [c for stage in stages if stage.rewards is not None for c in stage.rewards.checks]
    return {c.file: c.source for c in checks if c.file not in copied and c.source}


def data_record(stages: Sequence[Prepared]) -> dict[str, Any]:
    """Sizes of every side and a hash of all its tasks in order: what a resumed run must find again."""
    record: dict[str, Any] = {}
    for stage in stages:
        at = record if len(stage.whole.stages) == 1 else record.setdefault(stage.recipe.stages[0].name, {})
        cut = stage.split
        for side, sources in (("train", cut.train), ("validation", cut.validation), ("held_out", cut.held_out)):
            for name, tasks in sources.items():
                at.setdefault(name, {})[side] = _fingerprint(tasks)
        at |= {j.name: {"suite": _fingerprint(j.tasks)} for j in stage.suites if j.name not in at}
    return record


def _fingerprint(tasks: Sequence[Task]) -> dict[str, Any]:
    return {"items": len(tasks), "sha256": hashlib.sha256(" ".join(t.key for t in tasks).encode()).hexdigest()}


def loss_record(loss: Method | PreferenceMethod | float | None) -> dict[str, Any]:
    """A stage's loss in words."""
    if isinstance(loss, Method):
        return method_record(loss)
    if isinstance(loss, PreferenceMethod):
        return {"name": loss.name, "source": loss.source, "ran": describe_preference(loss), "notes": list(loss.notes)}
    if loss is None:
        return {"name": "sft", "ran": "likelihood of the completion, token mean of the update"}
    return {"name": "bradley_terry", "ran": f"Bradley-Terry, center {loss:g}"}


def method_record(method: Method) -> dict[str, Any]:
    """The method's axes in words, what it is called now and what was changed."""
    compared = [f.name for f in fields(method) if f.compare and f.name not in ("name", "source")]
    axes = {name: str(getattr(method, name)) for name in compared}
    base = methods.get(method.name)
    return {
        "name": method.name,
        "source": method.source,
        "ran": describe(method),
        "changed": list(diff(base, method)) if base is not None else [],
        "axes": axes,
        "notes": list(method.notes),
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _git(recipe: Recipe) -> dict[str, Any] | None:
    """Commit and cleanliness of the repository the recipe lies in, if it lies in one."""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(recipe.folder), *words], capture_output=True, text=True, check=True, timeout=10
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.strip()

    commit = git("rev-parse", "HEAD")
    return None if commit is None else {"commit": commit, "clean": git("status", "--porcelain", "-uno") == ""}


def card(ready: Prepared, acceptance: Mapping[str, Any] | None) -> str:
    """The README.md of a saved model: the four answers, what accepted it, and what that does not say."""
    answers = "\n".join(f"- {line}" for line in four_answers(ready))
    verdict = "Not accepted yet: this is a checkpoint."
    if acceptance is not None:
        told = "\n".join(line for suite in acceptance["suites"] for line in headline_lines(suite))
        verdict = f"**{acceptance['verdict'].replace('_', ' ')}**: {acceptance['why']}\n\n```\n{told}\n```"
    return f"""---
library_name: transformers
base_model: {ready.whole.model.path}
tags: [rlvr, verigrad]
---

# {ready.whole.run.name}

{ready.whole.model.path}, post-trained with verigrad on tasks whose answers a program checks.

{answers}

## Acceptance

{verdict}

The program checks only what it checks; nothing here says how the model does on anything else. The base model's
licence holds for this model.
"""
