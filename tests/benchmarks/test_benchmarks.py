"""Every benchmark runs end to end on a tiny model, and its page says what its results say; peers are not needed."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import (
    bench_code,
    bench_exact,
    bench_growth,
    bench_remax,
    bench_sampling,
    bench_sandbox,
    bench_skipping,
    bench_step,
    bench_update,
    common,
    device_check,
    roofline,
    worker,
)
from tests.tiny import tiny_folder


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A tiny model, and no large products beside it."""
    monkeypatch.setattr(roofline, "SQUARE", (64,))
    return ["--smoke", "--model", str(tiny_folder(tmp_path)), "--out", str(tmp_path)]


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    "step": bench_step.table,
    "step_explore": bench_step.explored_table,
    "sampling": bench_sampling.table,
    "sampling_explore": bench_sampling.explored_table,
    "update": bench_update.table,
    "growth": bench_growth.table,
    "exact": bench_exact.table,
    "skipping": bench_skipping.table,
    "remax": bench_remax.table,
    "code": bench_code.table,
    "sandbox": bench_sandbox.table,
}


@pytest.mark.parametrize("name", sorted(TABLES))
def test_the_page_says_what_was_measured(name: str) -> None:
    page, result = common.PAGE.read_text(encoding="utf-8"), common.RESULTS / f"{name}.json"
    block = "Not measured yet."
    if result.exists():
        block = TABLES[name](json.loads(result.read_text(encoding="utf-8")))
    assert common.page(page, name, block) == page, f"docs/performance.md is stale: make bench-{name}"


def test_the_page_has_the_pictures_its_result_draws() -> None:
    result = common.RESULTS / "growth.json"
    drawn = bench_growth.pictures(json.loads(result.read_text(encoding="utf-8"))) if result.exists() else {}
    kept = {path.name: path.read_text(encoding="utf-8") for path in bench_growth.DOCS.glob("growth-*.svg")}
    assert kept == drawn


def test_a_step_is_timed_beside_its_bound(tiny: list[str], tmp_path: Path) -> None:
    bench_step.main([*tiny, "--rounds", "2", "--peers", ""])
    result = json.loads((tmp_path / "step.json").read_text())
    (tokens,) = result["cases"]
    case = result["cases"][tokens]
    rounds = case["sides"]["verigrad"]["rounds"]
    assert [r["tokens"] for r in rounds] == [8 * int(tokens)] * 2
    assert all(r["metrics"]["ratio/max"] == 1.0 and r["metrics"]["grad/norm"] > 0 for r in rounds)
    assert result["step_over_bound"][tokens] > 0.5, "nobody is faster than the products alone"
    assert set(case["profile"]) == {"sampling", "update"}
    assert set(result["versions"]) >= {"torch", "transformers", "verigrad"}


def test_sampling_sides_draw_the_same_number_of_tokens(tiny: list[str], tmp_path: Path) -> None:
    bench_sampling.main([*tiny, "--rounds", "1", "--peers", "generate"])
    result = json.loads((tmp_path / "sampling.json").read_text())
    (cell,) = result["cells"].values()
    assert set(cell) == {"verigrad", "generate"}
    assert {a["tokens"] for answers in cell.values() for a in answers} == {8 * 4}
    assert min(result["sampling_ratio_vs_generate"].values()) > 0


def test_remax_draws_two_answers_a_prompt_and_trains_on_one(tiny: list[str], tmp_path: Path) -> None:
    bench_remax.main([*tiny, "--rounds", "1"])
    told = json.loads((tmp_path / "remax.json").read_text())["sides"]
    (remax,), (grpo,) = told["remax, 1 + greedy"]["rounds"], told["grpo, 2"]["rounds"]
    assert remax["tokens"] == grpo["tokens"] == 2 * 2 * 8
    assert remax["metrics"]["tokens/trained"] == 2 * 8
    assert remax["metrics"]["grad/norm"] > 0


def test_updates_are_compared_at_equal_precision(tiny: list[str], tmp_path: Path) -> None:
    bench_update.main([*tiny, "--rounds", "1", "--peers", ""])
    result = json.loads((tmp_path / "update.json").read_text())
    (told,) = result["cases"].values()
    assert set(told) == {"packed bfloat16", "padded bfloat16"}
    assert {a["why_padded"] for n, side in told.items() if n.startswith("packed") for a in side["rounds"]} == {""}
    assert set(result["update_ratio_vs_padded"]) == {"bfloat16, 4"}


def test_exactness_holds_on_a_tiny_model(tiny: list[str], tmp_path: Path) -> None:
    assert bench_exact.main(tiny) == 0
    result = json.loads((tmp_path / "exact.json").read_text())
    assert result["greedy"]["prompts"] == 6
    assert result["gradients"]["float32"]["relative"] < result["gradients"]["bfloat16"]["relative"] < 0.1


def test_a_missed_bound_is_named() -> None:
    told = {
        "greedy": {"worst_gap": 0.5},
        "logp_float32": {"max": 1e-6, "mean": 1e-7},
        "chi_square": [{"p": 1e-9}],
        "gradients": {"float32": {"relative": 1e-6}, "bfloat16": {"relative": 0.01}},
    }
    assert bench_exact.missed(told) == ["greedy gap 0.5", "chi-square p"]


def test_five_boxes_are_timed_beside_five_bare_starts(tiny: list[str], tmp_path: Path) -> None:
    bench_code.main([*tiny, "--rounds", "1", "--peers", ""])
    result = json.loads((tmp_path / "code.json").read_text())
    assert {name: len(times) for name, times in result["seconds"].items()} == {"ours": 1, "bare": 1, "bare -S": 1}
    assert result["ratio"] > 0.2
    assert result["level"] >= 2
    assert "Ratio of the medians" in bench_code.table(result)


def test_a_box_is_timed_beside_a_bare_start(tmp_path: Path) -> None:
    bench_sandbox.main(["--smoke", "--rounds", "2", "--out", str(tmp_path)])
    result = json.loads((tmp_path / "sandbox.json").read_text())
    assert {len(times) for times in result["seconds"].values()} == {2}
    assert set(result["a_second"]) == {"bare", "level 2", "level 3"}
    assert "| level 3 |" in bench_sandbox.table(result)


def test_growth_measures_a_case_in_its_own_process_and_draws_it(tmp_path: Path) -> None:
    bench_growth.main(["--smoke", "--out", str(tmp_path)])
    result = json.loads((tmp_path / "growth.json").read_text())
    cases = result["series"]["length"]["cases"]
    assert [c["tokens"] for c in cases] == [16 + 2 * 16]
    assert all(c["update_seconds"] > 0 and c["why_padded"] == "" for c in cases)
    drawn = bench_growth.pictures(result)
    assert set(drawn) == {"growth-length-seconds.svg", "growth-length-gb.svg"}
    assert all(svg.startswith("<svg xmlns") and "tokens an answer" in svg for svg in drawn.values())


def test_exponents() -> None:
    assert bench_growth.slope([(1, 3.0), (2, 12.0), (4, 48.0)]) == pytest.approx(2.0)


def test_the_device_check_runs_on_a_cpu_when_told_to(tiny: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert device_check.main(tiny) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["steps"]["ratio_off"] == 0.0
    assert told["missed"] == []


def test_without_a_gpu_the_device_check_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_check.torch.cuda, "is_available", lambda: False)
    assert device_check.main([]) == 2
    assert capsys.readouterr().out == "not yet run on a GPU: this machine has none that torch can use\n"


def test_a_busy_machine_writes_no_result() -> None:
    calm = {"gemm": {"gflops": 400.0}, "decode": {"64": {"tokens_per_second": 1000.0}}}
    busy = {"gemm": {"gflops": 300.0}, "decode": {"64": {"tokens_per_second": 500.0}}}
    assert roofline.best([busy, calm]) == {"gemm": 400.0, "decode": {"64": 1000.0}}
    bench_step.refuse([busy, calm], smoke=False)
    with pytest.raises(SystemExit, match=r"too busy.*GEMM peak 300.*decode rate 500"):
        bench_step.refuse([busy], smoke=False)


def test_the_bound_is_products_and_nothing_else() -> None:
    found = {"gemm": 100.0, "decode": {"64": 1000.0}}
    assert roofline.bound(10**8, 400, 2000, found, 64) == pytest.approx(6 * 1e8 * 2400 / 1e11 + 2000 / 1000)


def test_the_fastest_setting_is_the_opponent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "explored.json"
    names = list(bench_step.VARIANTS)
    variants = {n: {"seconds": {"32": 10.0 - i, "256": 10.0 + i}} for i, n in enumerate(names[:-1])}
    file.write_text(json.dumps({"variants": variants | {names[-1]: {"failed": "..."}}}))
    monkeypatch.setattr(bench_step, "EXPLORED", file)
    assert bench_step.best_variant(32)[0] == names[-2]
    assert bench_step.best_variant(256)[0] == names[1]


def test_what_skipping_saves_is_counted() -> None:
    metrics = [{"step": s, "tokens/sampled": 100.0, "tokens/trained": 25.0} for s in (1, 2)]
    told = bench_skipping.summary(metrics, [{"sample": 3.0, "update": 2.0}] * 2)
    assert told["skipping_share"] == 0.75
    assert told["update_seconds_without_skipping"] == 16.0
    assert told["step_ratio_without_skipping"] == 2.2


def test_chi_square_cells_are_full() -> None:
    expected_V = np.array([0.5, 30.0, 4.0, 1.0, 2.0, 6.0, 0.1])
    cell_V = bench_exact.cells(expected_V)
    sums = np.bincount(cell_V, weights=expected_V)
    assert (sums >= 5.0).all()
    assert sums.sum() == pytest.approx(expected_V.sum())
    assert cell_V[1] != cell_V[5]


def test_a_side_answers_until_it_is_closed_and_dies_with_its_words() -> None:
    code = (
        "from benchmarks.worker import Line\nline = Line(); print('noise'); line.answer({'ready': 1})\n"
        "def a(q):\n    if q['n'] > 2: raise ValueError('too many')\n"
        "    return {'seconds': q['n'], 'round': q['round']}\nline.serve(a)"
    )
    with worker.sides({"s": lambda: worker.Side("s", [sys.executable, "-c", code])}) as running:
        assert running["s"].ready == {"ready": 1}
        found = worker.interleaved(running, 2, n=1)
        assert [a["round"] for a in found["s"]] == [0, 1]
        assert worker.median(found["s"]) == 1
        with pytest.raises(SystemExit, match=r"s died[\s\S]*too many"):
            running["s"].ask(n=3, round=0)


@pytest.mark.parametrize("name", ["trl_side", "vllm_side", "worker"])
def test_what_a_peers_environment_runs_imports_nothing_of_ours(name: str) -> None:
    source = (common.ROOT / f"benchmarks/{name}.py").read_text(encoding="utf-8")
    compile(source, name, "exec")
    imported = {line.split()[1] for line in source.splitlines() if line.strip().startswith(("import ", "from "))}
    assert {i for i in imported if i.split(".")[0] in ("verigrad", "benchmarks")} <= {"benchmarks.worker"}


def test_a_smoke_run_leaves_the_page_alone(capsys: pytest.CaptureFixture[str]) -> None:
    before = common.PAGE.read_text(encoding="utf-8")
    common.store("step", {}, SimpleNamespace(out=None, smoke=True), lambda result: "a table", 0.0)
    assert capsys.readouterr().out == "a table\n"
    assert common.PAGE.read_text(encoding="utf-8") == before
