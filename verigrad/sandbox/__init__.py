"""call(): our own or the user's code in a process that may hang, crash, print or exit. run(): a later version."""

from verigrad.sandbox.calls import Pool, call, level, run
from verigrad.sandbox.worker import Outcome, Worker

__all__ = ["Outcome", "Pool", "Worker", "call", "level", "run"]
