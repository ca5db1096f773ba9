"""verigrad post-trains language models on tasks whose answers a program can check, and accepts the result apart.

Public names are imported on first use, so that `import verigrad` stays quick and brings no torch. The command line
calls these and functions of `runs` and `reporting`, nothing deeper.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Group": "verigrad.records",
    "Method": "verigrad.losses",
    "Recipe": "verigrad.recipe",
    "Rollout": "verigrad.records",
    "Run": "verigrad.runs",
    "Sampler": "verigrad.sampling",
    "Scored": "verigrad.records",
    "Task": "verigrad.records",
    "Verdict": "verigrad.records",
    "Verifier": "verigrad.rewards",
    "VerigradError": "verigrad.errors",
    "accept": "verigrad.runs",
    "advantages": "verigrad.losses",
    "audit": "verigrad.runs",
    "compare": "verigrad.runs",
    "diff": "verigrad.losses",
    "doctor": "verigrad.reporting",
    "methods": "verigrad.losses",
    "pilot": "verigrad.runs",
    "policy_loss": "verigrad.losses",
    "train": "verigrad.runs",
    "verify": "verigrad.runs",
}

__all__ = [
    "Group",
    "Method",
    "Recipe",
    "Rollout",
    "Run",
    "Sampler",
    "Scored",
    "Task",
    "Verdict",
    "Verifier",
    "VerigradError",
    "__version__",
    "accept",
    "advantages",
    "audit",
    "compare",
    "diff",
    "doctor",
    "methods",
    "pilot",
    "policy_loss",
    "train",
    "verify",
]

if TYPE_CHECKING:
    from verigrad.errors import VerigradError
    from verigrad.losses import Method, advantages, diff, methods, policy_loss
    from verigrad.recipe import Recipe
    from verigrad.records import Group, Rollout, Scored, Task, Verdict
    from verigrad.reporting.doctor import doctor
    from verigrad.rewards import Verifier
    from verigrad.runs import Run, accept, audit, compare, pilot, train, verify
    from verigrad.sampling import Sampler


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'verigrad' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
