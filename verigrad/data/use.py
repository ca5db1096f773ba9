"""What rows are read for: questions to be asked, or pairs, labelled answers, demonstrations. Left out: reading them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from verigrad.recipe import Kind

SAYS: Mapping[str, str] = {
    "columns of pairs": "prompt, chosen, rejected; or conversations as chosen and rejected; margin where there is one",
    "columns of labelled answers": "prompt, completion, label (true or false); or pairs",
    "columns of demonstrations": "prompt, completion; or messages that end in the assistant's turn; or gold",
}
"""What rows may look like, for a list."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """What rows are read for.

    >>> Use(kind="preference").wants
    'pairs'
    """

    kind: Kind = "rl"
    """The stage's kind."""
    labelled: bool = False
    """Whether the stage's method learns from single answers with a label (KTO) where others learn from pairs."""
    runs: Path = Path("runs")
    """Folder in which `run:NAME` is looked for."""
    here: Path | None = None
    """Folder of the run that is going on, for `run:.`; None where there is none yet."""
    before: int | None = None
    """The stage that reads: `run:.` is the latest rl stage before it; None: the latest there is."""

    @property
    def wants(self) -> Literal["questions", "demonstrations", "labels", "pairs"]:
        """What a row must hold."""
        if self.kind == "rl":
            return "questions"
        return "demonstrations" if self.kind == "sft" else "labels" if self.labelled else "pairs"
