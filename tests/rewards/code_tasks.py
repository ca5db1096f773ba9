"""Golds and answers for the tests of `code`."""

from verigrad.records import Task
from verigrad.rewards.verifiers import code

ADD = {
    "type": "call",
    "entry": "add",
    "tests": [{"args": [1, 2], "out": 3}, {"args": [4, 5], "out": 9}, {"args": [-7, 2], "out": -5}],
}


def verdict(source, gold=None, *, columns=None, **options):
    """The verdict on a program, given bare."""
    return code.verify(source, Task.make(prompt="q", gold=gold or ADD, columns=columns), **options)


def call(out, *args, entry="f", **more):
    """A gold of one call."""
    return {"type": "call", "entry": entry, "tests": [{"args": list(args), "out": out}], **more}


def stdin(*pairs, **more):
    return {"type": "stdin", "tests": [{"in": i, "out": o} for i, o in pairs], **more}


def unit(*sources, entry="f", **more):
    return {"type": "unittest", "entry": entry, "tests": list(sources), **more}
