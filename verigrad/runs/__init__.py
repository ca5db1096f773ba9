"""The verbs: the one place where all rooms meet. Each is a function; the command line only calls them.

Names are imported on first use, because some verbs need no model and should not wait for torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Acceptance": "verigrad.runs.do_accept",
    "Compared": "verigrad.runs.do_compare",
    "KITS": "verigrad.runs.do_init",
    "Pilot": "verigrad.runs.piloting",
    "Run": "verigrad.runs.run",
    "Talk": "verigrad.runs.talk",
    "accept": "verigrad.runs.do_accept",
    "audit": "verigrad.runs.do_audit",
    "compare": "verigrad.runs.do_compare",
    "init": "verigrad.runs.do_init",
    "listing": "verigrad.runs.do_list",
    "pilot": "verigrad.runs.do_pilot",
    "resume": "verigrad.runs.do_resume",
    "train": "verigrad.runs.do_train",
    "verify": "verigrad.runs.do_verify",
}

__all__ = [
    "KITS",
    "Acceptance",
    "Compared",
    "Pilot",
    "Run",
    "Talk",
    "accept",
    "audit",
    "compare",
    "init",
    "listing",
    "pilot",
    "resume",
    "train",
    "verify",
]

if TYPE_CHECKING:
    from verigrad.runs.do_accept import Acceptance, accept
    from verigrad.runs.do_audit import audit
    from verigrad.runs.do_compare import Compared, compare
    from verigrad.runs.do_init import KITS, init
    from verigrad.runs.do_list import listing
    from verigrad.runs.do_pilot import pilot
    from verigrad.runs.do_resume import resume
    from verigrad.runs.do_train import train
    from verigrad.runs.do_verify import verify
    from verigrad.runs.piloting import Pilot
    from verigrad.runs.run import Run
    from verigrad.runs.talk import Talk


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'verigrad.runs' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
