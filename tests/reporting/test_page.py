"""The page: sound, self-contained, safe whatever a model wrote, from a finished and from an unfinished run."""

import json
import re
from html.parser import HTMLParser

import pytest

from tests.reporting.made_run import ANSWERS, leaf, make, scored, task
from verigrad.errors import Refused
from verigrad.records import Group
from verigrad.reporting import report
from verigrad.reporting.answers import four_answers
from verigrad.reporting.escape import attribute, text
from verigrad.reporting.markup import duration
from verigrad.reporting.verdicts import _suite_words
from verigrad.reporting.view import view
from verigrad.store import RunDirectory

VOID = {"meta", "br"}


class Reading(HTMLParser):
    """Tags in order, that they nest, and the text a person reads."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.open, self.said, self.attributes = [], [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, k, v) for k, v in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, k, v) for k, v in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.said.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.said).split())


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = make(tmp_path_factory.mktemp("runs") / "quick", steps=40, of=40)
    return folder, report([folder])


def test_the_four_questions_in_order_with_answers_and_the_decision_first(finished):
    words = Reading(finished[1]).words
    at = [
        words.index(x)
        for x in (
            "Where does the data come from? times_table (20% of the families held out)",
            "Who gives the reward? verifier number; shaping overlong (weight 0.2)",
            "How is the loss computed? dapo, changed: clip.high 0.28 -> 0.3",
            "Who accepts the result? grader number (greedy, p 0.01, gain above 0 points); the training verifier itself",
            "times_table : accepted gain +55.0 points (interval +43.0 to +66.0), p 1.2e-09 by exact McNemar",
            "forms : undecided gain +1.0 points (interval −3.0 to +5.0)",
        )
    ]
    assert at == sorted(at)
    assert "undecided as its least suite, forms times_table" in words
    assert "NOT INDEPENDENT forms: undecided, the interval reaches below the margin" in words
    assert "--anyway a refusal of pilot or plan was overridden" in words
    assert "held-out has 31 items" in words
    headings = re.findall(r'<h2><span class="nr">(\d)</span> ([^<]+)</h2>', finished[1])
    assert [n for n, _ in headings] == ["1", "2", "3", "4"]


def test_acceptance_stands_with_intervals_and_marks(finished):
    words = Reading(finished[1]).words
    for said in (
        "strict: the one committed answer 20.0% [13.8%, 28.0%] 75.0% [66.6%, 81.9%]",
        "lenient: the last answer anywhere",
        "unread: strict found none",
        "cut at the token limit",
        "grader and training verifier disagree",
        "pass@2",
        "NOT INDEPENDENT",
        "openings 2",
        "times_table: 72 items became right by the greedy answer, 6 became wrong",
    ):
        assert said in words, said


def test_every_verdict_status_is_shown_early_and_late(finished):
    page = finished[1]
    for status in ("right", "wrong", "unreadable", "broke check", "ungraded"):
        assert f"Answers judged {status}" in page
    assert "early, step 1<" in page
    assert "late, step 40<" in page


def test_charts_origins_versions_hardware(finished):
    page = finished[1]
    for caption in ("Mean reward", "What each reward part paid", "Share of answers that are right", "Response length",
                    "Entropy", "Groups by how many", "Gradient norm", "KL to the reference", "Sampler against trainer",
                    "Validation slice", "Verdicts", "Where the time went"):  # fmt: skip
        assert f"<figcaption>{caption}" in page, caption
    words = Reading(page).words
    assert "loss.clip.high 0.3 --set" in words
    assert "reward.1.shaping overlong method dapo" in words
    assert "torch 2.13" in words
    assert "gpu none" in words
    assert "train.group 8 16" in words
    assert "axes.clip pessimistic low 0.2 high 0.3" in words


def test_the_four_answers_as_the_run_wrote_them_down(tmp_path):
    folder = make(tmp_path / "said", steps=2, of=2, done=False)
    resolved = json.loads((folder / "resolved.json").read_text())
    resolved["answers"] = [f"{n}. {word}  line {n}" for n, word in enumerate(("data", "reward", "loss", "accepts"), 1)]
    (folder / "resolved.json").write_text(json.dumps(resolved))
    assert four_answers(view(folder)) == ("line 1", "line 2", "line 3", "line 4")


def test_nothing_is_fetched_and_nothing_runs(finished):
    reading = Reading(finished[1])
    assert not {"script", "link", "iframe", "img", "object", "embed", "form", "base"} & set(reading.tags)
    assert not [a for a in reading.attributes if a[1].startswith("on") or a[1] in ("src", "action", "srcset")]
    assert all(v.startswith("#") for _, k, v in reading.attributes if k in ("href", "xlink:href"))
    assert "url(" not in finished[1]
    assert "@import" not in finished[1]
    assert "default-src 'none'" in finished[1]
    assert '<html lang="en">' in finished[1]
    assert "prefers-color-scheme: dark" in finished[1]
    assert "@media print" in finished[1]


HOSTILE = (
    "</pre></article><script>alert('x')</script><img src=x onerror=\"alert(1)\">\u202egnp.exe\u202c\x00\x1b[31m"
    "\u200b\ud800&lt;b&gt;\u2028"
)


def test_hostile_text_everywhere_is_only_text(tmp_path):
    answers = dict.fromkeys(ANSWERS, HOSTILE)
    folder = make(
        tmp_path / "<b>x", steps=10, of=10, answers=answers, change=lambda s, m: m.update({f"reward/part/{HOSTILE}": s})
    )
    (folder / "recipe.toml").write_bytes(HOSTILE.encode("utf-8", "surrogatepass"))
    page = report([folder, folder])
    reading = Reading(page)
    assert "script" not in reading.tags
    assert "img" not in reading.tags
    assert not [a for a in reading.attributes if a[1].startswith("on")]
    assert "<b>x" not in page
    for hidden in ("\u202e", "\x00", "\x1b", "\u200b", "\u2028", "\ud800"):
        assert hidden not in page
        assert f"U+{ord(hidden):04X}" in page
    page.encode("utf-8")


def test_a_megabyte_of_answer_is_cut_with_a_note(tmp_path):
    folder = make(tmp_path / "big", steps=2, of=2, done=False, answers={"wrong": "<" * 1_000_000})
    page = report([folder])
    assert "cut: 4,000 of 1,000,000 characters shown" in page
    assert len(page) < 500_000


@pytest.mark.parametrize(
    ("given", "html"),
    [
        ("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#x27;"),
        ("a\tb\nc", "a\tb\nc"),
        ("\u202e", '<span class="code-point">U+202E</span>'),
        ("\r", '<span class="code-point">U+000D</span>'),
        ("é 数 🙂", "é 数 🙂"),
        ("abcdef", 'abc<span class="cut"> … cut: 3 of 6 characters shown</span>'),
    ],
)
def test_text(given, html):
    assert text(given, limit=3 if given == "abcdef" else 99) == html


def test_attribute():
    assert attribute('"x" \u202e<') == "&quot;x&quot; [U+202E]&lt;"
    assert attribute("x" * 301) == "x" * 300 + "…"


def test_a_half_finished_run_is_shown_as_far_as_it_is(tmp_path):
    folder = make(tmp_path / "half", steps=7, of=100, done=False)
    with open(folder / "metrics.jsonl", "a") as handle:
        handle.write('{"stage": 1, "step": 8, "rew')
    words = Reading(report([folder])).words
    assert "phase training · step 7 of 120" in words
    assert "no decision yet" in words
    assert "Nothing has been accepted or refused yet" in words


def test_a_run_that_has_only_begun(tmp_path):
    folder = make(tmp_path / "new", steps=0, of=10, done=False, write_steps=())
    for path in folder.rglob("step_*"):
        path.unlink()
    (folder / "pilot.json").unlink()
    assert "no decision yet" in report([folder])


def test_damaged_files_are_named_and_the_rest_is_shown(tmp_path):
    folder = make(tmp_path / "broken", steps=20, of=20)
    (folder / "acceptance.json").write_text("{")
    (folder / "items.jsonl.zst").write_bytes(b"x")
    (folder / "01_rl" / "rollouts" / "step_00001.jsonl.zst").write_bytes(b"x")
    page = report([folder])
    words = Reading(page).words
    for said in ("acceptance.json is not JSON", "items.jsonl.zst is damaged", "step_00001.jsonl.zst is damaged"):
        assert said in words
    assert "<figcaption>Mean reward" in page
    (folder / "resolved.json").write_text("[]")
    assert "not recorded" in report([folder])


@pytest.mark.parametrize(
    "acceptance", [[], {}, 3, "x", {"suites": 5}, {"suite": "s", "decision": 1}, {"a": [{"suite": "s", "greedy": {}}]}]
)
def test_an_acceptance_of_any_shape_is_read_as_far_as_it_goes(tmp_path, acceptance):
    folder = make(tmp_path / "odd", steps=2, of=2, done=False)
    (folder / "acceptance.json").write_text(json.dumps(acceptance))
    Reading(report([folder]))


def test_several_runs_over_each_other(tmp_path):
    folders = [make(tmp_path / name, steps=12, of=12, seed=n) for n, name in enumerate(("one", "two"))]
    page = report(folders)
    over = page[page.index("Over each other") : page.index('class="run"')]
    assert over.count('class="line c0"') == over.count('class="line c1"') >= 9
    assert page.count('<article class="run">') == 2
    ids = [v for _, k, v in Reading(page).attributes if k == "id"]
    assert len(ids) == len(set(ids))


def test_no_run_is_refused_in_one_line(tmp_path):
    with pytest.raises(Refused, match="at least one run"):
        report([])
    with pytest.raises(Refused, match="is no run"):
        report([tmp_path])


def test_stages_follow_each_other_on_one_axis(tmp_path):
    with RunDirectory.create(tmp_path / "s", recipe_text="", resolved={}, stages=("rl", "rl")) as run:
        for stage, step in ((1, 1), (1, 2), (2, 1)):
            run.append_metrics(stage, step, {"lr": stage})
    v = view(tmp_path / "s")
    assert v.series("lr") == [(1, 1.0), (2, 1.0), (3, 2.0)]
    assert v.borders() == {2: 2}


def test_a_decisions_line_says_nothing_twice():
    why = (
        "accepted: sampled gain +0.500, 95 % interval [+0.250, +0.625] against gain 0, p 0.0002 by paired bootstrap, "
        "40 items in 36 families; sharpened: sampled rose, greedy unchanged"
    )
    d = {"verdict": "accepted", "gain": 0.5, "interval": [0.25, 0.625], "p_value": 2e-4, "test": "paired bootstrap"}
    words = Reading(_suite_words({"suite": "sums", "decision": {**d, "why": why}})).words
    assert words == (
        "sums : accepted sampled gain +50.0 points (95 % interval +25.0 to +62.5) against gain 0, p 0.0002 by paired "
        "bootstrap 40 items in 36 families; sharpened: sampled rose, greedy unchanged"
    )


def test_times_under_a_minute_are_seconds():
    assert [duration(s) for s in (0.34, 59.9, 60, 150)] == ["0.3 s", "59.9 s", "1.0 min", "2.5 min"]


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    """sft, then rl paid by a judge alone: what resolved.json says of them, and answers of the second stage."""
    values = {
        "model": {"path": leaf("m")},
        "train": {"lr": leaf(0.75), "steps": leaf(None)},
        "loss": {"method": leaf("grpo")},
        "reward": [{"verifier": leaf("number")}],
        "stage": [
            {"kind": leaf("sft"), "train": {"epochs": leaf(3), "lr": leaf(0.25), "group": leaf(8)}},
            {
                "kind": leaf("rl"),
                "train": {"steps": leaf(7), "lr": leaf(0.5), "group": leaf(4)},
                "reward": [{"verifier": leaf(None), "model": leaf("judge"), "weight": leaf(1)}],
            },
        ],
    }
    stages = [
        {"stage": 1, "kind": "sft", "loss": {"name": "sft", "ran": "likelihood of the completion"}},
        {"stage": 2, "kind": "rl", "loss": {"name": "dapo", "ran": "dapo, changed: clip.high 0.28 -> 0.3"}},
    ]
    resolved = {"values": values, "stages": stages, "paper_sizes": {"train.group": "16"}}
    folder = tmp_path_factory.mktemp("runs") / "staged"
    with RunDirectory.create(folder, recipe_text="", resolved=resolved, stages=("sft", "rl")) as run:
        for stage, step in ((1, 1), (2, 1), (2, 2), (2, 3)):
            run.append_metrics(stage, step, {"lr": 0.1})
        for step in (1, 3):
            members = (scored(task(step), step, 0, "right", stage=2), scored(task(step), step, 1, "wrong", stage=2))
            run.write_step(2, step, [Group(task=task(step), members=members, left_out=())])
        run.set_status("training", stage=2, step=3)
    return report([folder])


def test_each_stage_shows_what_it_ran_in_its_own_sizes(staged):
    words = Reading(staged).words
    third = words[words.index("3 How is the loss computed?") : words.index("4 Who accepts")]
    first, second = third.split("Stage 2, rl")
    assert "Stage 1, sft likelihood of the completion" in first
    assert "epochs 3 lr 0.25" in first
    assert "group" not in first
    assert "dapo, changed: clip.high 0.28 -> 0.3" in second
    assert "steps 7 lr 0.5 group 4" in second
    assert "train.group 4 16" in second
    assert "0.75" not in third
    assert "stage.2.train.lr 0.5" in words
    assert "stage.0." not in words


def test_stages_are_named_where_steps_are_and_a_lone_judge_is_named_once(staged):
    words = Reading(staged).words
    assert "early, stage 2, step 1" in words
    assert "stage 2, step 3 of 7" in words
    assert words.count("right and wrong are the sign of the judge's score") == 1
    second = words[words.index("2 Who gives the reward?") : words.index("3 How is the loss computed?")]
    assert "model judge all 1" in second
    assert "verifier number" not in second
