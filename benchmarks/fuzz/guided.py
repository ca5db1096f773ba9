"""The coverage-guided half, in its own process because atheris ends it: bytes to a case, mutated towards new branches.

    python -m benchmarks.fuzz.guided SECONDS REPORT

Writes how many cases ran and what failed as JSON after every second, as nothing runs after the last.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["verigrad.rewards"]):
    from benchmarks.fuzz.cases import Seed, check, seeds


def main() -> None:
    """Fuzz for so many seconds."""
    seconds, report = float(sys.argv[1]), Path(sys.argv[2])
    start, found, written = seeds(), [], time.monotonic()
    runs: dict[str, int] = {}

    def one(data: bytes) -> None:
        nonlocal written
        provider = atheris.FuzzedDataProvider(data)
        seed = start[provider.ConsumeIntInRange(0, len(start) - 1)]
        gold = seed.gold
        if provider.ConsumeIntInRange(0, 3) == 0:
            gold = provider.ConsumeUnicodeNoSurrogates(60)
        cut = provider.ConsumeIntInRange(0, len(seed.answer))
        middle = provider.ConsumeUnicodeNoSurrogates(provider.ConsumeIntInRange(0, 200))
        other = start[provider.ConsumeIntInRange(0, len(start) - 1)].answer
        case = Seed(seed.kind, gold, (seed.answer[:cut] + middle + (seed.answer[cut:] or other))[:5_000])
        runs[case.kind] = runs.get(case.kind, 0) + 1
        for fault in check(case):
            if len(found) < 50:
                found.append({"kind": case.kind, "gold": case.gold, "answer": case.answer, "fault": fault})
        if time.monotonic() - written > 1:
            written = time.monotonic()
            report.write_text(json.dumps({"runs": runs, "failures": found}, ensure_ascii=True), encoding="utf-8")

    report.write_text(json.dumps({"runs": runs, "failures": found}), encoding="utf-8")
    atheris.Setup([sys.argv[0], f"-max_total_time={int(seconds)}", "-max_len=600", "-timeout=120", "-verbosity=0"], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
