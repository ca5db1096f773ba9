"""call(): our own or the user's code in a process that may hang or crash. run(): programs nobody trusts, in a box."""

from verigrad.sandbox.boxes import run
from verigrad.sandbox.calls import Pool, call, cores, level
from verigrad.sandbox.interpreter import python
from verigrad.sandbox.probing import best, levels, require
from verigrad.sandbox.records import Level, Limits, Ran
from verigrad.sandbox.worker import Outcome, Worker

__all__ = [
    "Level",
    "Limits",
    "Outcome",
    "Pool",
    "Ran",
    "Worker",
    "best",
    "call",
    "cores",
    "level",
    "levels",
    "python",
    "require",
    "run",
]
