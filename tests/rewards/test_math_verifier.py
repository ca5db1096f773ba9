"""The math verifier on golds x answers by kind of trap, on random values in many notations, on hostile text."""

import importlib.util
import threading
import time
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.records import Task
from verigrad.rewards.mathematics import asking
from verigrad.rewards.verifiers import math

_spec = importlib.util.spec_from_file_location("math_cases", Path(__file__).with_name("math_cases.py"))
cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cases)
STATUS = {
    "R": ("right",),
    "W": ("wrong",),
    "U": ("unreadable",),
    "N": ("wrong", "unreadable"),
    "X": ("ungraded",),
}
ROWS = cases.rows()


def verdict(answer, gold, question="", **options):
    return math.verify(answer, Task.make(prompt=question, gold=gold), **options)


def test_the_table_is_as_large_as_it_claims():
    assert len(ROWS) >= 600
    assert {row[0] for row in ROWS} >= {"R", "W", "N", "X"}


@pytest.mark.parametrize(("status", "gold", "answer", "question"), ROWS)
def test_cases(status, gold, answer, question):
    got = verdict(answer, gold, question)
    assert got.status in STATUS[status], got
    assert (math.check_gold(Task.make(prompt="", gold=gold)) is not None) == (status == "X")
    assert got.status != "right" or got.read


@pytest.mark.parametrize("gold", sorted({row[1] for row in ROWS if row[0] != "X"}))
def test_every_readable_gold_passes_as_its_own_answer(gold):
    asked = Task.make(prompt="", gold=gold)
    assert math.verify(math.gold_answer(asked), asked).status == "right"
    assert math.verify(f"So \\boxed{{{gold}}}.", asked).status == "right"


@pytest.mark.parametrize("gold", [None, True, [80], {"answer": 80}, float("nan"), 10**500, "9" * 3000])
def test_a_gold_that_cannot_be_read_is_ungraded(gold):
    assert verdict("80", gold).status == "ungraded"


@pytest.mark.parametrize(("gold", "answer"), [(80, "80"), (0.5, "1/2"), ("so 8+1\n#### 9", "9"), ("x \\boxed{7}", "7")])
def test_golds_of_other_types_and_from_solutions(gold, answer):
    assert verdict(answer, gold).status == "right"


@pytest.mark.parametrize(
    ("gold", "answer", "options", "status"),
    [
        ("16.7", "\\frac{50}{3}", {}, "right"),
        ("16.7", "\\frac{50}{3}", {"round_to_gold": False}, "wrong"),
        ("3/4", "6/8", {}, "right"),
        ("3/4", "6/8", {"reduced": True}, "unreadable"),
        ("3/4", "\\frac{3}{4}", {"reduced": True}, "right"),
        ("80", "8 * 10", {}, "unreadable"),
        ("80", "\\boxed{8 \\cdot 10}", {"evaluated": False}, "right"),
        ("1.41", "1.42", {}, "wrong"),
        ("1.41", "1.42", {"tolerance": 0.01}, "right"),
        ("\\sqrt{2}", "1.42", {"tolerance": 0.01}, "right"),
        ("\\sqrt{2}", "1.5", {"tolerance": 0.01}, "wrong"),
    ],
)
def test_policies_are_options(gold, answer, options, status):
    assert verdict(answer, gold, **options).status == status


@pytest.mark.parametrize(
    "answer",
    ["9" * 401, "\\boxed{1e401}", "\\boxed{9^{9^{9}}}", "\\boxed{" + "(" * 60 + "1" + ")" * 60 + "}", "8" * 500_000],
)
def test_our_limits_are_the_answers_fault(answer):
    got = verdict(answer, "\\sqrt{2}")
    assert got.status in ("wrong", "unreadable")
    assert got.status == "unreadable" or got.reason.startswith("broke_check")


HOSTILE = {
    "digits": "9" * 100_000,
    "tower": "\\boxed{" + "9^{" * 30 + "9" + "}" * 30 + "}",
    "plain tower": "9^9^9^9^9^9^9",
    "factorials": "\\boxed{99999!!!!}",
    "factorial": "\\boxed{99999999!}",
    "binomial": "\\boxed{\\binom{99999999}{49999999}}",
    "power of a sum": "\\boxed{(x+y+z+a+b+c)^{60}}",
    "product of sums": "\\boxed{" + "(x+y+z+w+1)" * 30 + "}",
    "nested fractions": "\\boxed{" + "\\frac{1}{1+" * 30 + "x" + "}" * 31,
    "nested roots": "\\boxed{" + "\\sqrt{2+" * 30 + "x" + "}" * 31,
    "braces": "{" * 100_000,
    "nested boxes": "\\boxed{" * 50_000,
    "many boxes": "\\boxed{1}" * 40_000,
    "joined boxes": "\\boxed{1}, " * 30_000,
    "commas": "\\boxed{" + "1," * 900 + "1}",
    "dollars": "$" * 390_000,
    "dollar pairs": "$1$ " * 90_000,
    "lines": "x = 1\n" * 60_000,
    "displays": "\\[ " * 100_000,
    "matrices": "\\begin{pmatrix}" * 20_000,
    "cues": "answer is x " * 30_000,
    "signs": "\\boxed{" + "-" * 1_900 + "1}",
    "pluses": "\\boxed{" + "+1" * 900 + "}",
    "equals": "\\boxed{" + "=5" * 900 + "}",
    "chinese": "三" * 100_000,
    "chinese box": "\\boxed{" + "三千" * 900 + "}",
    "text": "\\boxed{" + "\\text{a" * 200 + "}" * 200 + "}",
    "bars": "\\boxed{" + "|" * 1_900 + "}",
    "sines": "\\boxed{" + "\\sin " * 300 + "x}",
    "multiples": "\\boxed{\\sin(8x)\\sin(8y)\\sin(8z)\\cos(8x)\\cos(8y)\\cos(8z)}",
    "big root": "\\boxed{\\sqrt{" + "7" * 399 + "}}",
    "big exponents": "\\boxed{2^{131000} \\cdot 3^{80000}}",
    "unions": "\\boxed{" + "(1,2) \\cup " * 100 + "(1,2)}",
    "primes": "\\boxed{" + "\\cdot".join(f"\\sqrt{{{p}}}" for p in (2, 3, 5, 7, 11, 13, 17, 19, 23)) + "}",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("gold", ["81", "\\{1, 2\\}", "x^2 + 1", "(0, 1)"])
def test_hostile_answers_return_quickly(name, gold):
    begun = time.perf_counter()
    got = verdict(HOSTILE[name], gold)
    assert got.status in ("wrong", "unreadable")
    assert time.perf_counter() - begun < 2.0


SPELL = st.sampled_from(
    ["\\frac{1}{2}", "x", "=", "\\boxed{", "}", "\\{", "\\}", "(", ")", "[", "]", ",", "\\text{", "\\sqrt", "^", "_",
     "\\pm", "\\cup", "\\le", "<", "|", "!", "%", "^\\circ", "\\begin{pmatrix}", "\\end{pmatrix}", "&", "\\\\", "$",
     "\\sin", "\\log_2", "or", "and", " cm", "\\infty", "i", "e", "\\pi", "3", "25_8", "\\ldots", "\\in", "\\mathbb{R}"]
)  # fmt: skip
PIECES = st.lists(st.one_of(SPELL, SPELL, st.text(max_size=4), st.sampled_from(list("0123456789.,/-+*"))), max_size=24)
GOLDS = st.sampled_from(
    ["80", "\\frac{3}{4}", "\\sqrt{2}", "\\{2, 5\\}", "(1, 4)", "[0, 6)", "x = 3", "2x+3y=5", "x > 3", "25_8",
     "\\text{even}", "36\\%", "5 \\text{ cm}", "1, 2, \\ldots, n", "\\begin{pmatrix}1\\\\2\\end{pmatrix}",
     "n = 1, m = 2"]
)  # fmt: skip


@settings(max_examples=250, deadline=5000)
@given(PIECES, GOLDS)
def test_any_text_is_judged_without_an_error(pieces, gold):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "prove", lambda gold, answer: False)
        got = verdict("".join(pieces), gold)
    assert got.status in ("right", "wrong", "unreadable")


@settings(max_examples=200, deadline=5000)
@given(PIECES)
def test_any_gold_is_read_or_ungraded_and_then_equals_itself(pieces):
    asked = Task.make(prompt="", gold="".join(pieces))
    reason = math.check_gold(asked)
    got = math.verify("80", asked)
    assert (got.status == "ungraded") == (reason is not None)


def notations(value):
    """Every notation a rational has, spelled by hand here."""
    top, bottom = value.numerator, value.denominator
    sign, size = ("-" if value < 0 else ""), abs(value)
    out = []
    if bottom != 1:
        out += [f"{top}/{bottom}", f"{sign}\\frac{{{abs(top)}}}{{{bottom}}}", f"\\dfrac{{{top}}}{{{bottom}}}"]
        if size > 1:
            whole, rest = divmod(abs(top), bottom)
            out += [f"{sign}{whole} {rest}/{bottom}", f"{sign}{whole}\\frac{{{rest}}}{{{bottom}}}"]
    else:
        out += [f"{top}", f"{top:,}", f"{top}.00", f"{top}e0", f"\\text{{{top}}}"]
    if bottom in (1, 2, 4, 5, 10, 20, 100):
        scaled = size.numerator * (100 // bottom)
        out += [f"{sign}{scaled // 100}.{scaled % 100:02d}", f"{sign}{scaled}e-2", f"{sign}{scaled} \\times 10^{{-2}}"]
        if 0 < value < 1:
            out += [f"{scaled}%", f"{scaled}\\%", f"{scaled} percent"]
    return out


RATIONALS = st.builds(Fraction, st.integers(-99_999, 99_999), st.sampled_from([1, 2, 3, 4, 5, 7, 10, 20, 100, 997]))
WRAPS = [
    "{}",
    "\\boxed{{{}}}",
    "<answer>{}</answer>",
    "The answer is {}.",
    "#### {}",
    "So $x = {}$.",
    "$\\boxed{{{}}}$",
]


@settings(max_examples=30, deadline=5000)
@given(RATIONALS, RATIONALS)
def test_a_rational_is_right_in_all_its_notations_and_no_other_is(value, other):
    for spelled in notations(value):
        for wrap in WRAPS:
            answer = wrap.format(spelled)
            assert verdict(answer, notations(value)[0]).status == "right", answer
            if other != value:
                assert verdict(answer, notations(other)[0]).status != "right", (answer, other)


SURDS = st.tuples(st.integers(-9, 9), st.integers(1, 9), st.sampled_from([2, 3, 5, 6, 7, 10]))


@settings(max_examples=60, deadline=5000)
@given(SURDS, SURDS)
def test_a_surd_is_right_in_its_notations_and_no_other_is(one, two):
    def spelled(a, b, n):
        return [
            f"{a}+{b}\\sqrt{{{n}}}",
            f"{b}\\sqrt{{{n}}} + {a}",
            f"{a}+\\sqrt{{{b * b * n}}}",
            f"\\frac{{{2 * a}+{2 * b}\\sqrt{{{n}}}}}{{2}}",
            f"{a} + {b} * sqrt({n})",
            f"{a}+{b}√{n}",
        ]

    for answer in spelled(*one):
        assert verdict(f"\\boxed{{{answer}}}", spelled(*one)[0]).status == "right", answer
        if one != two:
            assert verdict(f"\\boxed{{{answer}}}", spelled(*two)[0]).status == "wrong", answer


@settings(max_examples=40, deadline=5000)
@given(st.sets(st.integers(-50, 50), min_size=2, max_size=5), st.integers(-50, 50))
def test_a_set_is_its_members_and_neither_more_nor_fewer(members, extra):
    gold = "\\{" + ", ".join(map(str, sorted(members))) + "\\}"
    turned = ", ".join(map(str, sorted(members, reverse=True)))
    assert verdict(f"\\boxed{{\\{{{turned}\\}}}}", gold).status == "right"
    assert verdict(f"\\boxed{{({turned})}}", gold).status != "right"
    fewer = ", ".join(map(str, sorted(members)[1:]))
    assert verdict(f"\\boxed{{\\{{{fewer}\\}}}}", gold).status != "right"
    more = verdict(f"\\boxed{{\\{{{turned}, {extra}\\}}}}", gold)
    assert (more.status == "right") == (extra in members)


def test_it_works_off_the_main_thread():
    found = []
    threads = [threading.Thread(target=lambda: found.append(verdict("\\boxed{64}", "64").status)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["right"] * 8


def test_a_proof_of_sympys_counts_and_from_many_threads():
    answers = ["\\sqrt{4+2\\sqrt{3}}", "\\sqrt{4+2\\sqrt3}", "\\sqrt{7+4\\sqrt{3}}-1", "\\sqrt{4+3\\sqrt{3}}"]
    found = {}
    threads = [
        threading.Thread(target=lambda a=a: found.update({a: verdict(f"\\boxed{{{a}}}", "1+\\sqrt{3}").status}))
        for a in answers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[a] for a in answers] == ["right", "right", "right", "wrong"]


def test_agreement_at_points_is_no_proof(monkeypatch):
    monkeypatch.setattr(asking, "prove", lambda gold, answer: False)
    assert verdict("\\boxed{\\sqrt{4+2\\sqrt{3}}}", "1+\\sqrt{3}").status == "wrong"


def test_what_breaks_the_proof_is_the_answers_fault_if_the_gold_passes(monkeypatch):
    def broke(gold, answer):
        raise asking.Broke("timed_out: no answer in 5 s")

    monkeypatch.setattr(asking, "prove", broke)
    got = verdict("\\boxed{\\sqrt{4+2\\sqrt{3}}}", "1+\\sqrt{3}")
    assert got.status == "wrong"
    assert got.reason.startswith("broke_check")


def test_what_breaks_on_the_gold_too_is_ungraded(monkeypatch):
    def fault(gold, answer):
        raise asking.Fault("no sympy")

    monkeypatch.setattr(asking, "prove", fault)
    assert verdict("\\boxed{\\sqrt{4+2\\sqrt{3}}}", "1+\\sqrt{3}").status == "ungraded"
