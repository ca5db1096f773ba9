"""`init`: a recipe that runs, with data and a check to replace by yours. Offers what this version can run.

The kits are files below kits/; each recipe starts from the small model of the quickstart, so that it runs as it is.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verigrad.errors import NotYet, Refused


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
    "nothing": Kit(about="nothing yet: a built-in task to look at", files=("recipe.toml",)),
}


NOT_YET: Mapping[str, str] = {
    "pairs": "better and worse answers side by side; not in this version yet: where a program can tell them apart, "
    "start from checker",
    "judge": "a reward model; not in this version yet: where a program can check answers, start from checker",
}
"""What one may also have, and this version cannot start from: why, and what to do instead."""


def init(folder: str | Path, have: str) -> list[Path]:
    """Write a kit's files into a new or empty folder and return their paths. Raises NotYet or another Refused."""
    folder = Path(folder)
    if have in NOT_YET:
        raise NotYet(f"{have}: {NOT_YET[have]}")
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
