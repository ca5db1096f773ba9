"""`make fuzz`: every verifier's parsers on random text for FUZZ_SECONDS, half guided by coverage, half by grammar.

    python -m benchmarks.fuzz.run [--seconds 600] [--out FOLDER]

No exception may leave a kind, no answer may make its own grading ungraded, no case may take longer than its limit.
Ends with status 1 and the smallest inputs where one does; writes benchmarks/results/fuzz.json where the run is whole.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from benchmarks.fuzz.cases import Seed, check, kinds, seeds

ROOT = Path(__file__).resolve().parents[2]
WHOLE = 600
"""Seconds from which on a run is written down."""
_PIECES = [
    "\\boxed{", "}", "\\frac{1}{2}", "\\{", "\\}", "(", ")", "[", "]", "{", "<answer>", "</answer>", "<think>",
    "</think>", "Answer: ", "答案：", "\n", "```json\n", "```python\n", "```\n", '"a": ', "null", "NaN", "1e999",
    "true", ",", ":", "or", " and ", "not ", "$", "\\(", "\\)", "x", "=", "<", "\\le", "\\cup", "\\pm",
    "\\sqrt", "^", "_",
    "9", "0", "-", "/", "%", "!", "(assert ", "(define-fun ", "Theorem ", "Proof.", "Qed.", "sorry", "A", "B",
    "三", "½", "４",
    "°", "\u200b", "\x00", "\ud7ff", "*" * 40, "(" * 60, "9" * 401, "#### ", "sat", "unsat", "!!python/object",
    "&a [*a]", "[[", "'", "\\",
]  # fmt: skip
_TEXTS = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=6)), max_size=30).map("".join)


def by_grammar(seconds: float) -> dict[str, Any]:
    """Cases put together from pieces that the kinds know, around the shipped ones; failures shrunk by hypothesis."""
    start, runs, failures = seeds(), dict[str, int](), list[dict[str, Any]]()
    deadline = time.monotonic() + seconds

    @settings(max_examples=200, deadline=None, database=None, phases=[Phase.generate, Phase.shrink],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(st.sampled_from(start), _TEXTS, _TEXTS, st.booleans(), st.booleans())
    def one(seed: Seed, before: str, after: str, keep: bool, own_gold: bool) -> None:
        if time.monotonic() > deadline + 30:
            return
        case = Seed(seed.kind, seed.gold if own_gold else after, before + (seed.answer if keep else "") + after)
        runs[case.kind] = runs.get(case.kind, 0) + 1
        faults = list(check(case))
        if faults:
            smallest.update(kind=case.kind, gold=case.gold, answer=case.answer, fault=faults[0])
        assert not faults, faults[0]

    while time.monotonic() < deadline and len(failures) < 50:
        smallest: dict[str, Any] = {}
        try:
            one()
        except AssertionError:
            failures.append(dict(smallest))
    return {"runs": runs, "failures": failures}


def guided(seconds: float) -> dict[str, Any]:
    """The half that atheris guides, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "benchmarks.fuzz.guided", str(seconds), str(report)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds * 2 + 300, check=False)
        if not report.exists():
            raise SystemExit(f"the guided half did not start:\n{done.stderr[-2000:]}")
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        if done.returncode:
            found["failures"].append({"fault": f"ended with {done.returncode}: {done.stderr[-500:]}"})
        return found


def main(given_: Sequence[str] | None = None) -> int:
    """Fuzz, print, write; 1 where something failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=WHOLE, help="of both halves together")
    parser.add_argument("--out", type=Path, help="write fuzz.json into this folder")
    options = parser.parse_args(given_)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    halves = {"guided": guided(options.seconds / 2), "grammar": by_grammar(options.seconds / 2)}
    failures = [f for half in halves.values() for f in half["failures"]]
    result = {
        "commit": commit.stdout.strip() or "unknown",
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "seconds": options.seconds,
        "versions": {n: version(n) for n in ("atheris", "hypothesis")} | {"python": platform.python_version()},
        "kinds": list(kinds()),
        "cases": {name: half["runs"] for name, half in halves.items()},
        "failures": failures,
    }
    folder = options.out or (ROOT / "benchmarks/results" if options.seconds >= WHOLE else None)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "fuzz.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for name, half in halves.items():
        print(
            f"{name}: {sum(half['runs'].values()):,} cases, " + ", ".join(f"{k} {n}" for k, n in half["runs"].items())
        )
    for failure in failures[:20]:
        print(json.dumps(failure, ensure_ascii=True)[:1000])
    print(f"{len(failures)} failures in {options.seconds:g} s")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
