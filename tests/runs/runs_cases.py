"""A folder a user might have (model, data, checks, recipe) and the command line called in this process."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tiny import tiny_folder
from verigrad.cli.main import main

RECIPE = """
[model]
path = "tiny-llama-0"
dtype = "float32"
[data]
source = "words.jsonl"
prompt = "{question}"
held_out = 0.3
[reward]
verifier = "checks.py:begins"
[loss]
kl = "none"
[sampling]
max_tokens = 4
[train]
steps = 10
prompts = 6
group = 6
lr = 2e-2
save_every = 4
[acceptance]
grader = "checks.py:begins_so"
every = 4
rule = { test = "greedy", answers = 1 }
[run]
name = "words"
log = []
"""
CHECKS = '''
import math, time


def begins(answer, task):
    """Right where one of the first two letters is among the gold's."""
    return bool(answer) and any(c in task.gold for c in answer[:2])


def begins_so(answer, task):
    return len(set(answer[:2]) & set(task.gold)) > 0


def never(answer, task):
    return False


def raises(answer, task):
    raise ValueError("two\\nlines")


def hangs(answer, task):
    time.sleep(600)


def nan(answer, task):
    return math.nan


def delicate(answer, task):
    """Breaks on some answers only, in two ways; never on a gold."""
    if answer[:1].isdigit():
        raise ValueError(answer[:1])
    if answer[:1] in "#$%&'(":
        return math.nan
    return begins(answer, task)


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    return float(any(c in ground_truth for c in solution_str[:2]))
'''
GOLD = "abcdefghijkl"
ROWS = [{"question": f"word {37 * i % 1000}", "gold": GOLD} for i in range(60)]


def lay_out(folder: Path) -> None:
    """Everything but runs/."""
    tiny_folder(folder)
    write_rows(folder / "words.jsonl", ROWS)
    (folder / "checks.py").write_text(CHECKS)
    (folder / "r.toml").write_text(RECIPE)


def write_rows(path: Path, rows: Sequence[dict]) -> None:
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))


@dataclass(frozen=True)
class Said:
    """What a command said and how it ended."""

    status: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        """Lines of stderr that are an error's; the rest is talk."""
        return [line for line in self.err.splitlines() if line.startswith("verigrad: ")]

    def refused(self, status: int = 2) -> str:
        """The one line of a refusal, which is the last thing said; nothing on stdout and no traceback."""
        assert self.status == status, self.err
        assert self.out == ""
        assert "Traceback" not in self.err
        assert len(self.errors) == 1, self.err
        assert self.err.endswith(self.errors[0] + "\n"), self.err
        return self.errors[0].removeprefix("verigrad: ")


class Shell:
    """A folder in which commands are given."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._patch = patch
        self._capsys = capsys
        patch.chdir(folder)

    def __call__(self, *words: str | os.PathLike[str]) -> Said:
        """`verigrad WORDS`, in this process."""
        self._patch.setattr(sys, "argv", ["verigrad", *map(str, words)])
        self._capsys.readouterr()
        status = 0
        try:
            main()
        except SystemExit as left:
            status = int(left.code or 0)
        said = self._capsys.readouterr()
        return Said(status, said.out, said.err)

    def edit(self, *changes: tuple[str, str], file: str = "r.toml") -> None:
        """Replace texts that stand once in a file."""
        text = (self.folder / file).read_text()
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (self.folder / file).write_text(text)
