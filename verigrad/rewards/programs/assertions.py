"""Assertions as tests by calls: what the program is called with goes into the box, what is expected stays here.

`assert abs(f(2) - 0.5) < 1e-6` becomes the call `f(2)` and the condition `abs(out_0 - 0.5) < 1e-6` on its plain value.
Read are assert statements, loops over literals, assertRaises and pytest.raises, try/except around one call, unittest's
assertions in test methods (setUp before them), test functions, HumanEval's check(candidate), names bound to literals,
statements that build a state (`s = Stack(); s.push(1)`), which go into the box before the call. Anything else raises
Uncompiled, which says what. Only `ast` reads the source; a part without a call is computed in a killable process.
"""

from __future__ import annotations

import ast
import copy
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from verigrad.rewards.programs import calls, checking, typed
from verigrad.rewards.programs.calls import CallTest, Equal, Holds, Raises
from verigrad.rewards.programs.plan import Unjudged
from verigrad.rewards.programs.splitting import Names, bound, inlined, mentions, split
from verigrad.rewards.programs.twins import Uncompiled, classes, method, raising, twin

__all__ = ["Uncompiled", "compiled", "shown", "whole"]
MAX_SOURCE = 200_000
MAX_TURNS = 2_000
"""Turns of a loop."""

_IGNORED = ("print", "check", "main")
_RUN_ALL = """
for _name, _it in list(globals().items()):
    if isinstance(_it, type) and issubclass(_it, unittest.TestCase) and _it is not unittest.TestCase:
        _result = unittest.defaultTestLoader.loadTestsFromTestCase(_it).run(unittest.TestResult())
        assert _result.wasSuccessful() and not _result.skipped and _result.testsRun
    elif _name.startswith("test") and callable(_it):
        _it()
"""


def compiled(source: str, *, entry: str, setup: str = "") -> list[CallTest]:
    """The tests of a source, in order. Raises Uncompiled.

    `entry`: the function asked for; empty: every name the source does not define is the program's. `setup`: trusted
    statements that run in the box before.
    """
    scope = _Scope(names=Names(entry=entry.split(".")[0], given=bound(_parsed(setup).body)), setup=setup)
    scope.block(_parsed(source).body)
    return scope.tests


def shown(test: CallTest, *, visible: bool) -> CallTest:
    """The test, marked as one that the prompt shows or not."""
    return replace(test, visible=visible)


def whole(source: str, *, entry: str, setup: str, visible: bool) -> CallTest:
    """The source as it is, run in the program's own process: shared. Raises Uncompiled where it cannot run there."""
    for node in ast.walk(_parsed(source)):
        named = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if strange := [n for n in named if n.split(".")[0] not in sys.stdlib_module_names]:
            raise Uncompiled(f"an import the box does not have, {strange[0]}")
    lines = ["import unittest", setup, f"candidate = {entry}" if entry else "", "self = unittest.TestCase()"]
    lines += [textwrap.dedent(source), f"check({entry})" if entry and "def check(" in source else "", _RUN_ALL]
    return CallTest(calls=("1",), want=Equal(value=1), setup="\n".join(lines), visible=visible)


def _parsed(source: str) -> ast.Module:
    if len(source) > MAX_SOURCE:
        raise Uncompiled(f"a source of more than {MAX_SOURCE} characters")
    try:
        return ast.parse(textwrap.dedent(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Uncompiled(f"no Python: {str(error)[:60]}") from None


class _Scope:
    """The names at one point of a source, and the tests found so far."""

    def __init__(self, *, names: Names, setup: str) -> None:
        self.names, self.setup = names, setup
        self.before: list[str] = []
        """Statements the box runs first: those whose names are `names.boxed`."""
        self.tests: list[CallTest] = []

    def inner(self) -> _Scope:
        """The same names for a body of its own; its tests go to the same list."""
        scope = _Scope(names=copy.deepcopy(self.names), setup=self.setup)
        scope.before, scope.tests = list(self.before), self.tests
        return scope

    def block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assert():
                self.condition(node.test)
            case ast.Expr():
                self.expression(node.value)
            case ast.Assign(targets=[target]):
                self.assign(target, node.value, node)
            case ast.AnnAssign(value=ast.expr() as value):
                self.assign(node.target, value, ast.Assign(targets=[node.target], value=value))
            case ast.AugAssign(target=ast.Name(id=name)):
                value = ast.BinOp(left=ast.Name(id=name, ctx=ast.Load()), op=node.op, right=node.value)
                self.assign(node.target, value, node)
            case ast.For(orelse=[]):
                for _ in self.turns(node.target, node.iter):
                    self.block(node.body)
            case ast.With():
                self.with_(node)
            case ast.Try(orelse=[], finalbody=[]) if len(node.handlers) == 1:
                self.try_(node)
            case ast.Import() | ast.ImportFrom():
                self.names.imported(node)
            case ast.FunctionDef():
                self.function(node)
            case ast.ClassDef():
                self.class_(node)
            case ast.If() if "__name__" in ast.unparse(node.test):
                pass
            case ast.Pass() | ast.Return(value=None):
                pass
            case _:
                raise Uncompiled(f"a statement this version does not read, {type(node).__name__}")

    def expression(self, node: ast.expr) -> None:
        if isinstance(node, ast.Constant):
            return
        if not isinstance(node, ast.Call):
            raise Uncompiled("an expression that asserts nothing")
        if (raises := raising(node)) is not None:
            names, pattern, call = raises
            if call is None:
                raise Uncompiled("assertRaises without a call")
            self.raises(call, names, pattern)
        elif (condition := twin(node)) is not None:
            self.condition(condition)
        elif method(node) is not None:
            raise Uncompiled(f"self.{method(node)}")
        elif ast.unparse(node.func).rsplit(".", 1)[-1] not in _IGNORED:
            self.boxed(ast.Expr(value=node))

    def condition(self, node: ast.expr) -> None:
        """A test that the expression is true."""
        expr = inlined(node, self.names)
        if isinstance(expr, ast.BoolOp) and isinstance(expr.op, ast.And):
            for value in expr.values:
                self.condition(value)
            return
        match expr:
            case ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp() | ast.ListComp() as made]) if (
                len(made.generators) == 1 and not made.generators[0].ifs and mentions(made.elt, self.names)
            ):
                for _ in self.turns(made.generators[0].target, made.generators[0].iter):
                    self.condition(made.elt)
                return
        asked, rest = split(expr, self.names)
        if not asked:
            if calls.constant(f"bool({ast.unparse(rest)})") is not True:
                raise Uncompiled(f"an assertion about nothing that does not hold: {ast.unparse(rest)[:40]}")
            return
        names = frozenset(f"out_{i}" for i in range(len(asked)))
        if why := checking.readable(ast.unparse(rest), names):
            raise Uncompiled(why)
        self.add(asked, _wanted(rest, names))

    def raises(self, call: ast.expr, names: tuple[str, ...], pattern: str) -> None:
        asked, rest = split(inlined(call, self.names), self.names)
        if len(asked) != 1 or not isinstance(rest, ast.Name):
            raise Uncompiled("what must raise is not one call of the program")
        self.add(asked, Raises(names=names, match=pattern))

    def add(self, asked: list[str], want: Equal | Holds | Raises) -> None:
        lines = self.names.needed(asked, self.before)
        setup = "\n".join(filter(None, [self.setup, *lines]))
        if len(self.tests) >= MAX_TURNS:
            raise Uncompiled(f"more than {MAX_TURNS} assertions")
        self.tests.append(CallTest(calls=tuple(asked), want=want, setup=setup))
        if self.names.uses_box(asked) and not isinstance(want, Raises):
            self.before += asked

    def assign(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> None:
        target = inlined(target, self.names, store=True)
        value = inlined(value, self.names)
        if mentions(value, self.names) or not isinstance(target, (ast.Name, ast.Tuple, ast.List)):
            self.boxed(node)
        elif isinstance(target, ast.Name):
            self.names.bind(target.id, value)
        else:
            self.unpack(target, calls.constant(ast.unparse(value)))

    def unpack(self, target: ast.expr, wire: typed.Wire) -> None:
        """Binds a loop's or an assignment's names to a value."""
        if isinstance(target, ast.Name):
            value = typed.value(wire)
            self.names.bind(target.id, ast.parse(calls.literal(value), mode="eval").body)
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = wire if isinstance(wire, list) else wire.get("t") if isinstance(wire, dict) else None
            if items is None or len(items) != len(target.elts):
                raise Uncompiled("names and values that do not fit")
            for one, item in zip(target.elts, items, strict=True):
                self.unpack(one, item)
        else:
            raise Uncompiled("a target that is no name")

    def boxed(self, node: ast.stmt) -> None:
        """A statement that the box must run before the calls that come after it."""
        copied = self.names.renamed(node)
        used = {n.id for n in ast.walk(copied) if isinstance(n, ast.Name)}
        for name in sorted(used & set(self.names.pure)):
            self.before.append(f"{name} = {ast.unparse(self.names.pure[name])}")
            self.names.boxed.add(name)
            del self.names.pure[name]
        for name in bound([copied]):
            self.names.pure.pop(name, None)
            self.names.boxed.add(name)
        self.before.append(ast.unparse(ast.fix_missing_locations(copied)))

    def turns(self, target: ast.expr, over: ast.expr) -> Iterator[None]:
        """Binds the target to each item of a literal in turn."""
        iterable = inlined(over, self.names)
        if mentions(iterable, self.names):
            raise Uncompiled("a loop over what the program gives")
        wire = calls.constant(f"list({ast.unparse(iterable)})")
        if not isinstance(wire, list) or len(wire) > MAX_TURNS:
            raise Uncompiled(f"a loop of more than {MAX_TURNS} turns")
        for item in wire:
            self.unpack(target, item)
            yield

    def with_(self, node: ast.With) -> None:
        if len(node.items) != 1 or not isinstance(call := node.items[0].context_expr, ast.Call):
            raise Uncompiled("a with statement this version does not read")
        if method(call) == "subTest":
            self.block(node.body)
            return
        raises = raising(call)
        if raises is None:
            raise Uncompiled("a with statement this version does not read")
        self.block(node.body[:-1])
        self.raises(_value_of(node.body[-1]), raises[0], raises[1])

    def try_(self, node: ast.Try) -> None:
        """try: f(x); assert False  except ValueError: pass."""
        handler, last = node.handlers[0], node.body[-1]
        fails = isinstance(last, ast.Assert) and isinstance(last.test, ast.Constant) and not last.test.value
        fails = fails or ast.unparse(last).startswith(("self.fail(", "raise AssertionError", "pytest.fail("))
        plain = all(isinstance(s, (ast.Pass, ast.Return)) or ast.unparse(s) == "assert True" for s in handler.body)
        if handler.type is None or not fails or not plain or len(node.body) < 2:
            raise Uncompiled("a try statement this version does not read")
        names = classes(handler.type)
        if set(names) & {"AssertionError", "Exception", "BaseException"}:
            raise Uncompiled("a try statement that catches its own failure")
        self.block(node.body[:-2])
        self.raises(_value_of(node.body[-2]), names, "")

    def function(self, node: ast.FunctionDef) -> None:
        named = [a.arg for a in node.args.args if a.arg not in ("self", "cls")]
        if node.name == "check" and len(named) == 1 and self.names.entry:
            scope = self.inner()
            scope.names.bind(named[0], ast.Name(id=self.names.entry, ctx=ast.Load()))
            scope.block(node.body)
        elif node.name.startswith("test") and not named and not node.decorator_list:
            self.inner().block(node.body)
        elif node.name.startswith("test") or node.name == "check":
            raise Uncompiled(f"a test function with arguments or decorators, {node.name}")
        else:
            self.names.helpers[node.name] = ast.unparse(node)

    def class_(self, node: ast.ClassDef) -> None:
        methods = {f.name: f for f in node.body if isinstance(f, ast.FunctionDef)}
        if not any(name.startswith("test") for name in methods):
            self.names.helpers[node.name] = ast.unparse(node)
            return
        for name, function in methods.items():
            if name.startswith("test"):
                scope = self.inner()
                for first in ("setUpClass", "setUp"):
                    if first in methods:
                        scope.block(methods[first].body)
                scope.function(function)


def _value_of(node: ast.stmt) -> ast.expr:
    if isinstance(node, (ast.Expr, ast.Assign)):
        return node.value
    raise Uncompiled("what must raise is no call")


def _wanted(rest: ast.expr, names: frozenset[str]) -> Equal | Holds:
    """`out_0 == literal` is compared here; any other condition is computed in a killable process."""
    if isinstance(rest, ast.Compare) and len(rest.ops) == 1:
        left, right, op = rest.left, rest.comparators[0], rest.ops[0]
        if isinstance(op, (ast.Is, ast.IsNot)) and not any(
            isinstance(side, ast.Constant) and side.value in (None, True, False) for side in (left, right)
        ):
            raise Uncompiled("identity of values")
        for out, other in ((left, right), (right, left)):
            if isinstance(op, ast.Eq) and isinstance(out, ast.Name) and out.id == "out_0" and len(names) == 1:
                try:
                    wire = typed.wire(ast.literal_eval(other))
                except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                    try:
                        wire = calls.constant(ast.unparse(other))
                    except Unjudged:
                        break
                if typed.is_plain(wire):
                    return Equal(value=wire, rule="python")
                break
    return Holds(check=ast.unparse(rest), outs=tuple(f"out_{i}" for i in range(len(names))))
