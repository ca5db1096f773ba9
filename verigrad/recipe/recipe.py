"""The recipe as the rest of the package sees it: frozen, typed, every value with its origin.

Left out: how it is read and put together (reading), what it may say (grammar, tables, checks).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verigrad.errors import Refused
from verigrad.recipe.document import Document, one_line
from verigrad.recipe.tables import Data, Loss, Model, Reward, Run, Sampling, Stage, Suite, Train

MethodSets = Callable[[str], Mapping[str, Any]]
"""Method's name -> key path -> value it sets outside [loss]; raises Refused for a method that does not exist."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One recipe, or one of its stages with all it inherits.

    With [[stage]]s the tables here are those above the stages: the held-out sides, acceptance and run are the whole
    recipe's, what is trained is `stage(n)`'s. Without, this is its own stage 1.
    """

    model: Model
    """What is trained."""
    data: tuple[Data, ...]
    """1. Where the data comes from."""
    reward: tuple[Reward, ...]
    """2. Who gives the reward: the parts, those a method adds last."""
    loss: Loss
    """3. How the loss is computed."""
    sampling: Sampling
    """How answers are drawn."""
    train: Train
    """Sizes and steps."""
    acceptance: tuple[Suite, ...]
    """4. Who accepts."""
    run: Run
    """This execution."""
    stages: tuple[Stage, ...]
    """All stages, never empty; of a flattened recipe the one it is."""
    file: str
    """The recipe's name, as errors show it; "python" where it was written there."""
    folder: Path
    """Where paths start."""
    text: str
    """The TOML it was read from, as written."""
    document: Document = field(repr=False, compare=False)
    """The values as written and their origins. Not to be changed."""
    flat: tuple[Recipe, ...] = field(default=(), repr=False, compare=False)
    """The flattened stages; empty where this is its own."""

    @staticmethod
    def of(
        tables: Mapping[str, Any],
        *,
        folder: str | Path = ".",
        sets: Sequence[str] = (),
        method_sets: MethodSets | None = None,
    ) -> Recipe:
        """A recipe from nested Python tables. A function may stand wherever "file.py:function" may.

        >>> Recipe.of({"model": {"path": "m"}, "data": {"source": "times_table"}, "reward": {"verifier": "number"},
        ...            "train": {"steps": 3}, "acceptance": {"grader": "number"}}).train.group
        8

        Raises RecipeError as `parse` does; such a line begins with the key.
        """
        from verigrad.recipe.reading import from_tables

        return from_tables(tables, folder=Path(folder), sets=sets, method_sets=method_sets)

    def stage(self, number: int) -> Recipe:
        """Stage `number` (from 1) with all it inherits. Raises Refused where there is no such stage."""
        stages = self.flat or (self,)
        for flat in stages:
            if flat.stages[0].number == number:
                return flat
        raise Refused(f"{self.file} has {len(stages)} stage{'s' * (len(stages) > 1)}, no stage {number}")

    @property
    def result_stage(self) -> int:
        """The stage whose model is the run's result: the last that has a policy, else the last."""
        policies = [s.number for s in self.stages if s.kind != "reward_model"]
        return (policies or [s.number for s in self.stages])[-1]

    def origin(self, key: str) -> str:
        """Where a value came from: "default", "method dapo", "sql.toml:12", "python" or "--set"."""
        document, path = self._at(key)
        return document.origin(path)

    def where(self, key: str) -> str:
        """The place a person can go to: "sql.toml:12" of the key or of the nearest table above it, else the file."""
        document, path = self._at(key)
        return document.where(path)

    def refusal(self, error: Refused) -> str:
        """The one line of an error: `sql.toml:24: text` where it carries a key, its text where it does not."""
        text = one_line(str(error))
        if error.key is None or text.startswith((f"{self.file}:", "--set")) or self.file == "python":
            return text
        return f"{self.where(error.key)}: {text}"

    def resolved(self) -> dict[str, Any]:
        """Every value with its origin, in the grammar's nesting: `resolved()["train"]["lr"]` is {"value", "origin"}.

        Doubled tables are lists. Tables of options are nested too, so that what a method put there shows. Where the
        recipe has stages, `stage` holds each one's whole tables. Everything in it is JSON; a function is its name.
        """
        from verigrad.recipe.resolved import resolve

        return resolve(self)

    def _at(self, key: str) -> tuple[Document, tuple[str | int, ...]]:
        """A key of a stage that the stage inherits is looked for in the stage."""
        path = self.document.path(key)
        if (
            path[0] == "stage"
            and len(path) > 2
            and path[2] != "kind"
            and isinstance(path[1], int)
            and path[1] < len(self.flat)
        ):
            return self.flat[path[1]].document, path[2:]
        return self.document, path
