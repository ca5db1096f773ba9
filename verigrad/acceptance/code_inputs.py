"""More inputs of the kind a task's tests have, drawn by a seed: what a reference solution is asked beside the answer.

Only what the tests show to be allowed: numbers between the least and the largest seen in that place and of their type,
texts of seen characters, lists of seen items, sorted where all seen ones are, distinct where all are, of the seen
lengths; lists whose lengths always agree keep them. Left out: inputs of programs that read text (their grammar is not
known), and whether the reference accepts them (code_box drops those it does not).
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from typing import Any


def more(known: Sequence[Sequence[Any]], count: int, *, seed: int) -> list[list[Any]]:
    """Up to `count` argument lists that are none of the known ones nor each other."""
    shapes = {len(args) for args in known}
    if not known or len(shapes) != 1 or not shapes.pop():
        return []
    draw = random.Random(seed)
    found: list[list[Any]] = []
    seen = [list(args) for args in known]
    for _ in range(count * 5):
        if len(found) == count:
            break
        base = list(draw.choice(known))
        made = [_like([args[i] for args in known], base[i], draw, keep=_tied(known)) for i in range(len(base))]
        kept = [
            m if draw.random() < 0.8 or len(base) == 1 else copy.deepcopy(b) for m, b in zip(made, base, strict=True)
        ]
        if _alike(kept, base) and not any(_equal(kept, other) for other in seen):
            found.append(kept)
            seen.append(kept)
    return found


def _tied(known: Sequence[Sequence[Any]]) -> bool:
    """Several arguments have a length: none is changed, for they may have to agree."""
    return sum(isinstance(a, (list, str)) for a in known[0]) > 1


def _like(seen: Sequence[Any], base: Any, draw: random.Random, *, keep: bool) -> Any:
    """A value of the base's type from what was seen in its place."""
    same = [v for v in seen if type(v) is type(base)]
    if isinstance(base, bool):
        return draw.choice(same)
    if isinstance(base, int):
        return draw.randint(min(same), max(same))
    if isinstance(base, float):
        low, high = min(same), max(same)
        return round(draw.uniform(low, high), 3) if high - low < float("inf") else base
    if isinstance(base, str):
        return _text(same, base, draw, keep=keep)
    if isinstance(base, list):
        return _list(same, base, draw, keep=keep)
    if isinstance(base, dict):
        return {k: _like([v[k] for v in same if k in v], item, draw, keep=True) for k, item in base.items()}
    return base


def _text(same: Sequence[str], base: str, draw: random.Random, *, keep: bool) -> str:
    if not all(text.isalpha() for text in same if text):  # a grammar of its own: seen texts only
        return draw.choice(same)
    letters = sorted(set("".join(same)))
    length = len(base) if keep else len(draw.choice(same))
    return "".join(draw.choice(letters) for _ in range(length)) if letters else base


def _list(same: Sequence[list[Any]], base: list[Any], draw: random.Random, *, keep: bool) -> list[Any]:
    pool = [item for one in same for item in one]
    if not pool:
        return []
    length = len(base) if keep else draw.randint(min(map(len, same)), max(map(len, same)))
    numbers = all(type(item) is type(pool[0]) and isinstance(item, (int, float)) for item in pool)
    made: list[Any] = []
    distinct = all(len(one) == len({repr(item) for item in one}) for one in same if len(one) > 1)
    for _ in range(length * 4):
        if len(made) == length:
            break
        new = numbers and draw.random() < 0.5
        item = _like(pool, pool[0], draw, keep=True) if new else copy.deepcopy(draw.choice(pool))
        if not (distinct and item in made):
            made.append(item)
    if numbers and all(one == sorted(one) for one in same):
        made.sort()
    return made


def _alike(made: Sequence[Any], base: Sequence[Any]) -> bool:
    """Where two of the base's numbers were ordered strictly, so are the new ones: a range stays a range."""
    pairs = [(i, i + 1) for i in range(len(base) - 1) if _number(base[i]) and _number(base[i + 1])]
    return all((base[i] < base[j]) == (made[i] < made[j]) for i, j in pairs)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _equal(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return repr(a) == repr(b)
