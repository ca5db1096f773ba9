"""What is written, as a hashable form: order of sums and products and of sides aside, nothing worked out.

Two texts of one shape restate each other. Left out: equality of values (comparing).
"""

from __future__ import annotations

from collections.abc import Sequence as Items

from verigrad.rewards.mathematics.trees import Node, Relation, Scalar, Value


def family(value: Relation) -> str:
    """The sign of a relation, turned so that it points to the right."""
    sign = value.signs[0]
    return {"=": "=", "<": "<", ">": "<", "\\le": "<=", "\\ge": "<=", "\\ne": "!="}.get(sign, sign)


def shape(value: Value) -> object:
    """A hashable form of what is written, the order of sums and products and of sides aside; nothing is worked out."""
    if isinstance(value, Scalar):
        return "scalar", _shape(value.node)
    if isinstance(value, Relation):
        return "relation", family(value), frozenset(shape(s) for s in value.sides)
    return value


def _shape(node: Node) -> object:
    args: Items[object] = [_shape(a) for a in node.args]
    if node.op in ("add", "mul"):
        args = sorted(args, key=repr)
    return (node.op, tuple(args), node.value)
