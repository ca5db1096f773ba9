"""`make bench-sandbox`: what a box costs beside a bare start of Python, layer by layer, and many at once.

    python -m benchmarks.bench_sandbox [--smoke]

Interleaved, medians: `python -I -c pass` alone, in a box of level 2 and of level 3; bubblewrap alone with more and more
of the profile, so that the differences are the layers' shares; five boxes one after the other beside five bare starts;
boxes a second by one thread and by as many as there are cores. The bound is 5 times a bare start, the aim 3.5.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.common import arguments, facts, heading, rows, store
from verigrad import sandbox
from verigrad.sandbox import interpreter, layers

BOUND, AIM = 5.0, 3.5
FIVE, MANY = 5, 48
PROGRAM = ["-I", "-c", "pass"]
NAMESPACES = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
INSIDE = [
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
]
STEPS = (
    ("bubblewrap: mounts and users", ["--unshare-user"]),
    ("its other namespaces, /proc and /dev", [*NAMESPACES, *INSIDE]),
    ("no further user namespaces", [*NAMESPACES, *INSIDE, "--disable-userns"]),
    ("an own network (our boxes share one that is empty)", [*NAMESPACES, *INSIDE, "--disable-userns", "--unshare-net"]),
)
"""More and more of the profile, by bubblewrap alone; the last is not part of a box."""


def bare() -> None:
    """An interpreter that does nothing."""
    subprocess.run([sandbox.python(), *PROGRAM], check=True)


def box(level: int) -> None:
    """The same in a box. Raises SystemExit where it does not run."""
    ran = sandbox.run([sandbox.python(), *PROGRAM], level=level)
    if not ran.ok:
        raise SystemExit(f"level {level}: {ran.kind} {ran.error}")


def wrapped(words: Sequence[str]) -> Callable[[], None]:
    """The same under bubblewrap alone."""
    shown = [path for path in (*layers.SYSTEM, *layers.ETC, *interpreter.interpreter_folders()) if os.path.exists(path)]
    binds = [word for path in shown for word in ("--ro-bind", path, path)]
    command = ["bwrap", *binds, *words, "--", sandbox.python(), *PROGRAM]
    return lambda: subprocess.run(command, check=True) and None


def seconds(work: Callable[[], Any]) -> float:
    """Wall time of one call."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def inside() -> dict[str, float]:
    """Seconds of what level 2 does in the process that becomes the program."""
    command = [sys.executable, str(Path(__file__).with_name("box_side.py"))]
    said: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return said


def measured(given: Any) -> dict[str, Any]:
    """Every side `rounds` times, one after the other in each round, after one round that does not count."""
    sandbox.levels()
    sides: dict[str, Callable[[], Any]] = {
        "bare": bare,
        "level 2": lambda: box(2),
        "level 3": lambda: box(3),
        **{name: wrapped(words) for name, words in STEPS},
        "five bare": lambda: [bare() for _ in range(FIVE)],
        "five of level 2": lambda: [box(2) for _ in range(FIVE)],
        "five of level 3": lambda: [box(3) for _ in range(FIVE)],
    }
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(given.rounds + 1):
        for name, work in sides.items():
            once = seconds(work)
            if turn:
                taken[name].append(once)
    cores = len(os.sched_getaffinity(0))
    many = 4 if given.smoke else MANY
    rates: dict[str, dict[str, float]] = {}
    for name, one in (("bare", bare), ("level 2", sides["level 2"]), ("level 3", sides["level 3"])):
        rates[name] = {
            str(threads): statistics.median(
                many / seconds(lambda t=threads, w=one: _many(w, many, t)) for _ in range(3)
            )
            for threads in (1, cores, 4 * cores)
        }
    return facts() | {
        "seconds": {name: [round(t, 5) for t in times] for name, times in taken.items()},
        "inside": {name: round(t, 6) for name, t in inside().items()},
        "a_second": {name: {t: round(rate, 1) for t, rate in some.items()} for name, some in rates.items()},
        "root": os.geteuid() == 0,
    }


def _many(work: Callable[[], Any], count: int, threads: int) -> None:
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda _: work(), range(count)))


def table(result: dict[str, Any]) -> str:
    """The page's block."""
    median = {name: statistics.median(times) for name, times in result["seconds"].items()}
    alone, five = median["bare"], median["five bare"]

    def row(name: str, base: float) -> list[str]:
        return [name, f"{median[name] * 1e3:.1f}", f"{median[name] / base:.2f}"]

    parts = [heading(result)]
    parts.append(
        rows(
            ["One `python -I -c pass`", "ms, median", "times the bare start"],
            [row(name, alone) for name in ("bare", "level 2", "level 3")]
            + [row(name, five) for name in ("five bare", "five of level 2", "five of level 3")],
        )
    )
    before, shares = alone, []
    for name, _ in STEPS:
        shares.append([name, f"{(median[name] - before) * 1e3:+.1f}", f"{(median[name] - before) / alone:+.2f}"])
        before = median[name]
    rest = median["level 3"] - median[STEPS[-2][0]]
    own = "what is ours at level 3: launcher, keeper, pipes, folder, group, start code, seccomp"
    shares.append([own, f"{rest * 1e3:+.1f}", f"{rest / alone:+.2f}"])
    shares += [[f"level 2: {n}", f"{t * 1e3:+.2f}", f"{t / alone:+.3f}"] for n, t in result["inside"].items()]
    parts.append(rows(["Share of a layer", "ms", "of a bare start"], shares))
    threads = list(result["a_second"]["bare"])
    head = ["Boxes a second", *(f"{t} thread{'' if t == '1' else 's'}" for t in threads), "cores against one"]
    body = [
        [name, *(some[t] for t in threads), f"{some[threads[1]] / some[threads[0]]:.2f}"]
        for name, some in result["a_second"].items()
    ]
    parts.append(rows(head, body))
    reached = median["level 3"] / alone
    verdict = "reached" if reached <= AIM else "inside the bound" if reached <= BOUND else "missed"
    parts.append(f"Aim {AIM}, bound {BOUND} times a bare start for level 3: {verdict} ({reached:.2f}).")
    return "\n\n".join(parts)


def main(words: Sequence[str] | None = None) -> int:
    """Measure, write, print."""
    given, begun = arguments(__doc__, words, rounds=40), time.monotonic()
    store("sandbox", measured(given), given, table, begun)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
