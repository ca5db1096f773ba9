"""What travels between rooms, frozen and keyword-only; numpy is the only import. See docs/design.md 3 and 6."""

from verigrad.records.acceptance import Decision, Grade, Item, Reply
from verigrad.records.batch import Batch, Signal, Step, Totals, batch_of, totals_of
from verigrad.records.examples import Demonstration, Labelled, Pair
from verigrad.records.rollout import Completion, Draw, Finish, Group, Request, Rollout, Scored
from verigrad.records.seeds import seed, uniform, uniforms
from verigrad.records.task import Message, Task
from verigrad.records.verdict import (
    BROKE_CHECK,
    STATUSES,
    Status,
    Verdict,
    from_value,
    right,
    ungraded,
    unreadable,
    wrong,
)

__all__ = [
    "BROKE_CHECK",
    "STATUSES",
    "Batch",
    "Completion",
    "Decision",
    "Demonstration",
    "Draw",
    "Finish",
    "Grade",
    "Group",
    "Item",
    "Labelled",
    "Message",
    "Pair",
    "Reply",
    "Request",
    "Rollout",
    "Scored",
    "Signal",
    "Status",
    "Step",
    "Task",
    "Totals",
    "Verdict",
    "batch_of",
    "from_value",
    "right",
    "seed",
    "totals_of",
    "ungraded",
    "uniform",
    "uniforms",
    "unreadable",
    "wrong",
]
