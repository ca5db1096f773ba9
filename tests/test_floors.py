"""The floors of docs/design.md 2 hold, and a planted violation fails each contract."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PLANTED = [
    ("records/planted.py", "import verigrad.losses\n", "floors"),
    ("losses/planted.py", "import verigrad.recipe\n", "floors"),
    ("acceptance/planted.py", "from verigrad.rollouts import collect\n", "acceptance is independent"),
    ("reporting/planted.py", "import verigrad.models\n", "reporting reads files only"),
    ("data/planted.py", "import verigrad.models\n", "rewards and data load no model"),
    ("store/planted.py", "import torch\n", "need no torch"),
]


def lint(folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_contract_catches_its_planted_violation(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "verigrad", tmp_path / "verigrad", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    clean = lint(tmp_path)
    assert clean.returncode == 0, clean.stdout
    names = {
        c["name"] for c in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    }
    for file, code, contract in PLANTED:
        path = tmp_path / "verigrad" / file
        path.write_text(code)
        done = lint(tmp_path)
        path.unlink()
        broken = [line for line in done.stdout.splitlines() if " BROKEN" in line]
        assert done.returncode != 0, file
        assert any(contract in line for line in broken), (file, broken)
    assert all(any(contract in name for name in names) for _, _, contract in PLANTED)


@pytest.mark.parametrize("module", ["ray"])
def test_a_cluster_library_is_imported_in_workers_alone(module: str) -> None:
    found = [
        p
        for p in (ROOT / "verigrad").rglob("*.py")
        if f"import {module}" in p.read_text() and p.relative_to(ROOT / "verigrad").parts[0] != "workers"
    ]
    assert not found
