"""The user's folder, laid out once and copied, and one finished run that tests only read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runs.runs_cases import Shell, lay_out


@pytest.fixture(scope="session")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("laid_out")
    lay_out(folder)
    return folder


@pytest.fixture
def shell(laid_out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A copy of the user's folder, in which commands are given."""
    folder = tmp_path / "user"
    shutil.copytree(laid_out, folder)
    return Shell(folder, monkeypatch, capsys)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A user's folder with the run `words` in it, trained by the real command; and what the command said."""
    folder = tmp_path_factory.mktemp("finished")
    lay_out(folder)
    command = [str(Path(sys.executable).with_name("verigrad")), "train", "r.toml", "--json"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["acceptance"]["verdict"] == "accepted"
    return folder, done


@pytest.fixture
def in_finished(
    finished: tuple[Path, object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    """Commands given beside the finished run. For commands that change nothing."""
    return Shell(finished[0], monkeypatch, capsys)


@pytest.fixture
def copy_of_finished(
    finished: tuple[Path, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    """A copy of the finished run's folder, to do with as one likes."""
    folder = tmp_path / "user"
    shutil.copytree(finished[0], folder)
    resolved = json.loads((folder / "runs/words/resolved.json").read_text())
    resolved["folder"] = str(folder)
    (folder / "runs/words/resolved.json").write_text(json.dumps(resolved))
    return Shell(folder, monkeypatch, capsys)
