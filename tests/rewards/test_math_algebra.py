"""Exact equality without sympy: what the algebra proves, what it refutes, and what a decimal says."""

from decimal import Decimal

import pytest

from verigrad.rewards.mathematics import algebra, canonical, chinese, lexing, numerics, scalars, writing
from verigrad.rewards.mathematics.expressions import expression
from verigrad.rewards.mathematics.trees import TooBig, Unread

EQUAL = r"""
(x+1)^3 ~ x^3+3x^2+3x+1
\frac{1}{1+\sqrt2} ~ \sqrt2-1
\sqrt{12} ~ 2\sqrt3
\sqrt{6} ~ \sqrt2\sqrt3
\sqrt[3]{-8} ~ -2
\sqrt[4]{4} ~ \sqrt2
8^{2/3} ~ 4
\frac{1}{\sqrt[3]{2}} ~ \frac{\sqrt[3]{4}}{2}
i^2 ~ -1
\frac{1}{i} ~ -i
(1+i)^2 ~ 2i
\csc^2(t) ~ \cot^2(t)+1
\sin 3x ~ 3\sin x-4\sin^3 x
\cos(x+y) ~ \cos x\cos y-\sin x\sin y
\sin(\frac{\pi}{2}-x) ~ \cos x
\cos\frac{\pi}{12} ~ \frac{\sqrt6+\sqrt2}{4}
\sin 18^\circ ~ \frac{\sqrt5-1}{4}
\tan 60^\circ ~ \sqrt3
\arctan 1 ~ \frac{\pi}{4}
\arcsin\frac12 ~ 30^\circ
\ln 8 ~ 3\ln 2
\ln\frac{2}{3} ~ \ln 2-\ln 3
\log_2 8 ~ 3
\frac{\log 8}{\log 2} ~ 3
\ln(e^2) ~ 2
e^{2\ln 3} ~ 9
e^{i\pi} ~ -1
2^{x+1} ~ 2\cdot 2^x
4^x ~ (2^x)^2
\frac{x^2-1}{x-1} ~ x+1
\frac{1}{x}+\frac{1}{y} ~ \frac{x+y}{xy}
\sqrt{4x+4} ~ 2\sqrt{x+1}
\sqrt{x+1}^2 ~ x+1
\sqrt{x^2} ~ |x|
|x|^2 ~ x^2
|x-1| ~ |1-x|
\binom{10}{3} ~ 120
5! ~ 120
\lfloor 3.7 \rfloor ~ 3
\gcd(12, 18) ~ 6
0.\overline{142857} ~ \frac17
2 3/4 ~ \frac{11}{4}
60^\circ ~ \frac{\pi}{3}
25\% ~ \frac14
"""

DIFFERENT = r"""
x+1 ~ x-1
\sqrt2+\sqrt3 ~ \sqrt5
\sqrt{x+y} ~ \sqrt x+\sqrt y
\pi ~ \frac{355}{113}
2^{100} ~ 2^{100}+1
e^{2x} ~ e^{x^2}
\sin 2x ~ 2\sin x
\ln(x+y) ~ \ln x+\ln y
i ~ -i
x_1 ~ x_2
"""


def node(text):
    return expression(lexing.tokens(writing.spell(text)))


def pairs(text):
    return [line.split(" ~ ") for line in text.strip("\n").split("\n")]


@pytest.mark.parametrize(("one", "two"), pairs(EQUAL))
def test_proven_equal(one, two):
    assert scalars.equal_nodes(node(one), node(two), None)
    assert scalars.equal_nodes(node(two), node(one), None)


@pytest.mark.parametrize(("one", "two"), pairs(DIFFERENT))
def test_refuted_without_asking_sympy(one, two):
    def never(gold, answer):
        raise AssertionError("sympy was asked")

    assert not scalars.equal_nodes(node(one), node(two), never)


@pytest.mark.parametrize("text", ["9^{9^9}", "99999!", "(x+y)^{1000}", "\\binom{99999}{7}", "2^{999999999}"])
def test_sizes_are_refused_before_the_arithmetic(text):
    with pytest.raises(TooBig):
        canonical.quotient(node(text), algebra.Work())


@pytest.mark.parametrize("text", ["\\frac{1}{0}", "\\frac{1}{x-x}", "\\ln 0", "0^{-1}", "(-3)!", "\\infty+1"])
def test_what_has_no_value_is_not_read(text):
    with pytest.raises(Unread):
        canonical.quotient(node(text), algebra.Work())


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("\\pi", "3.14159265358979323846"),
        ("e", "2.71828182845904523536"),
        ("\\sqrt{2}", "1.41421356237309504880"),
        ("\\sin 1", "0.84147098480789650665"),
        ("\\cos 100", "0.86231887228768393410"),
        ("\\tan\\frac{1}{3}", "0.34625354951057549103"),
        ("\\arctan 2", "1.10714871779409050301"),
        ("\\arcsin\\frac{1}{3}", "0.33983690945412193709"),
        ("\\ln 10", "2.30258509299404568401"),
        ("2^{\\sqrt{2}}", "2.66514414269022518865"),
        ("\\sqrt[3]{-2}", "-1.25992104989487316476"),
    ],
)
def test_decimals_are_right_to_twenty_digits(text, digits):
    value = numerics.value(node(text))
    assert abs(value - Decimal(digits)) < Decimal("1e-20")


@pytest.mark.parametrize(
    ("text", "value"),
    [("三", 3), ("十二", 12), ("二十", 20), ("一百零五", 105), ("两千三百", 2300), ("一万二千", 12000),
     ("三亿", 3 * 10**8), ("二〇二四", 2024), ("十十", None)],
)  # fmt: skip
def test_chinese_numerals(text, value):
    assert chinese.value(text) == value
