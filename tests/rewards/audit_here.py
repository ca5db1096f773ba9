"""An audit's target whose function is called in the test's own process: as quick as the function."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

from verigrad.acceptance import open_grader
from verigrad.records import Task
from verigrad.rewards import check_process
from verigrad.rewards.audit import Audit, Row, audit_target, made_rows
from verigrad.rewards.audit.records import Said
from verigrad.rewards.audit.targets import of_outcome, of_reply
from verigrad.sandbox import Outcome

HERE = Path(__file__).parent


class Here:
    """`audit_targets.py:name`, called directly; a call that took longer than a second is a hang."""

    own = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.spec = {"file": str(HERE / "audit_targets.py"), "name": name}
        about = check_process.describe(self.spec)
        self.said = about["signature"]
        self.batched = about["signature"].startswith("trl")

    def score(self, pairs: Sequence[tuple[str, Task]]) -> list[Said]:
        """One call an answer."""
        return [self._one(answer, task) for answer, task in pairs]

    def _one(self, answer: str, task: Task) -> Said:
        begun = time.perf_counter()
        try:
            reply = check_process.judge(self.spec, answer, asdict(task))
        except SystemExit:
            return of_outcome(Outcome(kind="died", error="the process exited with status 0"))
        return of_reply(reply, time.perf_counter() - begun)

    def afresh(self) -> None:
        """Loads the file anew."""
        check_process.forget()

    def together(self, pairs: Sequence[tuple[str, Task]]) -> list[Said]:
        """One call on all."""
        replies = check_process.judge_together(self.spec, [a for a, _ in pairs], [asdict(t) for _, t in pairs])
        return [of_reply(reply, 0.0) for reply in replies]


@cache
def numbers(n: int) -> tuple[Row, ...]:
    """Made rows of kind number."""
    return tuple(made_rows("number", n))


@cache
def words(n: int) -> tuple[Row, ...]:
    """Made rows of kind blank with one gold, the ones of several lines among them."""
    return tuple([r for r in made_rows("blank", 99) if isinstance(r.task.gold, str)][-n:])


def audited(name: str, rows: Sequence[Row], *, only: Sequence[str] = ()) -> Audit:
    """The audit of one of the known-bad functions on these rows, by the grader of numbers."""
    grade = open_grader("number").grade
    return audit_target(
        Here(name),
        rows,
        grading=lambda row: (lambda answer, task: grade(answer, task).strict) if row.kind == "number" else None,
        only=only,
    )
