"""`list`: what a recipe may name. Left out: everything but names and first lines."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

from verigrad.acceptance import grader_names, graders
from verigrad.errors import Refused, nearest

if TYPE_CHECKING:
    from verigrad.losses import PreferenceMethod

SORTS = ("data", "rewards", "methods", "graders")
_SOURCES = {
    "file.jsonl": "one JSON object a line, beside the recipe",
    "file.parquet": "Parquet, read in batches",
    "file.py:function": "your own function that gives rows",
    "hub:owner/name": "a hub data set, or a snapshot in a folder of that path; /config and :split after it",
    "gym:task": "1,000 items of a reasoning-gym task",
    "run:NAME": "another run's stored rollouts, mined for pairs, labels or right answers; run:. is the stage before",
}


def listing(what: str, a: str | None = None, b: str | None = None) -> tuple[Any, list[str]]:
    """(data, lines) of all of a sort, of one of them, or of what method `b` changes about `a`. Raises Refused."""
    if what not in SORTS:
        near = nearest(what, SORTS)
        raise Refused(f"list takes {', '.join(SORTS)}{near if near.startswith('; did you mean') else ''}")
    if b is not None and what != "methods":
        raise Refused("two names compare methods alone: list methods A B")
    if what == "methods":
        return _methods(a, b)
    about = _about(what)
    if a is not None:
        found = [name for name in about if a in (name, name.rpartition(" = ")[2])]  # "math" for "verifier = math"
        if not found:
            raise Refused(f"no {what} called {a}{nearest(a, [name.rpartition(' = ')[2] for name in about])}")
        if len(found) == 1:
            return {"name": found[0], "about": about[found[0]]}, about[found[0]].splitlines()
        lines = [line for name in found for line in (name, "", *about[name].splitlines(), "")]
        return [{"name": name, "about": about[name]} for name in found], lines[:-1]
    rows = [{"name": name, "about": text.partition("\n")[0]} for name, text in about.items()]
    width = max(len(name) for name in about)
    return rows, [f"{row['name']:<{width}}  {row['about']}" for row in rows]


def _about(what: str) -> dict[str, str]:
    if what == "data":
        from verigrad.data import builtin, list_builtin
        from verigrad.data.formats import formats
        from verigrad.data.use import SAYS

        own = {name: f"{inspect.getdoc(builtin.find(name))}\n{n:,} items" for name, _, n in list_builtin()}
        return own | _SOURCES | {f"columns of {form.NAME}": form.SAYS for form in formats()} | dict(SAYS)
    if what == "graders":
        return {name: inspect.getdoc(graders.module(name)) or "" for name in grader_names()} | {
            "file.py:function": "your own: f(answer, task) -> bool | float | None",
            "same": "the training verifier itself; marked NOT INDEPENDENT everywhere",
        }
    from verigrad.rewards import kind, kinds, shaping_of, shapings

    verifiers = {name: _with_options(kind(name)) for name in kinds()}
    return (
        {f"verifier = {name}": text for name, text in verifiers.items()}
        | {"verifier = file.py:function": "your own: f(answer, task), TRL's or verl's signature; in killable workers"}
        | {f"shaping = {name}": _with_options(shaping_of(name)) for name in shapings()}
    )


def _with_options(module: Any) -> str:
    """What a kind says of itself, and its options with their defaults."""
    options = [f"  {name} = {_toml(option.default)}: {option.meaning}" for name, option in module.OPTIONS.items()]
    return "\n".join([inspect.getdoc(module) or "", *(["", "options:"] if options else []), *options])


def _toml(value: Any) -> str:
    """A default as a recipe would write it."""
    if value is None:
        return "(none)"
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def _methods(a: str | None, b: str | None) -> tuple[Any, list[str]]:
    from verigrad.losses import build, diff, methods, preferences
    from verigrad.runs.about import method_record

    if a is None:
        rows = [{"name": name, "source": m.source} for name, m in methods.items()]
        rows += [{"name": name, "source": p.source} for name, p in preferences.items()]
        return rows, [f"{row['name']:<22}{row['source']}" for row in rows]
    known = [*methods, *preferences]
    for name in (a, b):
        if name is not None and name not in known:
            raise Refused(f"no method called {name}{nearest(name, known)}")
    if b is not None and (a in preferences) != (b in preferences):
        pairs, rewards = (a, b) if a in preferences else (b, a)
        raise Refused(f"{pairs} learns from pairs or labels, {rewards} from rewards: they have no axis in common")
    if a in preferences:
        return _preference(preferences[a]) if b is None else _preferences_apart(preferences[a], preferences[b])
    first = build(a, {})
    if b is not None:
        changes = diff(first, build(b, {}))
        return list(changes), list(changes) or [f"{b} is {a}"]
    record = method_record(first)
    lines = [f"{record['name']}  {record['source']}", *(f"  {k:<12}{v}" for k, v in record["axes"].items())]
    return record, [*lines, *(f"  sizes of the paper: {k} {v}" for k, v in first.paper_sizes.items()), *record["notes"]]


def _preference(method: PreferenceMethod) -> tuple[Any, list[str]]:
    """One preference method: every axis's word and numbers beside whose they are, the paper's sizes, notes."""
    from verigrad.losses.axis import told
    from verigrad.losses.method import shown

    axes: dict[str, dict[str, Any]] = {}
    lines = [f"{method.name}  {method.source}", f"  {_learns(method)}"]
    for axis in method.words:
        value = getattr(method, axis)
        axes[axis] = {"name": value.word, **told(value)}
        lines.append(f"  {axis:<20}{value.word:<14}{method.sources.get(axis, '')}".rstrip())
        for name, x in told(value).items():
            key = f"{axis}.{name}"
            lines.append(f"  {key:<20}{shown(x):<14}{method.sources.get(key, '')}".rstrip())
    lines += [f"  sizes of the paper: {key} {size}" for key, size in method.paper_sizes.items()]
    record = {
        "name": method.name,
        "source": method.source,
        "learns": _learns(method),
        "axes": axes,
        "sources": dict(method.sources),
        "notes": list(method.notes),
    }
    return record, [*lines, *method.notes]


def _preferences_apart(a: PreferenceMethod, b: PreferenceMethod) -> tuple[list[str], list[str]]:
    """What b chooses otherwise than a, axis by axis."""
    from verigrad.losses.axis import parameters, told
    from verigrad.losses.method import shown

    changes = []
    for axis in dict.fromkeys((*a.words, *b.words)):
        old, new = (getattr(m, axis) if axis in m.words else None for m in (a, b))
        if old is not None and new is not None and old.word == new.word:
            then, now = parameters(old), parameters(new)
            gone = [k for k in now if then.get(k) != now[k]]
            changes += [f"{axis}.{k} {shown(then.get(k))} -> {shown(now[k])}" for k in gone]
            continue
        with_what = ", ".join(f"{k} {shown(x)}" for k, x in told(new).items()) if new is not None else ""
        words = ["no choice of it" if value is None else value.word for value in (old, new)]
        changes.append(f"{axis} {words[0]} -> {words[1]}" + (f" ({with_what})" if with_what else ""))
    if _learns(a) != _learns(b):
        changes.append(f"{_learns(a)} -> {_learns(b)}")
    return changes, changes or [f"{b.name} is {a.name}"]


def _learns(method: PreferenceMethod) -> str:
    """What a step reads: pairs or labelled answers, with or without the reference, a row at a time or all at once."""
    said = "learns from pairs" if method.paired else "learns from labelled answers"
    said += ", against the reference" if method.needs_reference else ", without a reference"
    return said + ("" if method.separable else ", the whole step at once")
