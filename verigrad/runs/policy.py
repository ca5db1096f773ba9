"""A policy with its sampler, read from where a stage starts. Left out: training it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from verigrad.errors import Refused
from verigrad.models import LanguageModel, add_lora, check_lora
from verigrad.models import load as load_model
from verigrad.recipe import Recipe
from verigrad.records import seed
from verigrad.runs.prepare import Prepared
from verigrad.runs.talk import Talk
from verigrad.sampling import LocalSampler
from verigrad.store import RunDirectory


@dataclass(frozen=True, kw_only=True)
class Policy:
    """A model and what draws from it."""

    lm: LanguageModel
    """The model; its weights change in training."""
    sampler: LocalSampler
    """The recipe's engine over it."""


def model_path(name: str | Path) -> str:
    """What model.path takes of what a verb was given: a run's model/, or the model itself. Raises Refused."""
    folder = Path(name)
    if not RunDirectory.exists(folder):
        return str(folder.resolve()) if folder.exists() else str(name)
    if not (folder / "model").is_dir():
        raise Refused(f"{folder} has no model yet (it is in phase {RunDirectory.read(folder).status().get('phase')})")
    return str((folder / "model").resolve())


def open_model(ready: Prepared, talk: Talk, folder: Path | None = None) -> LanguageModel:
    """The recipe's model, or the one a stage left in `folder`. Raises Refused with key model.path."""
    model = ready.recipe.model
    path = ready.whole.model.path if folder is None else str(folder.resolve())
    if folder is None:
        talk.phase(f"loading {path.rsplit('/', 1)[-1]}")
    # What a stage left has the template in its own folder.
    template = model.template if folder is None or model.template == "none" else "auto"
    return load_model(path, dtype=model.dtype, device=model.device, template=template, folder=ready.whole.folder)


def sampler_of(ready: Prepared, lm: LanguageModel, talk: Talk) -> LocalSampler:
    """The recipe's engine over this model; says what is not promised or slow with it."""
    sampler = LocalSampler.from_options(lm, ready.recipe.sampling.options)
    if sampler.fit.why_plain:
        talk.line(f"sampling recomputes every sequence, which is slow: {sampler.fit.why_plain}")
    elif not sampler.exact:
        talk.line(f"not promised here: the same text whatever the batch ({sampler.why_not_exact})")
    return sampler


def policy_of(ready: Prepared, lm: LanguageModel, talk: Talk) -> Policy:
    """The model with its sampler."""
    return Policy(lm=lm, sampler=sampler_of(ready, lm, talk))


def check_adapters(whole: Recipe, lm: LanguageModel) -> None:
    """Refuse, before anything is measured, adapters of a stage that the model cannot have."""
    for stage in whole.flat or (whole,):
        if stage.model.lora is not None:
            try:
                check_lora(lm, stage.model.lora)
            except Refused as error:
                if whole.flat and error.key:
                    error.key = f"stage.{stage.stages[0].number}.{error.key}"
                raise


def with_adapters(ready: Prepared, policy: Policy, talk: Talk) -> Policy:
    """The policy as the stage trains it: all weights, or the base frozen with fresh adapters beside it."""
    lora = ready.recipe.model.lora
    if lora is None:
        return policy
    lm = add_lora(policy.lm, lora, seed=seed("lora", ready.recipe.run.seed, ready.number) % 2**63)
    return policy_of(ready, lm, talk)
