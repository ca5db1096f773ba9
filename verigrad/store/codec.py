"""Records as JSON values and back, exactly: every field of every record, log-probs to the last bit.

Floats go as Python's shortest text that reads back to the same double; arrays as their dtype and raw bytes in base64
(int64 as a plain list). A group's task and prompt tokens are written once; a member that differs carries its own.
Left out: files (files) and folders (run_directory).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from verigrad.errors import DataError
from verigrad.records import Draw, Grade, Group, Item, Reply, Rollout, Scored, Task, Verdict


def line_of(value: Any) -> str:
    """One line of JSON, keys in their own order; nan and infinities as Python writes them, so that they read back."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def array(values: np.ndarray) -> Any:
    """An array [N] as a list where it is int64, else as {"dtype", "base64"}: little-endian raw bytes."""
    flat = np.ascontiguousarray(values)
    if flat.ndim != 1:
        raise ValueError(f"arrays in records have one axis, not {flat.ndim}")
    if flat.dtype == np.int64:
        return flat.tolist()
    raw = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
    return {"dtype": raw.dtype.str, "base64": base64.b64encode(raw.tobytes()).decode()}


def to_array(value: Any) -> np.ndarray:
    """The inverse of `array`: [N], writable, native byte order."""
    if isinstance(value, list):
        return np.array(value, dtype=np.int64)
    dtype = np.dtype(value["dtype"])
    return np.frombuffer(base64.b64decode(value["base64"]), dtype=dtype).astype(dtype.newbyteorder("="))


def task(t: Task) -> dict[str, Any]:
    """A task. Raises DataError where gold or a column is no JSON value, naming it."""
    return {
        "key": t.key,
        "family": t.family,
        "prompt": [dict(m) for m in t.prompt],
        "gold": _json(t.gold, t, "gold"),
        "columns": {str(k): _json(v, t, f"column {k}") for k, v in t.columns.items()},
        "source": t.source,
    }


def to_task(v: Mapping[str, Any]) -> Task:
    """The inverse of `task`."""
    return Task(
        key=v["key"],
        family=v["family"],
        prompt=tuple(v["prompt"]),
        gold=v["gold"],
        columns=v["columns"],
        source=v["source"],
    )


def verdict(v: Verdict) -> dict[str, Any]:
    """A verdict, its seconds included."""
    value = {
        "status": v.status,
        "score": None if v.score is None else float(v.score),
        "reason": v.reason,
        "read": v.read,
        "rule": v.rule,
        "isolation": int(v.isolation),
        "seconds": float(v.seconds),
        "process": None if v.process is None else [float(r) for r in v.process],
    }
    return value if v.process_ends is None else {**value, "process_ends": [int(end) for end in v.process_ends]}


def to_verdict(v: Mapping[str, Any]) -> Verdict:
    """The inverse of `verdict`."""
    several = {name: None if v.get(name) is None else tuple(v[name]) for name in ("process", "process_ends")}
    return Verdict(**{**v, **several})


def scored(s: Scored, *, of: Task, prompt: np.ndarray | None) -> dict[str, Any]:
    """A scored rollout in a group on task `of` whose prompt tokens are `prompt`; what is equal to those is left out."""
    r = s.rollout
    value: dict[str, Any] = {
        "draw": {
            "stage": int(r.draw.stage),
            "step": int(r.draw.step),
            "attempt": int(r.draw.attempt),
            "seed": int(r.draw.seed),
        },
        "answer": r.answer,
        "token_ids": array(r.token_ids),
        "chosen": array(r.chosen),
        "logp": array(r.logp),
        "finish": r.finish,
        "version": [int(r.version[0]), int(r.version[1])],
        "verdict": verdict(s.verdict),
        "parts": [[str(name), float(pay)] for name, pay in s.parts.items()],
        "reward": None if s.reward is None else float(s.reward),
    }
    if s.process_at is not None:
        value["process_at"] = [int(t) for t in s.process_at]
    if r.task is not of and r.task != of:
        value["task"] = task(r.task)
    if prompt is None or r.prompt_ids.dtype != prompt.dtype or not np.array_equal(r.prompt_ids, prompt):
        value["prompt_ids"] = array(r.prompt_ids)
    return value


def to_scored(v: Mapping[str, Any], *, of: Task, prompt: np.ndarray | None) -> Scored:
    """The inverse of `scored`."""
    own = v.get("prompt_ids")
    prompt_ids = prompt if own is None else to_array(own)
    if prompt_ids is None:
        raise ValueError("a stored rollout has no prompt tokens")
    rollout = Rollout(
        task=to_task(v["task"]) if "task" in v else of,
        draw=Draw(**v["draw"]),
        answer=v["answer"],
        prompt_ids=prompt_ids,
        token_ids=to_array(v["token_ids"]),
        chosen=to_array(v["chosen"]),
        logp=to_array(v["logp"]),
        finish=v["finish"],
        version=(v["version"][0], v["version"][1]),
    )
    at = v.get("process_at")
    return Scored(
        rollout=rollout,
        verdict=to_verdict(v["verdict"]),
        parts=dict(v["parts"]),
        reward=v["reward"],
        process_at=None if at is None else tuple(at),
    )


def group(g: Group) -> dict[str, Any]:
    """A group with its members, the ungraded and the greedy answer."""
    everyone = [*g.members, *g.left_out, *([] if g.greedy is None else [g.greedy])]
    prompt = everyone[0].rollout.prompt_ids if everyone else None
    return {
        "task": task(g.task),
        "prompt_ids": None if prompt is None else array(prompt),
        "members": [scored(s, of=g.task, prompt=prompt) for s in g.members],
        "left_out": [scored(s, of=g.task, prompt=prompt) for s in g.left_out],
        "greedy": None if g.greedy is None else scored(g.greedy, of=g.task, prompt=prompt),
    }


def to_group(v: Mapping[str, Any]) -> Group:
    """The inverse of `group`."""
    of = to_task(v["task"])
    prompt = None if v["prompt_ids"] is None else to_array(v["prompt_ids"])
    return Group(
        task=of,
        members=tuple(to_scored(s, of=of, prompt=prompt) for s in v["members"]),
        left_out=tuple(to_scored(s, of=of, prompt=prompt) for s in v["left_out"]),
        greedy=None if v["greedy"] is None else to_scored(v["greedy"], of=of, prompt=prompt),
    )


def without_seconds(v: Any) -> Any:
    """A stored value without any `seconds` of a verdict: what a resumed run must reproduce."""
    if isinstance(v, Mapping):
        return {
            k: ({n: x for n, x in w.items() if n != "seconds"} if k == "verdict" else without_seconds(w))
            for k, w in v.items()
            if k != "task"
        } | ({"task": v["task"]} if "task" in v else {})
    if isinstance(v, list):
        return [without_seconds(w) for w in v]
    return v


def reply(r: Reply) -> dict[str, Any]:
    """One answer to a held-out item."""
    g = r.grade
    return {
        "answer": r.answer,
        "seed": int(r.seed),
        "tokens": int(r.tokens),
        "finish": r.finish,
        "grade": {"strict": g.strict, "lenient": g.lenient, "read": g.read, "reason": g.reason},
        "training": r.training,
    }


def to_reply(v: Mapping[str, Any]) -> Reply:
    """The inverse of `reply`."""
    return Reply(**{**v, "grade": Grade(**v["grade"])})


def item(i: Item) -> dict[str, Any]:
    """A held-out item with its answers before and after."""
    return {
        "task": task(i.task),
        "suite": i.suite,
        "greedy_before": reply(i.greedy_before),
        "greedy_after": reply(i.greedy_after),
        "sampled_before": [reply(r) for r in i.sampled_before],
        "sampled_after": [reply(r) for r in i.sampled_after],
    }


def to_item(v: Mapping[str, Any]) -> Item:
    """The inverse of `item`."""
    return Item(
        task=to_task(v["task"]),
        suite=v["suite"],
        greedy_before=to_reply(v["greedy_before"]),
        greedy_after=to_reply(v["greedy_after"]),
        sampled_before=tuple(to_reply(r) for r in v["sampled_before"]),
        sampled_after=tuple(to_reply(r) for r in v["sampled_after"]),
    )


def _json(value: Any, t: Task, what: str) -> Any:
    """The value itself where it is a JSON value all through; what json would change silently is refused."""
    if value is None or type(value) in (str, bool, int, float):
        return value
    if type(value) is list:
        return [_json(v, t, what) for v in value]
    if isinstance(value, Mapping) and all(type(k) is str for k in value):
        return {k: _json(v, t, what) for k, v in value.items()}
    raise DataError(
        f"task {t.key} of {t.source}: {what} holds a {type(value).__name__}; a task holds JSON values only: "
        "text, numbers, true and false, null, lists, mappings with text keys"
    )
