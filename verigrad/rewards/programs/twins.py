"""unittest's assertions as expressions, and what a test expects to be raised. Left out: everything about programs."""

from __future__ import annotations

import ast
from collections.abc import Mapping


class Uncompiled(ValueError):
    """A test that cannot be written as calls and a condition on their values."""


_TWINS: Mapping[str, str] = {
    "assertEqual": "{0} == {1}",
    "assertEquals": "{0} == {1}",
    "assertNotEqual": "{0} != {1}",
    "assertTrue": "{0}",
    "assertFalse": "not {0}",
    "assertIs": "{0} is {1}",
    "assertIsNot": "{0} is not {1}",
    "assertIsNone": "{0} is None",
    "assertIsNotNone": "{0} is not None",
    "assertIn": "{0} in {1}",
    "assertNotIn": "{0} not in {1}",
    "assertIsInstance": "isinstance({0}, {1})",
    "assertNotIsInstance": "not isinstance({0}, {1})",
    "assertGreater": "{0} > {1}",
    "assertGreaterEqual": "{0} >= {1}",
    "assertLess": "{0} < {1}",
    "assertLessEqual": "{0} <= {1}",
    "assertListEqual": "{0} == {1}",
    "assertTupleEqual": "{0} == {1}",
    "assertSetEqual": "{0} == {1}",
    "assertDictEqual": "{0} == {1}",
    "assertMultiLineEqual": "{0} == {1}",
    "assertSequenceEqual": "list({0}) == list({1})",
    "assertCountEqual": "counted({0}, {1})",
    "assertRegex": "bool(re.search({1}, {0}))",
    "assertNotRegex": "not re.search({1}, {0})",
}
_ALMOST = {"assertAlmostEqual": "almost({})", "assertNotAlmostEqual": "not almost({})"}
_PRIVATE = ("self", "cls")


def twin(call: ast.Call) -> ast.expr | None:
    """The condition that `self.assertX(...)` asserts; None where the call is no assertion. Raises Uncompiled."""
    name = method(call)
    if name is None or not name.startswith("assert") or name.startswith("assertRaises"):
        return None
    given = [f"({ast.unparse(a)})" for a in call.args]
    if any(isinstance(a, ast.Starred) for a in call.args):
        raise Uncompiled("an assertion with starred arguments")
    if name in _ALMOST:
        named = [f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords if k.arg in ("places", "delta")]
        return expression(_ALMOST[name].format(", ".join([*given[:3], *named])))
    template = _TWINS.get(name)
    if template is None:
        raise Uncompiled(f"an assertion this version does not read, {name}")
    if len(given) < 1 + ("{1}" in template):
        raise Uncompiled(f"{name} without its arguments")
    return expression(template.format(*given))


def method(call: ast.Call) -> str | None:
    """X of `self.X(...)`, else None."""
    func = call.func
    ours = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in _PRIVATE
    return func.attr if ours and isinstance(func, ast.Attribute) else None


def raising(call: ast.Call) -> tuple[tuple[str, ...], str, ast.expr | None] | None:
    """Class names, pattern and the call that must raise (None: a with block's), where this is assertRaises or
    pytest.raises; else None. Raises Uncompiled.
    """
    func, name = call.func, method(call)
    is_pytest = isinstance(func, ast.Attribute) and func.attr == "raises" and ast.unparse(func.value) == "pytest"
    if not is_pytest and name not in ("assertRaises", "assertRaisesRegex"):
        return None
    args = list(call.args)
    if not args:
        raise Uncompiled("an exception without its class")
    names, pattern = classes(args.pop(0)), ""
    match = next((k.value for k in call.keywords if k.arg in ("match", "expected_regex")), None)
    if name == "assertRaisesRegex" and match is None and args:
        match = args.pop(0)
    if match is not None:
        if not isinstance(match, ast.Constant) or not isinstance(match.value, str):
            raise Uncompiled("a message pattern that is no text")
        pattern = match.value
    if not args:
        return names, pattern, None
    named = [k for k in call.keywords if k.arg not in ("match", "expected_regex")]
    first = args[0]
    if isinstance(first, ast.Lambda) and len(args) == 1 and not named:
        return names, pattern, first.body
    return names, pattern, ast.Call(func=first, args=args[1:], keywords=named)


def classes(node: ast.expr) -> tuple[str, ...]:
    """Names of the exception classes. Raises Uncompiled."""
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    if not all(isinstance(n, (ast.Name, ast.Attribute)) for n in nodes):
        raise Uncompiled("exception classes that are no names")
    return tuple(ast.unparse(n).rsplit(".", 1)[-1] for n in nodes)


def expression(text: str) -> ast.expr:
    """The text parsed. Raises Uncompiled."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Uncompiled(f"no expression: {str(error)[:60]}") from None
