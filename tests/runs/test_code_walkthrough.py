"""docs/code.md, walk-through: the sort that always returns [1, 2, 3], the audit, hidden tests, the grader."""

from verigrad.acceptance.graders.code import grade
from verigrad.recipe import Reward
from verigrad.records import Task
from verigrad.rewards import Rewards
from verigrad.rewards.audit import KindTarget, audit_target, row_of

ONE = [{"args": [[3, 1, 2]], "out": [1, 2, 3]}]
MORE = [{"args": [[]], "out": []}, {"args": [[5, 5, 1]], "out": [1, 5, 5]}]
SOLUTION = "def ordered(items):\n    return sorted(items)"
CONSTANT = "```python\ndef ordered(items):\n    return [1, 2, 3]\n```"
PROMPT = "Write ordered(items). ordered([3, 1, 2]) == [1, 2, 3]"


def task(tests):
    gold = {"type": "call", "entry": "ordered", "tests": tests}
    return Task.make(prompt=PROMPT, gold=gold, columns={"solution": SOLUTION, "visible_tests": 1})


def audited(rewards, task):
    """The audit of one row by the trick of constant programs alone: every other has its own tests."""
    target, row = KindTarget(rewards.judges("x")), row_of(task, kind="code")
    return audit_target(target, [row], grading=lambda row: grade, only=("constant program",))


def test_the_constant_sort_is_paid_by_one_test_and_found_in_three_ways():
    rewards = Rewards([Reward(verifier="code")], folder=".", max_tokens=1)
    try:
        assert rewards.verify(CONSTANT, task(ONE)).status == "right"

        found = audited(rewards, task(ONE))
        (exploit,) = found.exploits
        assert exploit.trick == "constant program"
        assert "[1,2,3]" in exploit.answer.replace(" ", "")  # as shrunk
        assert audited(rewards, task(ONE + MORE)).exploits == ()

        hidden = rewards.verify(CONSTANT, task(ONE + MORE))
        assert (hidden.status, hidden.reason) == ("wrong", "visible passed, hidden failed: another value")
        assert rewards.verify(f"```python\n{SOLUTION}\n```", task(ONE + MORE)).correct

        said = grade(CONSTANT, task(ONE))
        assert said.strict == "wrong"
    finally:
        rewards.close()
