"""`verigrad audit` as a person calls it: exit status, JSON, markdown, one line for bad input; with a recipe's rows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import verigrad
from tests.rewards.audit_targets import drops_sign
from tests.runs.runs_cases import RECIPE, Shell, write_rows
from verigrad.errors import Refused

TARGETS = Path(__file__).parents[1] / "rewards/audit_targets.py"
QUICK = ("--n", "2", "--only", "spray", "--only", "empty", "--only", "very long", "--only", "tolerance")
OPEN = """
def loose(answer, task):
    return bool(answer) and any(c in task.gold for c in answer)


def exact(answer, task):
    return answer.strip() == task.gold
"""


@pytest.fixture
def audit(tmp_path, monkeypatch, capsys):
    """A folder with the known-bad functions, data, and a recipe."""
    shutil.copy(TARGETS, tmp_path / "bad.py")
    (tmp_path / "checks.py").write_text(OPEN)
    golds = ["red", "green", "blue", "grey"]
    write_rows(tmp_path / "words.jsonl", [{"question": f"colour {i}?", "gold": golds[i % 4]} for i in range(40)])
    recipe = RECIPE.replace("checks.py:begins_so", "checks.py:exact").replace("checks.py:begins", "checks.py:loose")
    (tmp_path / "r.toml").write_text(recipe)
    shell = Shell(tmp_path, monkeypatch, capsys)
    return lambda *words: shell("audit", *words)


def test_a_clean_function_exits_0_and_says_how_it_is_called(audit):
    said = audit("bad.py:good", *QUICK)
    assert said.status == 0, said.out + said.err
    assert said.out.startswith("good: clean: accepted 0 of ")
    assert "bad.py:good is called as f(completion, gold)" in said.out
    assert all(len(line) <= 100 for line in said.out.splitlines())
    assert "attacks" in said.err


def test_a_false_accept_exits_1_and_the_json_is_one_document(audit, tmp_path):
    said = audit("bad.py:tolerant", *QUICK, "--json", "--markdown", "page.md")
    assert said.status == 1
    found = json.loads(said.out)
    assert set(found) == {
        *("target", "said", "clean", "accepted", "attacks", "by_kind", "right_answers", "rows", "notes", "tricks"),
        *("exploits", "refused", "findings"),
    }
    assert not found["clean"]
    assert found["accepted"] == sum(kind["accepted"] for kind in found["by_kind"].values()) > 0
    exploit = next(e for e in found["exploits"] if e["trick"] == "tolerance" and e["kind"] == "number")
    assert exploit["score"] == 1.0
    assert exploit["answer"] != exploit["gold"]
    assert exploit["judged"] == "wrong by the independent grader"
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("# Audit of `tolerant`")
    assert "| number | tolerance |" in page


def test_a_shipped_kind_prints_its_page(audit):
    said = audit("choice", "--n", "3", "--only", "every label", "--only", "shipped cases", "--markdown", "-")
    assert said.status == 0, said.out
    assert said.out.startswith("# Audit of `choice`\n\n**clean: accepted 0 of ")
    assert "| choice | every label | 0 |" in said.out


def test_a_hang_is_ended_from_outside_and_found(audit):
    said = audit("bad.py:hangs_on_long", "--n", "1", "--only", "very long", "--seconds", "0.5", "--json")
    assert said.status == 1
    found = json.loads(said.out)
    assert [f["name"] for f in found["findings"] if f["fails"]] == ["hang"]
    assert found["accepted"] == 0
    assert any("were not tried, after the check had hung twice" in note for note in found["notes"])


def test_attacks_are_built_from_a_recipes_training_rows(audit):
    said = audit("checks.py:loose", "--recipe", "r.toml", "--only", "another row's gold", "--json")
    assert said.status == 1, said.err
    found = json.loads(said.out)
    assert found["said"] == "checks.py:loose is called as f(answer, task)"
    assert found["by_kind"] == {"": {"accepted": found["accepted"], "attacks": found["attacks"]}}
    exploit = found["exploits"][0]
    assert {exploit["gold"], exploit["answer"]} & {"red", "green", "blue", "grey"}
    assert exploit["judged"] == "wrong by the independent grader"
    constant = next(f for f in found["findings"] if f["name"] == "constant")
    assert constant["fails"]
    assert "(100%; the limit is 50%)" in constant["line"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("nothing_like_this",), 'audit = "nothing_like_this" is unknown'),
        (("bad.py:nothing",), "bad.py has no nothing"),
        (("none.py:f",), "none.py is not there"),
        (("bad.py:never",), "never pays no right answer of the made rows"),
        (("number", "--constant", "2"), "--constant is a share of rows, 0 to 1, not 2"),
        (("number", "--n", "0"), "--n is a number of rows, 1 or more, not 0"),
        (("bad.py:good", "--seconds", "0"), "--seconds wants a number above 0, not 0"),
        (("number", "--seconds", "3"), "number has no time limit to set"),
        (("number", "--only", "sprey"), '--only "sprey": no such trick; did you mean spray?'),
        (("number", "--set", "train.lr=1"), "--set goes with --recipe"),
        (("number", "--json", "--markdown", "-"), "--json and --markdown - both want stdout"),
        (
            ("number", "--only", "empty", "--n", "1", "--markdown", "no/such/folder.md"),
            "cannot write no/such/folder.md",
        ),
        (("number", "--recipe", "none.toml"), "none.toml"),
        (("checks.py:loose", "--recipe", "r.toml", "--set", "data.source=gone.jsonl"), "gone.jsonl"),
    ],
)
def test_bad_input_is_one_line(audit, words, line):
    said = audit(*words)
    assert said.status == 2, said.err
    assert said.out == ""
    assert len(said.errors) == 1
    assert line in said.errors[0]


def test_a_constant_fails_above_the_limit_that_is_asked_for():
    found = verigrad.audit("number", n=2, only=["empty"], constant=0.1)
    assert not found.clean
    assert (found.false_accepts, [f.name for f in found.findings if f.fails]) == (0, ["constant"])
    assert verigrad.audit("number", n=2, only=["empty"], constant=0.5).clean


def test_from_python():
    found = verigrad.audit(drops_sign, n=2, only=["sign"])
    assert {e.trick for e in found.exploits} == {"sign"}
    assert found.said == "tests.rewards.audit_targets:drops_sign is called as f(completion, gold)"
    with pytest.raises(Refused, match="no such trick"):
        verigrad.audit("number", only=["nothing"])
