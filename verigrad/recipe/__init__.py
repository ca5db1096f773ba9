"""From TOML (or Python) to one frozen Recipe, every value with its origin; no torch. The grammar: docs/recipe.md."""

from verigrad.recipe.built import check_built
from verigrad.recipe.checks import held_out_sides, judged_sides
from verigrad.recipe.files import check_paths
from verigrad.recipe.reading import load, parse, with_method_sets
from verigrad.recipe.recipe import MethodSets, Recipe
from verigrad.recipe.tables import (
    POLICY_AXES,
    PREFERENCE_AXES,
    Data,
    Kind,
    Limits,
    Lora,
    Loss,
    Message,
    Model,
    Optimizer,
    Reward,
    Rule,
    Run,
    Sampling,
    Schedule,
    Stage,
    Suite,
    Train,
    Workers,
    source_name,
)

__all__ = [
    "POLICY_AXES",
    "PREFERENCE_AXES",
    "Data",
    "Kind",
    "Limits",
    "Lora",
    "Loss",
    "Message",
    "MethodSets",
    "Model",
    "Optimizer",
    "Recipe",
    "Reward",
    "Rule",
    "Run",
    "Sampling",
    "Schedule",
    "Stage",
    "Suite",
    "Train",
    "Workers",
    "check_built",
    "check_paths",
    "held_out_sides",
    "judged_sides",
    "load",
    "parse",
    "source_name",
    "with_method_sets",
]
