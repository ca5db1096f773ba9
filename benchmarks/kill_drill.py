"""kill -9 a run at named and at seeded moments, resume it until it is done, and compare it with an undisturbed one.

    python benchmarks/kill_drill.py [--kills 24] [--out benchmarks/results/kill_drill.json]

A tiny random llama is trained on a check of its own (two worker processes, a reference, a validation look, two passes
of two minibatches). The named moments are recognised by what lies in the run's folder: nothing in the package knows of
the drill. Equal means: weights of every model and checkpoint, metrics.jsonl, rollouts without seconds, acceptance.json
without the count of openings (an opening that was killed was one), every item. Exit 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
import torch.utils.tensorboard  # noqa: E402

from tests.tiny import tiny_folder  # noqa: E402
from verigrad.runs import resume, train  # noqa: E402
from verigrad.store import RunDirectory, compare_runs  # noqa: E402

torch.set_num_threads(1)

RECIPE = """
[model]
path = "tiny-llama-0"
dtype = "float32"
[data]
source = "words.jsonl"
prompt = "{question}"
held_out = 0.3
[reward]
verifier = "checks.py:begins"
[sampling]
max_tokens = 4
[train]
steps = 7
prompts = 4
group = 6
passes = 2
minibatches = 2
lr = 1e-2
schedule = { name = "linear", warmup = 1 }
save_every = 2
[acceptance]
grader = "checks.py:begins_so"
every = 3
rule = { test = "sampled", answers = 2 }
[run]
name = "drill"
"""
CHECKS = '''
def begins(answer, task):
    """Right where one of the first two letters is among the gold's."""
    return bool(answer) and any(c in task.gold for c in answer[:2])


def begins_so(answer, task):
    return len(set(answer[:2]) & set(task.gold)) > 0
'''


def lay_out(folder: Path) -> Path:
    """The model, the data, the checks and the recipe; returns the recipe."""
    tiny_folder(folder)
    rows = [{"question": f"word {37 * i % 1000}", "gold": "abcdefghijkl"} for i in range(60)]
    (folder / "words.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (folder / "checks.py").write_text(CHECKS)
    (folder / "drill.toml").write_text(RECIPE)
    return folder / "drill.toml"


def forked(work: Callable[[], Any], log: Path) -> int:
    """Start `work` in a copy of this process; returns its pid. It exits 0, or 1 with its traceback in `log`."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def wait(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def lines(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def any_of(folder: Path, pattern: str) -> bool:
    return any(True for _ in folder.glob(pattern))


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "created": lambda r: (r / "STATUS").exists(),
    "pilot done": lambda r: (r / "pilot.json").exists(),
    "held-out opened, before": lambda r: (r / "openings.jsonl").exists(),
    "before measured": lambda r: (r / "before.jsonl").exists(),
    "sampling step 1": lambda r: (r / "before.jsonl").exists() and (r / "tensorboard").exists(),
    "step 3 stored, update ahead": lambda r: (r / "01_rl/rollouts/step_00003.jsonl.zst").exists(),
    "checkpoint 2 half written": lambda r: any_of(r / "01_rl/checkpoints", ".step_00002.tmp-*/model/*"),
    "checkpoint 2 written": lambda r: (r / "01_rl/checkpoints/step_00002").exists(),
    "metrics of step 4, checkpoint ahead": lambda r: lines(r / "metrics.jsonl") >= 4,
    "state of checkpoint 6 half written": lambda r: any_of(r / "01_rl/checkpoints", ".step_00006.tmp-*/state/*"),
    "old checkpoint half gone": lambda r: any_of(r / "01_rl/checkpoints", ".step_*.gone-*"),
    "last checkpoint written": lambda r: (r / "01_rl/checkpoints/step_00007").exists(),
    "model half written": lambda r: any_of(r, ".model.tmp-*/*"),
    "model written": lambda r: (r / "model").exists(),
    "held-out opened, after": lambda r: lines(r / "openings.jsonl") >= 2 and (r / "model").exists(),
    "items written": lambda r: (r / "items.jsonl.zst").exists(),
    "decided, page ahead": lambda r: (r / "acceptance.json").exists(),
}


def kill_at(pid: int, moment: Callable[[], bool]) -> bool:
    """Kill -9 as soon as `moment` holds; False where the process ended before."""
    while not moment():
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return False
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    return True


def start(recipe: Path, runs: Path, log: Path) -> int:
    """Begin the run, or go on with it where it is there."""
    run = runs / "drill"
    if RunDirectory.exists(run):
        return forked(lambda: resume(run), log)
    return forked(lambda: train(recipe, runs=runs), log)


def finished(run: Path) -> bool:
    return (
        RunDirectory.exists(run)
        and RunDirectory.read(run).status().get("phase") == "done"
        and (run / "report.html").exists()
    )


def differences(one: Path, two: Path) -> list[str]:
    """Every difference of two finished runs, one line each; what a kill may leave lying about is one too."""
    told = compare_runs(one, two)
    a, b = (
        {k: v for k, v in json.loads((r / "acceptance.json").read_text()).items() if k != "openings"}
        for r in (one, two)
    )
    if a != b:
        told.append("acceptance.json differs")
    if repr(RunDirectory.read(one).read_items()) != repr(RunDirectory.read(two).read_items()):
        told.append("items.jsonl.zst differs")
    for name in ("before.jsonl", "pilot.json", "recipe.toml"):
        if (one / name).read_bytes() != (two / name).read_bytes():
            told.append(f"{name} differs")
    told += [f"left over: {p.relative_to(two)}" for p in two.rglob(".*")]
    if (two / "LOCK").exists():
        told.append("left over: LOCK")
    return told


def drill(folder: Path, *, kills: int, seed: int, say: Callable[[str], None]) -> dict[str, Any]:
    """The undisturbed run, then one disturbed run a kill (two kills where it was a seeded one)."""
    recipe = lay_out(folder)
    log = folder / "log.txt"
    begun = time.monotonic()
    if wait(forked(lambda: train(recipe, runs=folder / "undisturbed"), log)):
        raise SystemExit(f"the undisturbed run failed:\n{log.read_text()}")
    seconds = time.monotonic() - begun
    say(f"undisturbed: {seconds:.1f} s")
    rng = random.Random(seed)
    named = list(MOMENTS)
    if kills < len(named):
        named = sorted(rng.sample(named, (kills + 1) // 2), key=named.index)
    plans = [(name, "named") for name in named] + [(f"seeded {n}", "seeded") for n in range(kills - len(named))]
    rows: list[dict[str, Any]] = []
    for n, (name, kind) in enumerate(plans):
        runs = folder / f"disturbed-{n}"
        run = runs / "drill"
        killed_in, resumes = [], 0
        moments = [MOMENTS[name]] if kind == "named" else [None, None]
        for moment in moments:
            resumes += RunDirectory.exists(run)
            pid = start(recipe, runs, log)
            if moment is None:
                end = time.monotonic() + rng.uniform(0.02, seconds)
                hit = kill_at(pid, lambda end=end: time.monotonic() > end)
            else:
                hit = kill_at(pid, lambda moment=moment, run=run: moment(run))
            status = wait(pid)
            if hit:
                at = RunDirectory.read(run).status() if RunDirectory.exists(run) else {"phase": "before the folder"}
                killed_in.append(f"{at['phase']}{' ' + str(at['step']) if at.get('step') else ''}")
            elif status:
                raise SystemExit(f"{name}: failed by itself:\n{log.read_text()[-4000:]}")
            if finished(run):
                break
        while not finished(run):
            resumes += RunDirectory.exists(run)
            if wait(start(recipe, runs, log)) or resumes > 4:
                raise SystemExit(f"{name}: could not be resumed:\n{log.read_text()[-4000:]}")
        told = differences(folder / "undisturbed" / "drill", run)
        rows.append({"moment": name, "killed_in": killed_in, "resumes": resumes, "differences": told})
        say(f"{name}: killed in {', '.join(killed_in) or 'nothing (it was done)'}; {told or 'EQUAL'}")
        if not told:
            shutil.rmtree(runs)
    return {
        "undisturbed_seconds": round(seconds, 2),
        "runs": len(rows),
        "kills": sum(len(r["killed_in"]) for r in rows),
        "killed_in": dict(Counter(word.split()[0] for r in rows for word in r["killed_in"])),
        "unequal": sum(bool(r["differences"]) for r in rows),
        "rows": rows,
    }


def commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        return git("rev-parse", "HEAD") + ("" if not git("status", "--porcelain", "-uno") else " with changes")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    words.add_argument("--kills", type=int, default=len(MOMENTS) + 12, help="disturbed runs")
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "kill_drill.json")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = drill(Path(folder), kills=given.kills, seed=given.seed, say=lambda text: print(text, flush=True))
    result = {"commit": commit(), "torch": torch.__version__, "cores": os.cpu_count(), "threads": 1, **result}
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{result['kills']} kills in {result['runs']} runs, {result['unequal']} unequal: {given.out}")
    return 1 if result["unequal"] else 0


if __name__ == "__main__":
    sys.exit(main())
