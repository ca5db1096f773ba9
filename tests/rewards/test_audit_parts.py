"""The parts of the audit: shipped cases, tricks and rows as records, shrinking, measure, words."""

import json
from pathlib import Path

import pytest

from verigrad.records import Task
from verigrad.rewards import kinds
from verigrad.rewards.audit import Row, all_tricks, made_kinds, made_rows, row_of
from verigrad.rewards.audit.judging import judge, measure_of
from verigrad.rewards.audit.records import Attack, Said, Trick, words
from verigrad.rewards.audit.result import Audit, Count, Exploit, Finding, Refusal, cut
from verigrad.rewards.audit.rows import with_others
from verigrad.rewards.audit.shipped import cases, shipped
from verigrad.rewards.audit.shrinking import smallest
from verigrad.rewards.audit.targets import of_reply
from verigrad.rewards.audit.words import lines, markdown

ROOT = Path(__file__).parents[2]


def test_the_packages_cases_are_the_test_suites():
    here = (ROOT / "verigrad/rewards/audit/cases.jsonl").read_bytes()
    assert here == (ROOT / "tests/cases/verifier_cases.jsonl").read_bytes()
    assert len(cases()) == len(here.splitlines())


def test_shipped_cases_stand_by_their_own_word():
    of = shipped({"choice", "math"}, own=False)
    assert {a.row.kind for a in of} == {"choice", "math"}
    assert all(a.by_hand and a.label for a in of)
    assert {a.claim for a in of} == {"right", "wrong"}
    own = shipped({"choice", "math"}, own=True)
    assert "open" in {a.claim for a in own}, "a gold that cannot be read is no function's fault"
    assert all("choices" in a.row.task.columns for a in own if a.row.kind == "choice")


def test_every_trick_is_named_once_and_says_what_is_wrong():
    tricks = all_tricks()
    assert len({t.name for t in tricks}) == len(tricks) >= 60
    assert all(t.about and "\n" not in t.about for t in tricks)
    assert {k for t in tricks for k in t.kinds} - {""} <= set(kinds())


@pytest.mark.parametrize("kind", made_kinds())
def test_each_kinds_rows_have_right_answers_and_every_trick_of_theirs_attacks(kind):
    rows = with_others(made_rows(kind, 99))
    assert len({r.task.key for r in rows}) == len(rows) >= 3
    assert kind in kinds()
    assert any(r.right for r in rows)
    for trick in all_tricks():
        if kind in trick.kinds:
            assert any(trick.attacks(r) for r in rows) or len(trick.kinds) > 1, trick.name
    for row in rows:
        told = {words(right) for right in row.right}
        for trick in (t for t in all_tricks() if t.claim == "wrong"):
            for attack in trick.attacks(row):
                assert words(attack.answer) not in told, (trick.name, attack.answer)


@pytest.mark.parametrize(
    ("gold", "columns", "kind"),
    [
        (80, {}, "number"),
        ("0.5", {}, "number"),
        ({"answer": "B", "choices": "ABCD"}, {}, "choice"),
        ("red", {"choices": ["red", "blue"]}, "choice"),
        ({"schema": {"type": "object"}, "value": {"a": 1}}, {}, "schema"),
        ({"type": "call", "entry": "f", "tests": [{"args": [1], "out": 2}]}, {}, "code"),
        ({"type": "countdown", "numbers": [3, 7, 3], "target": 24}, {}, "logic"),
        ("SELECT name FROM people", {}, ""),
    ],
)
def test_a_rows_kind_is_the_one_that_reads_its_gold(gold, columns, kind):
    row = row_of(Task.make(prompt="q", gold=gold, columns=columns))
    assert row.kind == kind
    assert row.right or kind in ("code", "logic")


def test_gold_as_is_one_of_the_right_answers():
    row = row_of(Task.make(prompt="q", gold=80), gold_as="ok {gold} ok")
    assert row.right[:2] == ("80", "ok 80 ok")


def test_others_are_right_elsewhere_and_wrong_here():
    rows = [Row(kind="number", task=Task.make(prompt=str(i), gold=g), right=(g,)) for i, g in enumerate("1223")]
    assert [r.others for r in with_others(rows)] == [("2", "3"), ("3", "1"), ("3", "1"), ("1", "2")]
    choice = row_of(Task.make(prompt="q", gold={"answer": "B", "choices": "ABC"}))
    assert with_others([choice])[0].others == ("A", "C")


def test_words_that_only_present_an_answer_do_not_make_it_another():
    assert words("The answer is \\boxed{80}.") == words("<80>"[1:-1]) == words(" 80 ") == ("80",)
    assert len({words(t) for t in ("80", "-80", "80%", "not 80", "80 or 81", "8 0", "80.5", "")}) == 8


@pytest.mark.parametrize(
    ("answer", "works", "least"),
    [
        ("a\nb\nc 80 d\ne", lambda t: "80" in t, "80"),
        ("x" * 1_000 + "!", lambda t: t.count("x") >= 3, "xxx"),
        ("keep", lambda t: t == "keep", "keep"),
        ("", lambda t: True, ""),
    ],
)
def test_an_exploit_is_made_as_small_as_it_still_works(answer, works, least):
    assert smallest(answer, works) == least


def test_shrinking_keeps_to_its_budget():
    asked = []
    smallest("word " * 500, lambda t: asked.append(t) or "word word word word" in t, most=20)
    assert len(asked) <= 20


def attack(claim="wrong", *, by_hand=False):
    row = Row(kind="number", task=Task.make(prompt="q", gold=1), right=("1",))
    return Attack(trick="t", answer="2", row=row, claim=claim, by_hand=by_hand)


@pytest.mark.parametrize(
    ("claim", "score", "grade", "outcome"),
    [
        ("wrong", 0.0, "wrong", "refused"),
        ("wrong", 1.0, "wrong", "false accept"),
        ("wrong", 1.0, "unreadable", "false accept"),
        ("wrong", 1.0, "ungraded", "false accept"),
        ("wrong", 1.0, None, "false accept"),
        ("wrong", 1.0, "right", "both accept"),
        ("open", 1.0, "wrong", "false accept"),
        ("open", 1.0, "unreadable", "not judged"),
        ("open", 1.0, None, "not judged"),
        ("open", 1.0, "right", "both accept"),
        ("right", 1.0, "wrong", "right"),
        ("right", 0.0, "right", "refused right"),
        ("right", 0.0, "wrong", "not judged"),
        ("right", 0.0, None, "refused right"),
    ],
)
def test_what_an_accepted_attack_means(claim, score, grade, outcome):
    measure = measure_of([], [])
    grading = None if grade is None else (lambda answer, task: grade)
    shot = judge(attack(claim), Said(score=score), measure=measure, grading=grading)
    assert shot.outcome == outcome


def test_a_case_by_hand_asks_no_grader():
    shot = judge(attack(by_hand=True), Said(score=1.0), measure=measure_of([], []), grading=lambda a, t: "right")
    assert (shot.outcome, shot.grade) == ("false accept", None)


def test_accepted_is_more_than_half_of_what_the_gold_is_paid():
    row = attack().row
    measure = measure_of([row], [Said(score=0.4)])
    assert [measure.accepts(Said(score=s), row) for s in (None, 0.0, 0.2, 0.21, 1.0)] == [
        False,
        False,
        False,
        True,
        True,
    ]
    other = Row(kind="", task=Task.make(prompt="another", gold=2), right=())
    assert not measure.accepts(Said(score=0.5), other)


@pytest.mark.parametrize(
    ("reply", "score", "fault"),
    [
        ({"value": True}, 1.0, ""),
        ({"value": 0.25}, 0.25, ""),
        ({"value": None}, None, "no score"),
        ({"value": float("nan")}, None, "non-finite"),
        ({"value": 2}, 2.0, "out of range"),
        ({"value": 10**400}, None, "out of range"),
        ({"fault": "raised KeyError: 'x'"}, None, "exception"),
        ({"fault": "returned str, not bool"}, None, "not a number"),
        ({"verdict": {"score": None, "reason": "cannot", "status": "ungraded"}}, None, "no score"),
        ({"verdict": {"score": 0.5, "reason": "", "status": "wrong"}}, 0.5, ""),
    ],
)
def test_a_functions_word_is_taken_as_it_comes(reply, score, fault):
    said = of_reply(reply, 0.1)
    assert (said.score, said.fault) == (score, fault)


def test_a_trick_is_a_record_and_nothing_else_need_know_it():
    trick = Trick(name="n", about="a", build=lambda row: ["1", "2", "2", "the answer is 1"], kinds=("number",))
    assert [a.answer for a in trick.attacks(attack().row)] == ["2"]
    assert trick.attacks(Row(kind="code", task=Task.make(prompt="q"), right=())) == []


def result():
    return Audit(
        target="f`|\n",
        said="f is called as f(answer, task)",
        notes=("a note " * 40,),
        rows={"number": 2},
        counts=(
            Count(kind="number", trick="spray", attacks=10, accepted=2, both=1, doubtful=3),
            Count(kind="", trick="empty", attacks=4, accepted=0, both=0, doubtful=0),
        ),
        right={"number": (8, 1)},
        exploits=(
            Exploit(
                kind="number",
                trick="spray",
                about="finds the gold",
                answer="\x1b[31m8|0`\n" * 30,
                gold="80",
                question="q",
                score=1.0,
                judged="wrong by the independent grader",
                accepted=2,
                attacks=10,
            ),
        ),
        refusals=tuple(
            Refusal(kind="number", answer=f"{i} \u202e", gold="80", reason="r" * 300, label="") for i in range(9)
        ),
        findings=(Finding(name="constant", fails=False, line="one answer", answer="80"),),
    )


def test_words_fit_a_terminal_and_show_no_control_characters():
    out = lines(result())
    assert all(len(line) <= 100 for line in out), max(out, key=len)
    assert all(c.isprintable() for line in out for c in line)
    assert "NOT CLEAN: accepted 2 of 14 attacks (number 2 of 10, other 0 of 4)" in out[0]
    assert any("and 5 more" in line for line in out)
    assert not any("interval" in line or "±" in line for line in out)


def test_the_page_escapes_what_answers_hold():
    page = markdown(result())
    assert "\x1b" not in page
    row = next(line for line in page.splitlines() if line.startswith("| number | spray | 2 of 10"))
    assert row.replace("\\|", "").count("|") == 8


def test_json_has_the_answers_and_cuts_the_long_ones():
    found = json.loads(json.dumps(result().as_json()))
    assert found["accepted"] == 2
    assert found["right_answers"] == {"number": {"tried": 8, "refused": 1}}
    assert len(found["refused"]) == 9
    assert cut("x" * 100, 50) == "xxxxxxxxxx ... 80 characters ... xxxxxxxxxx"
