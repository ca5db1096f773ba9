"""Intervals, unions of them and inequalities in one variable, as pieces of the real line in order.

Only what is already solved is read: x > 3, not 2x > 6. Ends are exact; they are put in order by their decimals. Left
out: regions of the plane, comparing ends (comparing).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from verigrad.rewards.mathematics import numerics
from verigrad.rewards.mathematics.trees import Bracketed, Node, Piece, Region, Scalar, Unread, Value

_INFINITE = Decimal("Infinity")
_FLIPPED = {"<": ">", ">": "<", "\\le": "\\ge", "\\ge": "\\le"}
LINE = Region((Piece(None, False, None, False),))


def infinite(value: Value) -> int:
    """1 or -1 for an infinity, 0 for anything else."""
    if not isinstance(value, Scalar):
        return 0
    node, sign = value.node, 1
    while node.op == "neg":
        node, sign = node.args[0], -sign
    return sign if node.op == "const" and node.value == "inf" else 0


def symbols(node: Node) -> frozenset[str]:
    """Names of the variables in an expression."""
    if node.op == "sym":
        return frozenset([str(node.value)])
    return frozenset().union(*(symbols(a) for a in node.args)) if node.args else frozenset()


def of_bracketed(value: Bracketed) -> Region | None:
    """(a, b], [a, b), ]a, b[ as an interval; None where it can be none."""
    if len(value.items) != 2 or value.left not in "([]" or value.right not in ")][":
        return None
    low, high = value.items
    if not (isinstance(low, Scalar) and isinstance(high, Scalar)):
        return None
    left, right = infinite(low), infinite(high)
    if left > 0 or right < 0:
        return None
    piece = Piece(
        None if left else low, value.left == "[" and not left, None if right else high, value.right == "]" and not right
    )
    a, b = _low(piece), _high(piece)
    return Region((piece,)) if a is not None and b is not None and a < b else None


def of_points(values: Sequence[Value]) -> Region:
    """Single points. Raises Unread for what is no real number."""
    out = Region(())
    for value in values:
        if not isinstance(value, Scalar) or numerics.value(value.node) is None:
            raise Unread("a point that is no real number")
        out = union(out, Region((Piece(value, True, value, True),)))
    return out


def of_relation(sides: Sequence[Value], signs: Sequence[str]) -> Region | None:
    """A solved inequality (1 <= x < 4, x != 2) as a region; None unless one variable stands alone there."""
    nodes = [s.node if isinstance(s, Scalar) else None for s in sides]
    bare = [i for i, n in enumerate(nodes) if n is not None and n.op == "sym"]
    constants = all(n is not None and (i in bare or not symbols(n)) for i, n in enumerate(nodes))
    if len(bare) != 1 or not constants or len(sides) > 3:
        return None
    at, out = bare[0], LINE
    name = str(nodes[at].value) if nodes[at] is not None else ""  # type: ignore[union-attr]
    if len(sides) == 3 and (at != 1 or _direction(signs[0]) != _direction(signs[1])):
        return None
    for i, sign in enumerate(signs):
        other = sides[i] if i != at else sides[i + 1]
        if i != at:
            sign = _FLIPPED.get(sign, sign)
        if not isinstance(other, Scalar) or (numerics.value(other.node) is None and not infinite(other)):
            return None
        out = intersection(out, _half(sign, other))
    return Region(out.pieces, label=name)


def _direction(sign: str) -> str:
    return sign[-1:] if sign in "<>" else {"\\le": "<", "\\ge": ">"}.get(sign, sign)


def _half(sign: str, end: Scalar) -> Region:
    side = infinite(end)
    if sign == "\\ne":
        return Region((Piece(None, False, end, False), Piece(end, False, None, False)))
    if sign in ("<", "\\le"):
        return LINE if side > 0 else Region((Piece(None, False, end, sign == "\\le"),))
    return LINE if side < 0 else Region((Piece(end, sign == "\\ge", None, False),))


def _low(piece: Piece) -> Decimal | None:
    return -_INFINITE if piece.low is None else numerics.value(piece.low.node)


def _high(piece: Piece) -> Decimal | None:
    return _INFINITE if piece.high is None else numerics.value(piece.high.node)


def _ends(piece: Piece) -> tuple[Decimal, Decimal]:
    low, high = _low(piece), _high(piece)
    if low is None or high is None:
        raise Unread("an end of an interval that is no real number")
    return low, high


def union(a: Region, b: Region) -> Region:
    """Both together, touching pieces joined."""
    pieces = sorted([*a.pieces, *b.pieces], key=lambda p: (_ends(p)[0], not p.low_closed))
    out: list[Piece] = []
    for piece in pieces:
        if out:
            last = out[-1]
            high, low = _ends(last)[1], _ends(piece)[0]
            touching = not numerics.apart(high, low) if high.is_finite() and low.is_finite() else high == low
            if (touching and (last.high_closed or piece.low_closed)) or (not touching and low < high):
                further = _ends(piece)[1]
                if further > high or (further == high and piece.high_closed):
                    out[-1] = Piece(last.low, last.low_closed, piece.high, piece.high_closed)
                continue
        out.append(piece)
    return Region(tuple(out), label=a.label or b.label)


def intersection(a: Region, b: Region) -> Region:
    """What is in both."""
    out: list[Piece] = []
    for p in a.pieces:
        for q in b.pieces:
            (p_low, p_high), (q_low, q_high) = _ends(p), _ends(q)
            first = p if (p_low, not p.low_closed) >= (q_low, not q.low_closed) else q
            last = p if (p_high, p.high_closed) <= (q_high, q.high_closed) else q
            piece = Piece(first.low, first.low_closed, last.high, last.high_closed)
            a_end, b_end = _ends(piece)
            if a_end < b_end or (a_end == b_end and first.low_closed and last.high_closed):
                out.append(piece)
    return Region(tuple(out), label=a.label or b.label)


def complement(a: Region) -> Region:
    """The rest of the line."""
    out = LINE
    for piece in a.pieces:
        rest: list[Piece] = []
        if piece.low is not None:
            rest.append(Piece(None, False, piece.low, not piece.low_closed))
        if piece.high is not None:
            rest.append(Piece(piece.high, not piece.high_closed, None, False))
        out = intersection(out, Region(tuple(rest)))
    return out
