"""What is mined from a run's stored rollouts, by the rule in mined's docstring, group by group."""

from __future__ import annotations

import numpy as np
import pytest

from verigrad.data import check_leaks, demonstrations, labelled, load, load_source, load_suite, pairs, split
from verigrad.data.use import Use
from verigrad.errors import DataError, RecipeError
from verigrad.records import Draw, Group, Rollout, Scored, Task, Verdict
from verigrad.store import RunDirectory

SYSTEM = {"role": "system", "content": "Be short."}


def task(n, **columns):
    turns = (SYSTEM, {"role": "user", "content": f"What is {n} + {n}?"})
    return Task.make(prompt=turns, gold=2 * n, family=f"{n}+{n}", columns=columns, source="sums")


def scored(asked, attempt, answer, status, finish="stop"):
    tokens = np.array([7, 0], dtype=np.int64)
    score = {"right": 1.0, "ungraded": None}.get(status, 0.0)
    return Scored(
        rollout=Rollout(
            task=asked,
            draw=Draw(stage=1, step=1, attempt=attempt, seed=attempt),
            answer=answer,
            prompt_ids=np.array([1, 2], dtype=np.int64),
            token_ids=tokens,
            chosen=np.ones(2, dtype=bool),
            logp=np.zeros(2, dtype=np.float32),
            finish=finish,
        ),
        verdict=Verdict(status=status, score=score),
        reward=score,
    )


def group(asked, *said, greedy=None):
    """A group of (answer, status) or (answer, status, finish); ungraded answers are left out as a run leaves them."""
    everyone = [scored(asked, i, *one) for i, one in enumerate(said)]
    graded = tuple(s for s in everyone if s.verdict.status != "ungraded")
    left_out = tuple(s for s in everyone if s.verdict.status == "ungraded")
    return Group(task=asked, members=graded, left_out=left_out, greedy=greedy and scored(asked, -1, *greedy))


@pytest.fixture
def run(tmp_path):
    """Writes a run below tmp_path/runs: its stages' kinds, and the groups of (stage, step)."""

    def write(steps, name="sums", stages=("rl",)):
        folder = tmp_path / "runs" / name
        with RunDirectory.create(folder, recipe_text="", resolved={}, stages=stages) as made:
            for (stage, step), groups in steps.items():
                made.write_step(stage, step, groups)
        return folder

    return write


@pytest.fixture
def mine(tmp_path):
    def mine(source="run:sums", **use):
        return load_source(source, use=Use(runs=tmp_path / "runs", **use))

    return mine


def texts(found):
    return [(pair.chosen, pair.rejected) for pair in found]


ONE = task(1)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([("2", "right"), ("3", "wrong")], [("2", "3")]),
        ([("3", "wrong"), ("2", "right")], [("2", "3")]),
        ([("two", "right"), ("3", "wrong"), ("2", "right"), ("4", "wrong")], [("two", "3"), ("2", "4")]),
        ([("2", "right"), ("3", "wrong"), ("4", "wrong"), ("5", "wrong")], [("2", "3")]),
        ([("2", "right"), (" 2\n", "right"), ("3", "wrong"), ("4", "wrong")], [("2", "3")]),
        ([("2", "right"), ("two", "right"), ("3", "wrong"), ("3 ", "wrong")], [("2", "3")]),
        ([("2", "right"), ("what?", "unreadable")], [("2", "what?")]),
        ([("2", "right"), ("3", "ungraded"), ("4", "wrong")], [("2", "4")]),
        ([("2", "right"), ("3", "wrong", "length"), ("4", "wrong")], [("2", "4")]),
        ([("so 2", "right", "length"), ("2", "right"), ("3", "wrong")], [("2", "3")]),
        ([("2", "right"), (" ", "unreadable"), ("4", "wrong")], [("2", "4")]),
        ([("2", "right"), ("2", "wrong"), ("two", "right"), ("3", "wrong")], [("two", "3")]),
    ],
)
def test_right_answers_are_paired_with_wrong_ones_of_their_group(run, mine, said, expected):
    run({(1, 1): [group(ONE, *said)]})
    assert texts(pairs(mine(kind="preference").tasks)) == expected


@pytest.mark.parametrize("kind", ["preference", "reward_model"])
def test_pairs_come_from_every_step_and_stage_once_and_never_across_groups(run, mine, kind):
    one, two = task(1), task(2)
    groups = {
        (1, 1): [group(one, ("2", "right"), ("3", "wrong")), group(two, ("4", "right"), greedy=("9", "wrong"))],
        (1, 2): [group(two, ("5", "wrong"), ("6", "wrong")), group(one, ("3", "wrong"), ("2", "right"))],
        (3, 1): [group(two, ("7", "wrong"), ("4", "right"))],
    }
    run(groups, stages=("rl", "sft", "rl"))
    source = mine(kind=kind)
    assert texts(pairs(source.tasks)) == [("2", "3"), ("4", "7")]
    assert source.places == ("run:sums, stage 1, step 1", "run:sums, stage 3, step 1")
    assert source.notes == ("run:sums: 2 pairs of a right and a wrong answer from 5 groups of stored answers",)


def test_a_mined_task_is_the_trained_one_with_answers(run, mine):
    asked = task(3, hint="easy")
    run({(1, 1): [group(asked, ("6", "right"), ("5", "wrong"))]})
    (mined,) = mine(kind="preference").tasks
    assert (mined.prompt, mined.gold, mined.family) == (asked.prompt, 6, "3+3")
    assert mined.columns == {"hint": "easy", "chosen": "6", "rejected": "5"}
    assert mined.source == "sums"
    assert mined.key != asked.key


GROUPS = {
    (1, 1): [
        group(ONE, ("2", "right"), ("3", "wrong"), ("4", "unreadable"), ("5", "ungraded"), ("6", "wrong", "length"))
    ],
    (1, 2): [group(ONE, ("two", "right"), ("3", "wrong")), group(task(2), ("4", "right", "length"), ("5", "wrong"))],
}


def test_labelled_answers(run, mine):
    run(GROUPS)
    source = mine(kind="preference", labelled=True)
    found = [(one.answer, one.good, one.task.family) for one in labelled(source.tasks)]
    assert found == [
        ("2", True, "1+1"),
        ("3", False, "1+1"),
        ("4", False, "1+1"),
        ("two", True, "1+1"),
        ("5", False, "2+2"),
    ]


def test_demonstrations_are_the_right_answers(run, mine):
    run(GROUPS)
    assert [one.answer for one in demonstrations(mine(kind="sft").tasks)] == ["2", "two"]


def test_questions_are_the_runs_own(run, mine):
    run(GROUPS)
    assert [t.prompt for t in mine(kind="rl").tasks] == [ONE.prompt, task(2).prompt]


def test_this_run_gives_its_latest_rl_stage(run, mine):
    groups = {
        (1, 1): [group(ONE, ("2", "right"), ("3", "wrong"))],
        (2, 1): [group(task(2), ("4", "right"), ("5", "wrong"))],
    }
    folder = run(groups, stages=("rl", "rl", "preference"))
    assert texts(pairs(mine("run:.", kind="preference", here=folder).tasks)) == [("4", "5")]


def test_a_table_reads_a_run_and_is_split_by_the_trained_families(run, table, tmp_path):
    run({(1, 1): [group(task(n), (f"{2 * n}", "right"), ("no", "wrong")) for n in range(30)]})
    said = table(
        "run:sums", prompt="{question}", system="other", columns={"gold": "answer"}, split_by="db", held_out=0.3
    )
    (source,) = load([said], kind="preference", runs=tmp_path / "runs")
    assert {t.prompt[0]["content"] for t in source.tasks} == {"Be short."}
    cut = split([source])
    check_leaks(cut)
    kept = {t.family for t in cut.held_out["sums"]}
    assert kept
    assert not kept & {t.family for t in cut.train["sums"]}


@pytest.mark.parametrize(
    ("source", "use", "says"),
    [
        ("run:smus", {}, "smus is not there; runs are folders such as runs/quickstart; did you mean sums?"),
        ("run:other", {}, "other has no stored rollouts to mine"),
        ("run:.", {}, 'data.source = "run:.": this run has no rollouts yet; an rl stage comes before it'),
        ("run:sums", {"kind": "preference"}, "nothing to pair: no group has both a right and a wrong answer"),
        (
            "run:sums",
            {"kind": "sft"},
            "no right answers that were judged and ended by themselves (answers cut at max_tokens do not count) in 1",
        ),
    ],
)
def test_a_run_that_gives_nothing_is_refused(run, mine, source, use, says):
    run({(1, 1): [group(ONE, ("3", "wrong"), ("2", "right", "length"))]})
    run({}, name="other")
    with pytest.raises(DataError) as refused:
        mine(source, **({"kind": "preference"} | use))
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.key == "data.source"


def test_a_run_without_rl_before_its_own_stage_is_refused(run, mine):
    folder = run({}, name="only_sft", stages=("sft", "preference"))
    with pytest.raises(DataError, match="no stored rollouts to mine; an rl stage comes before it"):
        mine("run:.", kind="preference", here=folder)


def test_a_run_is_no_suite(tmp_path):
    with pytest.raises(RecipeError, match="a run's answers are for training") as refused:
        load_suite("run:sums", folder=tmp_path)
    assert refused.value.key == "acceptance.source"
