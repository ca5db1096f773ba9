"""The benchmark of `math` beside math-verify and the fuzz target, on few cases."""

import json
from pathlib import Path

from benchmarks import bench_verifiers
from benchmarks.fuzz import cases, run

ROOT = Path(__file__).parents[2]


def test_both_sides_judge_the_same_answers(tmp_path):
    bench_verifiers.main(["--smoke", "--rounds", "1", "--out", str(tmp_path)])
    result = json.loads((tmp_path / "verifiers.json").read_text())
    for name in ("numbers", "expressions"):
        (only,) = result["sets"][name]
        assert only["ours_as_wanted"] == only["answers"]
        assert only["ratio"] > 1


def test_the_page_says_what_was_measured():
    result = json.loads((ROOT / "benchmarks/results/verifiers.json").read_text())
    assert bench_verifiers.table(result) in (ROOT / "docs/performance.md").read_text()


def test_every_kind_is_fuzzed():
    assert {seed.kind for seed in cases.seeds()} == set(cases.kinds())


def test_a_fault_is_found_and_a_sound_kind_has_none(monkeypatch):
    sound = [seed for seed in cases.seeds() if seed.kind in ("number", "blank")]
    monkeypatch.setattr(run, "seeds", lambda: sound)
    found = run.by_grammar(1.0)
    assert sum(found["runs"].values()) > 0
    assert found["failures"] == []

    def broken(answer, task):
        raise ValueError("broken")

    monkeypatch.setattr(cases.verifiers.kind("number"), "verify", broken)
    monkeypatch.setattr(run, "seeds", lambda: [seed for seed in sound if seed.kind == "number"])
    assert "ValueError: broken" in run.by_grammar(0.5)["failures"][0]["fault"]
