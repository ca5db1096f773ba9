"""Where the data comes from: sources, prompts, the split by family, the leak check, the order. No torch, no model.

    load(tables) -> sources -> split -> check_leaks -> Order(train side).tasks(step)
    load(tables, kind="preference") -> ... -> pairs(train side), and so for labelled answers and demonstrations

Left out: what a gold is worth (rewards checks golds) and which attempts are drawn (rollouts).
"""

from verigrad.data.builtin import list_builtin
from verigrad.data.examples import demonstrations, labelled, pairs
from verigrad.data.leaks import Leak, check_leaks, find_leaks
from verigrad.data.order import Order, shares
from verigrad.data.sources import Source, load, load_source, load_suite
from verigrad.data.split import Split, split
from verigrad.data.text import normalise
from verigrad.data.unleaked import without_leaks
from verigrad.data.use import Use

__all__ = [
    "Leak",
    "Order",
    "Source",
    "Split",
    "Use",
    "check_leaks",
    "demonstrations",
    "find_leaks",
    "labelled",
    "list_builtin",
    "load",
    "load_source",
    "load_suite",
    "normalise",
    "pairs",
    "shares",
    "split",
    "without_leaks",
]
