"""How the loss is computed: methods as data, one interpreter, one axis a file. See docs/design.md 4."""

from verigrad.losses.method import (
    Method,
    Needs,
    PolicyLoss,
    advantages,
    check_sizes,
    diff,
    idle_rows,
    needs,
    policy_loss,
)
from verigrad.losses.methods import METHODS as methods
from verigrad.losses.page import table
from verigrad.losses.wire import build, describe, sets_elsewhere

__all__ = [
    "Method",
    "Needs",
    "PolicyLoss",
    "advantages",
    "build",
    "check_sizes",
    "describe",
    "diff",
    "idle_rows",
    "methods",
    "needs",
    "policy_loss",
    "sets_elsewhere",
    "table",
]
