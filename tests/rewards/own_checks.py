"""Checks a user might write, the bad ones too. Loaded in workers from a recipe's folder."""

import os
import signal
import sys
import time
from pathlib import Path

from verigrad.records import Verdict, right, ungraded

print("loading talks too")
TRIES = Path("tries")


def rows_match(answer, task):
    return answer.strip() == str(task.gold)


def misbehaves(answer, task):
    print("x" * 100_000)
    sys.stderr.write("and more\n")
    if answer == "raise":
        raise KeyError("no such row")
    if answer == "hang":
        time.sleep(60)
    if answer == "exit":
        os._exit(0)
    if answer == "sys.exit":
        sys.exit(0)
    if answer == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if answer == "once" and not TRIES.exists():
        TRIES.write_text("tried")
        raise OSError("the disk was busy")
    special = {
        "nan": float("nan"),
        "inf": float("inf"),
        "none": None,
        "two": 2,
        "minus": -0.5,
        "text": "yes",
        "half": 0.5,
    }
    if answer in special:
        return special[answer]
    if answer == "ungraded":
        return ungraded("I cannot say")
    if answer == "verdict":
        return right("a row", rule="mine")
    if answer == "partly":
        return Verdict(status="wrong", score=0.25, read="one row of four", process=(1.0, 0.0))
    return answer == task.gold


def raises_always(answer, task):
    raise RuntimeError("no database")


def hangs_always(answer, task):
    time.sleep(60)


def none_always(answer, task):
    return None


def nan_always(answer, task):
    return float("nan")


def exits_always(answer, task):
    os._exit(0)


def never_right(answer, task):
    return False


def reads_its_folder(answer, task):
    return Path("note.txt").read_text() == answer


def by_columns(answer, task):
    return answer == f"{task.columns['a']} {task.source} {task.prompt[-1]['content']}"


def trl_text(completions, solution, prompts, **columns):
    assert len(completions) == len(solution) == len(prompts) == len(columns["level"]) == 1
    return [1.0 if c == s else -1.0 for c, s in zip(completions, solution, strict=True)]


def trl_chat(completions, answer):
    return [float(c[0]["content"] == a) for c, a in zip(completions, answer, strict=True)]


def trl_wrong_length(completions, **columns):
    return [1.0, 1.0]


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    return {"score": 1.0 if solution_str == ground_truth else -1.0, "extra": extra_info}


def score_only(solution_str, ground_truth):
    return solution_str == ground_truth


def takes_one(answer):
    return True


def short(answer, task):
    if answer == "nan":
        return float("nan")
    return max(0.0, 1 - len(answer) / 10)


def out_of_range(answer, task):
    return 5.0


NOT_A_FUNCTION = 3
