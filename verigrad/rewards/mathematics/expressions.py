r"""One expression from tokens: sums, products (also unwritten ones), powers, fractions, roots, functions, brackets.

A bounded descent: depth and nodes are counted. What is no expression raises Unread. Left out: lists, relations, sets,
units (statements), and arithmetic: nothing is evaluated, 8 * 10 stays a product.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from verigrad.rewards.mathematics.lexing import Token
from verigrad.rewards.mathematics.notations import power_of_ten, repeating, scientific
from verigrad.rewards.mathematics.trees import (
    MAX_DEPTH,
    MAX_NODES,
    Node,
    TooBig,
    Unread,
    number,
    plain_integer,
)
from verigrad.rewards.spelling import words

FUNCTIONS = words(
    "\\sin \\cos \\tan \\cot \\sec \\csc \\asin \\acos \\atan \\arcsin \\arccos \\arctan \\sinh \\cosh \\tanh \\ln"
    " \\log \\lg \\exp \\abs \\gcd \\lcm \\cbrt"
)
_INVERSES = {"sin": "asin", "cos": "acos", "tan": "atan"}
CONSTANTS = {"\\pi": "pi", "\\infty": "inf"}
_SYMBOLS = words(
    "\\alpha \\beta \\gamma \\delta \\epsilon \\theta \\lambda \\mu \\rho \\sigma \\tau \\phi \\omega \\Delta \\Omega"
    " \\xi \\eta \\zeta \\kappa \\nu \\psi \\chi \\Phi \\Psi \\Gamma \\Sigma \\Theta \\Lambda \\ell \\hbar"
)
_MARKED = words("\\angle \\triangle \\overrightarrow \\vec \\overline \\widehat \\hat \\odot")
_OPENS = {"(": ")", "[": "]", "{": "}"}
_APPLIED = frozenset("fghFGP")
END = Token("end", "")


class Reader:
    """A place in the tokens, and how much was read."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens, self.at, self.nodes, self.depth, self.bars = list(tokens), 0, 0, 0, 0

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or the end."""
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else END

    def take(self) -> Token:
        """The next token, taken."""
        token = self.peek()
        self.at += 1
        return token

    def expect(self, text: str) -> None:
        """Takes a token that must be this. Raises Unread."""
        if self.take().text != text:
            raise Unread(f"no {text} where one belongs")

    def make(self, op: str, *args: Node, value: Fraction | str | None = None, text: str = "") -> Node:
        """A node, counted. Raises TooBig."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooBig(f"an expression of more than {MAX_NODES} parts")
        return Node(op, args, value, text)

    def sum(self) -> Node:
        """A sum of terms."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooBig(f"an expression more than {MAX_DEPTH} deep")
        terms = [self._signed()]
        while (sign := self.peek().text) in ("+", "-", "\\pm", "\\mp") and self.peek().kind in ("op", "cmd"):
            self.take()
            term = self._signed()
            if sign != "+":
                term = self.make({"-": "neg", "\\pm": "pm", "\\mp": "mp"}[sign], term)
            terms.append(term)
        self.depth -= 1
        return terms[0] if len(terms) == 1 else self.make("add", *terms)

    def _signed(self) -> Node:
        sign = self.peek().text
        if sign in ("+", "-", "\\pm", "\\mp"):
            self.take()
            self._deeper()
            inner = self._signed()
            self.depth -= 1
            return inner if sign == "+" else self.make({"-": "neg", "\\pm": "pm", "\\mp": "mp"}[sign], inner)
        return self._product()

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooBig(f"an expression more than {MAX_DEPTH} deep")

    def _product(self) -> Node:
        node = self._power()
        factors = [node]
        while True:
            token = self.peek()
            if token.text == "*" or (token.text == "x" and self._times()):
                self.take()
                factors.append(self._factor())
            elif token.text in ("/", ":") and token.kind == "op":
                if token.text == ":":
                    break
                self.take()
                below = self._factor()
                above = factors[0] if len(factors) == 1 else self.make("mul", *factors)
                factors = [self.make("div", above, below)]
            elif self._begins(token):
                if token.kind in ("num", "rep", "sci") or (token.text == "\\frac" and factors[-1].op == "num"):
                    factors[-1] = self._postfix(self._mixed(factors[-1]))
                else:
                    factors.append(self._power())
            else:
                break
        if len(factors) == 1:
            return factors[0]
        return scientific(factors) or self.make("mul", *factors)

    def _times(self) -> bool:
        """An x that is a times sign: between numbers."""
        before = self.tokens[self.at - 1] if self.at else END
        after = self.peek(1)
        return before.kind == "num" and after.kind == "num" and self.peek().spaced == after.spaced

    def _factor(self) -> Node:
        if self.peek().text in ("-", "+"):
            sign = self.take().text
            inner = self._power()
            return self.make("neg", inner) if sign == "-" else inner
        return self._power()

    def _begins(self, token: Token) -> bool:
        if token.kind in ("num", "rep", "sci", "id"):
            return True
        if token.kind == "op":
            return token.text in ("(", "[", "{") or (token.text == "|" and not self.bars)
        return token.kind == "cmd" and (
            token.text in FUNCTIONS
            or token.text in CONSTANTS
            or token.text in _SYMBOLS
            or token.text in ("\\frac", "\\sqrt", "\\binom", "\\lfloor", "\\lceil")
            or token.text in _MARKED
        )

    def _mixed(self, whole: Node) -> Node:
        r"""2 3/4 or 2\frac{3}{4}; a number behind anything else is no product."""
        if not (whole.op == "num" and whole.text.isdigit()):
            raise Unread("two numbers side by side")
        if self.peek().text == "\\frac":
            part = self._power()
            proper = part.op == "div" and all(a.op == "num" and a.text.isdigit() for a in part.args)
            if not proper:
                return self.make("mul", whole, part)
        else:
            top, slash, bottom = self.take(), self.take(), self.take()
            if not (top.spaced and top.text.isdigit() and slash.text == "/" and bottom.text.isdigit()):
                raise Unread("two numbers side by side")
            part = self.make("div", number(int(top.text), top.text), number(int(bottom.text), bottom.text))
        above, below = (a.value for a in part.args)
        if not (isinstance(above, Fraction) and isinstance(below, Fraction) and 0 < above < below):
            raise Unread("a mixed number whose fraction is none below one")
        return self.make("mixed", whole, part)

    def _power(self) -> Node:
        node = self._postfix(self._primary())
        if self.peek().text == "^":
            self.take()
            if self.peek().text == "\\circ":
                self.take()
                return self._postfix(self.make("degree", node))
            if self.peek().text == "\\prime":
                raise Unread("a derivative")
            self._deeper()
            exponent = self._exponent()
            self.depth -= 1
            node = self._postfix(self.make("pow", node, exponent))
        return node

    def _exponent(self) -> Node:
        if self.peek().text == "{":
            return self._group("{")
        if self.peek().text in ("-", "+"):
            sign = self.take().text
            inner = self._exponent()
            return self.make("neg", inner) if sign == "-" else inner
        return self._power()

    def _postfix(self, node: Node) -> Node:
        while True:
            token = self.peek()
            if token.kind == "op" and token.text == "!":
                if self.peek(1).text in ("!", "="):
                    raise Unread("a double factorial or an exclamation")
                self.take()
                node = self.make("fn", node, value="factorial")
            elif token.kind == "op" and token.text == "%":
                self.take()
                node = self.make("percent", node)
            elif token.text == "^" and self.peek(1).text == "\\circ":
                self.at += 2
                node = self.make("degree", node)
            else:
                return node

    def _group(self, left: str) -> Node:
        self.expect(left)
        bars, self.bars = self.bars, 0
        inner = self.sum()
        self.bars = bars
        self.expect(_OPENS[left])
        return inner

    def _primary(self) -> Node:
        token = self.peek()
        if token.kind == "num":
            self.take()
            text = token.text.rstrip(".") if token.text.endswith(".") else token.text
            return self.make("num", value=Fraction(text), text=text)
        if token.kind == "sci":
            self.take()
            return power_of_ten(token.text)
        if token.kind == "rep":
            self.take()
            return self.make("num", value=repeating(token.text), text="repeating")
        if token.kind == "id":
            return self._symbol()
        if token.kind == "op":
            return self._bracket(token)
        if token.kind == "cmd":
            return self._command(token)
        if token.kind == "text" and token.text.replace(".", "", 1).isdigit():
            self.take()
            return self.make("num", value=Fraction(token.text), text=token.text)
        raise Unread(f"no expression: {token.text[:30]!r}" if token is not END else "an expression cut off")

    def _bracket(self, token: Token) -> Node:
        if token.text in _OPENS:
            self._deeper()
            inner = self._group(token.text)
            self.depth -= 1
            return inner
        if token.text == "|":
            self.take()
            self.bars += 1
            inner = self.sum()
            self.bars -= 1
            self.expect("|")
            return self.make("fn", inner, value="abs")
        raise Unread(f"no expression: {token.text!r}")

    def _symbol(self) -> Node:
        name = self.take().text
        if self.peek().text == "_":
            self.take()
            name += "_" + self._subscript()
        while self.peek().text == "'":
            self.take()
            name += "'"
        if name == "e":
            return self.make("const", value="e")
        if name == "i":
            return self.make("const", value="i")
        if name[0] in _APPLIED and self.peek().text == "(" and not self.peek().spaced:
            self.take()
            args = [self.sum()]
            while self.peek().text == ",":
                self.take()
                args.append(self.sum())
            self.expect(")")
            return self.make("fn", *args, value="of " + name)
        return self.make("sym", value=name)

    def _subscript(self) -> str:
        if self.peek().text != "{":
            return self.take().text
        self.take()
        parts: list[str] = []
        while (token := self.take()).text != "}":
            if token is END or len(parts) > 8:
                raise Unread("an index never closed")
            parts.append(token.text)
        return "".join(parts)

    def _letters(self) -> str:
        r"""The points a mark is over or before: \overline{AB}, \angle ABC."""
        grouped = self.peek().text == "{"
        self.at += grouped
        start = self.at
        while self.peek().kind == "id" or (grouped and self.peek().text == "'"):
            self.take()
        found = "".join(t.text for t in self.tokens[start : self.at])
        if not found:
            raise Unread("a mark over nothing")
        if grouped:
            self.expect("}")
        return found

    def _argument(self) -> Node:
        r"""What \frac and \sqrt take: a group, or one sign (a single digit of a number)."""
        token = self.peek()
        if token.text == "{":
            return self._group("{")
        if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
            self.tokens[self.at] = Token("num", token.text[1:])
            return self.make("num", value=Fraction(int(token.text[0])), text=token.text[0])
        return self._primary()

    def _command(self, token: Token) -> Node:
        self.take()
        name = token.text
        if name in CONSTANTS:
            return self.make("const", value=CONSTANTS[name])
        if name in _SYMBOLS:
            self.at -= 1
            self.tokens[self.at] = Token("id", name, token.spaced)
            return self._symbol()
        if name in _MARKED:
            return self.make("sym", value=name + self._letters())
        self._deeper()
        try:
            if name == "\\frac":
                above = self._argument()
                return self.make("div", above, self._argument())
            if name == "\\binom":
                above = self._argument()
                return self.make("fn", above, self._argument(), value="binomial")
            if name == "\\sqrt":
                degree = self._group("[") if self.peek().text == "[" else number(2, "2")
                inner = self._group("(") if self.peek().text == "(" else self._argument()
                return self.make("root", inner, degree)
            if name in ("\\lfloor", "\\lceil"):
                inner = self.sum()
                self.expect("\\rfloor" if name == "\\lfloor" else "\\rceil")
                return self.make("fn", inner, value="floor" if name == "\\lfloor" else "ceil")
            if name in FUNCTIONS:
                return self._function(name[1:])
        finally:
            self.depth -= 1
        raise Unread(f"no expression: {name}")

    def _function(self, name: str) -> Node:
        base = power = None
        for _ in range(2):
            if name == "log" and self.peek().text == "_" and base is None:
                self.take()
                base = self._argument()
            elif self.peek().text == "^" and power is None:
                self.take()
                power = self._exponent()
        if power is not None and power.op == "neg" and plain_integer(power) and name in _INVERSES:
            if power.args[0].value != 1:
                raise Unread("a negative power of a function")
            name, power = _INVERSES[name], None
        name = name.replace("arc", "a")
        args = self._several() if name in ("gcd", "lcm") else [self._applied()]
        node = self.make("fn", *args, *([base] if base is not None else []), value=name)
        return node if power is None else self.make("pow", node, power)

    def _several(self) -> list[Node]:
        self.expect("(")
        args = [self.sum()]
        while self.peek().text == ",":
            self.take()
            args.append(self.sum())
        self.expect(")")
        return args

    def _applied(self) -> Node:
        """An argument in brackets, or the factors that follow up to a sign or another function."""
        if self.peek().text in ("(", "[", "{"):
            return self._postfix(self._bracket(self.peek()))
        factors = [self._power()]
        while self._begins(self.peek()) and self.peek().text not in FUNCTIONS and self.peek().text not in ("(", "["):
            factors.append(self._power())
        if self.peek().text == "/" and self.peek(1).kind == "num" and factors[-1].op in ("sym", "const"):
            self.take()
            factors = [self.make("div", self.make("mul", *factors) if len(factors) > 1 else factors[0], self._power())]
        return factors[0] if len(factors) == 1 else self.make("mul", *factors)


def expression(tokens: Sequence[Token]) -> Node:
    """The one expression that all these tokens are. Raises Unread or TooBig."""
    reader = Reader(tokens)
    node = reader.sum()
    if reader.at < len(reader.tokens):
        raise Unread(f"more than an expression: {reader.peek().text[:30]!r}")
    return node
