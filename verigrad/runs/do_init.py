"""`init`: a recipe that runs, with data and a check to replace by yours. Offers what this version can run.

The kits are files below kits/; each recipe starts from the small model of the quickstart, so that it runs as it is.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verigrad.errors import Refused


@dataclass(frozen=True, kw_only=True)
class Kit:
    """What one kind of user starts from."""

    about: str
    """What she has."""
    files: tuple[str, ...]
    """What is written."""


KITS: Mapping[str, Kit] = {
    "checker": Kit(
        about="questions and a program that checks an answer",
        files=("recipe.toml", "questions.jsonl", "checks.py"),
    ),
    "answers": Kit(about="questions with right answers, numbers", files=("recipe.toml", "questions.jsonl")),
    "pairs": Kit(
        about="better and worse answers side by side",
        files=("recipe.toml", "pairs.jsonl", "checks.py"),
    ),
    "judge": Kit(
        about="such pairs, to train a judge that pays new answers; or a reward model",
        files=("recipe.toml", "pairs.jsonl"),
    ),
    "nothing": Kit(about="nothing yet: a built-in task to look at", files=("recipe.toml",)),
}


def init(folder: str | Path, have: str) -> list[Path]:
    """Write a kit's files into a new or empty folder and return their paths. Raises Refused."""
    folder = Path(folder)
    if have not in KITS:
        raise Refused(f"init offers {', '.join(KITS)}, not {have[:40]!r}")
    source = importlib.resources.files("verigrad.runs") / "kits" / have
    try:
        if folder.exists() and any(folder.iterdir()):
            raise Refused(f"{folder} is not empty: another folder")
        folder.mkdir(parents=True, exist_ok=True)
        for name in KITS[have].files:
            (folder / name).write_text((source / name).read_text(encoding="utf-8"), encoding="utf-8")
    except OSError as error:
        raise Refused(f"cannot write {folder}: {error.strerror}") from None
    return [folder / name for name in KITS[have].files]
