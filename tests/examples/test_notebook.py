"""The notebook runs from top to bottom, in a process of its own, and its numbers are the paper's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiny import tiny_folder

NOTEBOOK = Path(__file__).parents[2] / "examples" / "from_python.ipynb"
EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=300, kernel_name="this-python", resources={"metadata": {"path": "."}}).execute()
nbformat.write(notebook, sys.argv[2])
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    """All that the executed notebook printed or showed."""
    folder = tmp_path_factory.mktemp("notebook")
    kernel = folder / "jupyter" / "kernels" / "this-python"
    kernel.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "this", "language": "python"}))
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, str(NOTEBOOK), "done.ipynb"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "JUPYTER_PATH": str(folder / "jupyter"),
            "NOTEBOOK_MODEL": str(tiny_folder(folder)),
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(NOTEBOOK.parents[1]),
            "TMPDIR": str(folder),
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    outputs = [o for cell in json.loads((folder / "done.ipynb").read_text())["cells"] for o in cell.get("outputs", ())]
    return "".join("".join(o.get("text", o.get("data", {}).get("text/plain", ""))) for o in outputs)


def test_it_pilots_trains_and_accepts_or_refuses(said: str) -> None:
    assert "carry a gradient" in said
    assert "grad/norm" in said
    assert "report.html" in said
    assert any(word in said for word in ("NOT ACCEPTED", "UNDECIDED", "ACCEPTED"))


def test_its_look_at_the_losses_gives_the_known_numbers(said: str) -> None:
    assert "grpo [-0.577, 1.732, -0.577, -0.577]" in said
    assert "dr_grpo [-0.25, 0.75, -0.25, -0.25]" in said
    assert "rloo [-0.333, 1.0, -0.333, -0.333]" in said


def test_it_is_kept_without_outputs() -> None:
    cells = [c for c in json.loads(NOTEBOOK.read_text())["cells"] if c["cell_type"] == "code"]
    assert cells
    assert all(c["outputs"] == [] and c["execution_count"] is None for c in cells)
