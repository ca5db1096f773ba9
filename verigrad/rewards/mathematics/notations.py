"""Notations of one number that are more than digits: scientific, a power of ten, repeating decimals.

Left out: thousands and decimal commas (lexing), mixed numbers (expressions).
"""

from __future__ import annotations

import re
from fractions import Fraction

from verigrad.rewards.mathematics.trees import MAX_EXPONENT, Node, TooBig, Unread, number, plain_integer

_PLAIN = re.compile(
    r"([-+]?)(?:(?P<plain>[0-9]{1,100}(?:\.[0-9]{1,100})?)|(?P<grouped>[1-9][0-9]{0,2}(?:,[0-9]{3}){1,30})"
    r"|(?P<whole>[0-9]{1,100})?\\[dt]?frac\{(?P<top>[0-9]{1,100})\}\{(?P<bottom>[0-9]{1,100})\}"
    r"|(?P<above>[0-9]{1,100})/(?P<below>[0-9]{1,100}))(?P<percent>\\?%)?"
)


def plain(text: str, *, listed: bool = False) -> Node | None:
    r"""The commonest literals, read without tokens: 12, -1.50, 1,640, 3/4, 2\frac{3}{4}, 5%; None for anything else."""
    match = _PLAIN.fullmatch(text)
    if match is None or (listed and match["grouped"]):
        return None
    digits = match["plain"] or (match["grouped"] or "").replace(",", "")
    if digits:
        node = number(Fraction(digits), digits)
    else:
        top, bottom = match["top"] or match["above"], match["bottom"] or match["below"]
        node = Node("div", (number(int(top), top), number(int(bottom), bottom)))
        if match["whole"]:
            if not 0 < int(top) < int(bottom):
                return None
            node = Node("mixed", (number(int(match["whole"]), match["whole"]), node))
    if match["percent"]:
        node = Node("percent", (node,))
    return Node("neg", (node,)) if match[1] == "-" else node


def power_of_ten(text: str) -> Node:
    """1.2e3. Raises TooBig."""
    mantissa, _, power = text.lower().partition("e")
    if len(power) > 5 or abs(int(power)) > MAX_EXPONENT:
        raise TooBig(f"an exponent beyond {MAX_EXPONENT}")
    value = Fraction(mantissa) * Fraction(10) ** int(power)
    return Node("sci", (number(Fraction(mantissa), mantissa),), value, str(int(power)))


def scientific(factors: list[Node]) -> Node | None:
    """A number times a power of ten: 1.2 * 10^3."""
    if len(factors) != 2 or factors[0].op != "num" or factors[1].op != "pow" or factors[0].text == "repeating":
        return None
    base, exponent = factors[1].args
    if base.text != "10" or not plain_integer(exponent):
        return None
    sign = 1
    while exponent.op == "neg":
        sign, exponent = -sign, exponent.args[0]
    return power_of_ten(f"{factors[0].text}e{'-' if sign < 0 else ''}{exponent.text}")


def repeating(text: str) -> Fraction:
    r"""0.1\overline{6}, 0.1\dot{6}, 0.1(6), 0.\dot{1}4\dot{2}."""
    bare = text.replace("{", "").replace("}", "").replace(" ", "").replace(")", "")
    for mark in ("\\overline", "\\widehat", "\\dot"):
        bare = bare.replace(mark, "(", 1).replace(mark, "") if mark in bare else bare
    head, _, cycle = bare.partition("(")
    whole, _, part = head.partition(".")
    if not cycle.isdigit():
        raise Unread("no repeating decimal")
    scale = Fraction(10) ** len(part)
    return Fraction(int((whole or "0") + part)) / scale + Fraction(int(cycle), 10 ** len(cycle) - 1) / scale
