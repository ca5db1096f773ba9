"""What of an assertion the box computes, and what stays here.

The box gets the largest parts that are nothing but calls of the program with what they are called with (`f(2)[0]`,
`Stack().pop()`, `sorted(f(x))`), and names that statements in the box have bound. Names bound to literals are replaced
by them first. Left out: statements (assertions).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from verigrad.rewards.programs.checking import MODULES, known
from verigrad.rewards.programs.twins import Uncompiled

_PULLED = (
    *("len", "str", "repr", "next", "list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "int", "float"),
    *("max", "min", "abs", "round", "reversed", "bool"),
)
"""Builtins whose value tells no more than their argument: `len(f(x))` may be computed in the box."""
_FRAMEWORKS = ("unittest", "pytest", "typing")


@dataclass(kw_only=True)
class Names:
    """What the names of a source are."""

    entry: str = ""
    """The function asked for; empty: any name not known otherwise is the program's."""
    given: frozenset[str] = frozenset()
    """Bound by the trusted statements before."""
    pure: dict[str, ast.expr] = field(default_factory=dict)
    """Bound to expressions without a call of the program."""
    boxed: set[str] = field(default_factory=set)
    """Bound by statements in the box."""
    helpers: dict[str, str] = field(default_factory=dict)
    """Functions and classes of the source: what a call may be given."""
    foreign: set[str] = field(default_factory=set)
    """Imported, and not at hand here."""

    def bind(self, name: str, value: ast.expr) -> None:
        """From here on the name is this expression."""
        self.pure[name] = value
        self.boxed.discard(name)

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        """What an import binds: a module at hand, a name of one, something foreign, or the program itself."""
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            if isinstance(node, ast.Import):
                if alias.name in MODULES:
                    self.pure[name] = ast.Name(id=alias.name, ctx=ast.Load())
                elif alias.name not in _FRAMEWORKS:
                    self.foreign.add(name)
            elif node.module in MODULES:
                module = ast.Name(id=str(node.module), ctx=ast.Load())
                self.pure[name] = ast.Attribute(value=module, attr=alias.name, ctx=ast.Load())
            elif self.entry and name != self.entry and node.module not in _FRAMEWORKS:
                self.foreign.add(name)

    def asks(self, name: str) -> bool:
        """A call of this name is a call of the program."""
        if name in self.boxed:
            return True
        if self.entry:
            return name in (self.entry, "Solution")
        return not (name in known() or name in self.helpers or name in self.given or name in self.foreign)

    def uses_box(self, asked: Iterable[str]) -> bool:
        """The calls use names that statements in the box have bound."""
        return bool(_used(asked) & self.boxed)

    def needed(self, asked: list[str], before: list[str]) -> list[str]:
        """The statements the calls need before them. Raises Uncompiled for a name that is nowhere."""
        lines = before if self.uses_box(asked) else []
        used = _used([*asked, *lines])
        if strange := used & self.foreign:
            raise Uncompiled(f"an import this version does not have, {min(strange)}")
        helpers, seen = [], set[str]()
        while more := {name for name in self.helpers if name in used} - seen:
            seen |= more
            used |= _used(self.helpers[name] for name in more)
        helpers = [source for name, source in self.helpers.items() if name in seen]
        return [*(f"import {name}" for name in sorted(used & set(MODULES))), *helpers, *lines]

    def renamed(self, node: ast.stmt) -> ast.stmt:
        """A copy with `self.x` as a plain name."""
        renamed: ast.stmt = _Attributes().visit(copy.deepcopy(node))
        return renamed


def bound(body: Iterable[ast.stmt]) -> frozenset[str]:
    """The names these statements bind."""
    names: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(node.name)
            elif isinstance(node, ast.alias):
                names.add(node.asname or node.name.split(".")[0])
    return frozenset(names)


def inlined(node: ast.expr, names: Names, *, store: bool = False) -> ast.expr:
    """A copy with `self.x` as a plain name and names bound to expressions replaced by them."""
    made: ast.expr = _Attributes().visit(copy.deepcopy(node))
    if store:
        return made
    return _Inline(names).visit(made)  # type: ignore[no-any-return]


def mentions(node: ast.AST, names: Names) -> bool:
    """Something in it is the program's."""
    local = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    local |= {a.arg for n in ast.walk(node) if isinstance(n, ast.Lambda) for a in n.args.args}
    return any(isinstance(n, ast.Name) and n.id not in local and names.asks(n.id) for n in ast.walk(node))


def split(node: ast.expr, names: Names) -> tuple[list[str], ast.expr]:
    """The calls of the program, as texts, and the expression with out_0, out_1 ... in their places."""
    splitter = _Split(names)
    rest = splitter.visit(copy.deepcopy(node))
    return splitter.asked, cast(ast.expr, rest)


class _Attributes(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and (node.value.id, node.attr) == ("pytest", "approx"):
            return ast.Name(id="approx", ctx=node.ctx)
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") and not node.attr.startswith("assert"):
            return ast.Name(id=f"self_{node.attr}", ctx=node.ctx)
        return self.generic_visit(node)


class _Inline(ast.NodeTransformer):
    def __init__(self, names: Names) -> None:
        self._names, self._hidden = names, set[str]()

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in self._names.pure and node.id not in self._hidden:
            return copy.deepcopy(self._names.pure[node.id])
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._hiding({a.arg for a in node.args.args}, node)

    def _comprehension(self, node: ast.AST) -> ast.AST:
        hidden = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return self._hiding(hidden, node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _hiding(self, names: set[str], node: ast.AST) -> ast.AST:
        before, self._hidden = self._hidden, self._hidden | names
        node = self.generic_visit(node)
        self._hidden = before
        return node


class _Split(ast.NodeTransformer):
    def __init__(self, names: Names) -> None:
        self._names = names
        self.asked: list[str] = []

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and self._whole(node):
            self.asked.append(ast.unparse(ast.fix_missing_locations(node)))
            return ast.Name(id=f"out_{len(self.asked) - 1}", ctx=ast.Load())
        if isinstance(node, (ast.Lambda, ast.NamedExpr, ast.Await)) and mentions(node, self._names):
            raise Uncompiled("a call of the program inside a lambda")
        comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        if isinstance(node, comprehensions) and mentions(node, self._names):
            raise Uncompiled("a comprehension that mixes calls of the program with more")
        return self.generic_visit(node)

    def _whole(self, node: ast.expr) -> bool:
        """The box may compute all of it."""
        if isinstance(node, (ast.ListComp, ast.SetComp)):
            inputs = not any(mentions(g, self._names) or g.ifs for g in node.generators)
            return inputs and self._whole(node.elt)
        root: ast.expr | ast.AST = node
        called = False
        while isinstance(root, (ast.Call, ast.Attribute, ast.Subscript)):
            called |= isinstance(root, ast.Call)
            root = root.func if isinstance(root, ast.Call) else root.value
        if not isinstance(root, ast.Name):
            return False
        if root.id in self._names.boxed:
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and root.id in _PULLED:
            others = [*node.args[1:], *(k.value for k in node.keywords)]
            return bool(node.args) and self._whole(node.args[0]) and not any(mentions(o, self._names) for o in others)
        return called and self._names.asks(root.id)


def _used(texts: Iterable[str]) -> set[str]:
    used: set[str] = set()
    for text in texts:
        used |= {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
    return used
