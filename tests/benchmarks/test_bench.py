"""The benchmark compares equal work, and its page says what its file of results says; on a tiny model, in seconds."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.tiny import tiny_folder

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench", ROOT / "benchmarks/bench.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench"] = module
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "MODEL", str(tiny_folder(tmp_path)))
    for name, small in (("QUESTIONS", 2), ("ANSWERS", 2), ("TOKENS", 3), ("MICRO", 2)):
        monkeypatch.setattr(module, name, small)
    return module


def test_every_case_does_the_same_number_of_tokens(bench: ModuleType, tmp_path: Path) -> None:
    found = bench.interleaved({case: bench.built(case, tmp_path / "m") for case in bench.CASES}, 2)
    assert {row["tokens"] for row in found.values()} == {2 * 2 * 3}
    assert all(len(row["seconds"]) == 2 and row["tokens_per_second"] > 0 for row in found.values())


def test_the_update_reaches_the_weights(bench: ModuleType) -> None:
    lm = bench.models.load(bench.MODEL, dtype="float32", device="cpu")
    bench.update(lm)()
    assert all(p.grad is not None and bool(p.grad.any()) for p in lm.module.parameters())


def test_memory_is_of_the_case_alone(bench: ModuleType, tmp_path: Path) -> None:
    code = (
        "import sys, json; sys.path.insert(0, 'benchmarks'); import bench; from pathlib import Path; "
        f"bench.MODEL, bench.TOKENS = {bench.MODEL!r}, 3; "
        f"print(json.dumps(bench.memory('verigrad float32', Path({str(tmp_path / 'm')!r}))))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    used = json.loads(done.stdout)
    assert 0.05 < used["loaded_gb"] <= used["peak_gb"] < 3


def test_the_page_says_what_was_measured(bench: ModuleType) -> None:
    page = bench.PAGE.read_text(encoding="utf-8")
    if bench.RESULT.exists():
        result: dict[str, Any] = json.loads(bench.RESULT.read_text(encoding="utf-8"))
        assert bench.page(page, bench.table(result)) == page, "docs/performance.md is stale: make bench"
    else:
        assert "Not measured yet" in page
