"""The audit: attacks on a check, what it accepts that is not right, and whatever else is wrong with it.

    rows (made, or a recipe's) -> tricks -> attacks -> the target's score -> the independent grader -> Audit

`records` says what things are called; `tricks` holds one file for each thing tricks play on, `made` one for each kind
with rows. Left out: opening targets and graders, which are handed over by runs (rewards know no grader).
"""

from verigrad.rewards.audit.auditing import audit_target
from verigrad.rewards.audit.made import made_kinds, made_rows
from verigrad.rewards.audit.records import Attack, Grading, Row, Said, Trick
from verigrad.rewards.audit.result import Audit
from verigrad.rewards.audit.rows import row_of
from verigrad.rewards.audit.shipped import TRICK as SHIPPED
from verigrad.rewards.audit.targets import FunctionTarget, KindTarget, Target
from verigrad.rewards.audit.tricks import all_tricks

__all__ = [
    "SHIPPED",
    "Attack",
    "Audit",
    "FunctionTarget",
    "Grading",
    "KindTarget",
    "Row",
    "Said",
    "Target",
    "Trick",
    "all_tricks",
    "audit_target",
    "made_kinds",
    "made_rows",
    "row_of",
]
