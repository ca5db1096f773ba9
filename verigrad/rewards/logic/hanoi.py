r"""Moves that bring every disk of a Tower of Hanoi from one peg to another, by its rules; the shortest way or a longer.

Right, for {"disks": 2, "start": "A", "goal": "C"}: "Move disk 1 from A to B\nMove disk 2 from A to C\nMove disk 1 from
B to C", "A->B, A->C, B->C".
Refused: a larger disk on a smaller one, a disk that is not on top, a move the text says of another disk, disks left
behind, no move at all.

The gold holds `disks`, `start` and `goal` (a peg's name, or the pegs as lists from the bottom up), optionally `pegs`
(names; else 1 2 3, or A B C) and `oracle`. Moves after the goal is reached count too: the end must be the goal.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards.logic import Judged
from verigrad.rewards.spans import committed_text
from verigrad.rewards.tokens import TooBig, Unread

MAX_DISKS = 16
MAX_MOVES = 200_000 // 16
MAX_TEXT = 300_000
MAX_PIECE = 300
State = tuple[tuple[int, ...], ...]

_SPOKEN = re.compile(
    r"(?:disk|disc)s?\s*#?(?P<disk>[0-9]{1,3})\s*(?::|is moved|goes)?\s*from\s+(?:the\s+)?(?:peg|rod|tower|stack)?\s*"
    r"(?P<a>\w{1,12})\s+(?:on)?to\s+(?:the\s+)?(?:peg|rod|tower|stack)?\s*(?P<b>\w{1,12})",
    re.IGNORECASE,
)
_ARROW = re.compile(
    r"(?:(?:disk|disc)?\s*(?P<disk>[0-9]{1,3})\s*:\s*)?(?:peg|rod)?\s*(?P<a>\w{1,12})\s*(?:->|→|-->|=>|\bto\b)\s*"
    r"(?:peg|rod)?\s*(?P<b>\w{1,12})",
    re.IGNORECASE,
)


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    try:
        _states(truth)
    except Unread as error:
        return str(error)
    return ""


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the moves lead from start to goal."""
    names, start, goal = _states(truth)
    moves = _moves(committed_text(answer, cues=False, limit=MAX_TEXT), names)
    read = f"{len(moves)} moves"
    pegs = [list(peg) for peg in start]
    for number, (disk, a, b) in enumerate(moves, 1):
        if not pegs[a] or (disk is not None and pegs[a][-1] != disk):
            return Judged(ok=False, read=read, reason=f"move {number}: that disk is not on top")
        if pegs[b] and pegs[b][-1] < pegs[a][-1] and a != b:
            return Judged(ok=False, read=read, reason=f"move {number}: a larger disk on a smaller one")
        pegs[b].append(pegs[a].pop())
    done = tuple(tuple(peg) for peg in pegs) == goal
    return Judged(ok=done, read=read, reason="the goal is not reached")


def example(truth: Mapping[str, Any]) -> str | None:
    """The oracle, the three-peg recursion, or a search over few disks."""
    for key in ("oracle", "answer"):
        if isinstance(truth.get(key), str):
            return str(truth[key])
    names, start, goal = _states(truth)
    whole = [peg for peg in start if peg], [peg for peg in goal if peg]
    if len(whole[0]) == len(whole[1]) == 1 and len(names) >= 3:
        if len(whole[0][0]) > 12:
            return None
        a, b = start.index(whole[0][0]), goal.index(whole[1][0])
        moves = _towers(len(whole[0][0]), a, b, next(i for i in range(len(names)) if i not in (a, b))) if a != b else []
    elif sum(map(len, start)) <= 6:
        moves = _shortest(start, goal)
    else:
        return None
    return "\n".join(f"Move disk {d} from Peg {names[i]} to Peg {names[j]}" for d, i, j in moves) or None


def _states(truth: Mapping[str, Any]) -> tuple[list[str], State, State]:
    """Names of the pegs, and both states. Raises Unread."""
    disks, start, goal = truth.get("disks"), truth.get("start"), truth.get("goal")
    if isinstance(disks, bool) or not isinstance(disks, int) or not 1 <= disks <= MAX_DISKS:
        raise Unread(f"disks wants a whole number from 1 to {MAX_DISKS}")
    pegs = truth.get("pegs")
    if isinstance(pegs, int) and not isinstance(pegs, bool) and 3 <= pegs <= 10:
        pegs = list(range(1, pegs + 1))
    if pegs is None:
        letters = isinstance(start, str) and not _name(start).isdigit()
        pegs = (
            (["A", "B", "C"] if letters else [1, 2, 3])
            if not isinstance(start, list)
            else list(range(1, len(start) + 1))
        )
    if not isinstance(pegs, (list, tuple)) or not 2 <= len(pegs) <= 10:
        raise Unread("pegs want a list of names")
    names = [_name(p) for p in pegs]
    if len(set(names)) != len(names):
        raise Unread("two pegs of one name")
    return names, _state(start, names, disks), _state(goal, names, disks)


def _state(given: Any, names: list[str], disks: int) -> State:
    if isinstance(given, (list, tuple)):
        state = tuple(tuple(peg) for peg in given if isinstance(peg, (list, tuple)))
        whole_set = sorted(d for peg in state for d in peg) == list(range(1, disks + 1))
        if len(state) == len(names) and whole_set and all(list(p) == sorted(p, reverse=True) for p in state):
            return state
        raise Unread("a state that is no state of these disks")
    if isinstance(given, bool) or not isinstance(given, (str, int)) or _name(given) not in names:
        raise Unread(f"no peg {str(given)[:20]!r}")
    whole = tuple(range(disks, 0, -1))
    return tuple(whole if name == _name(given) else () for name in names)


def _name(peg: Any) -> str:
    return re.sub(r"^(?:PEG|ROD|TOWER)\s*", "", str(peg).strip().upper())


def _moves(text: str, names: list[str]) -> list[tuple[int | None, int, int]]:
    moves: list[tuple[int | None, int, int]] = []
    pieces = [piece for line in text.split("\n") for piece in re.split(r"[,;]", line)]
    for piece in pieces:
        if len(piece) > MAX_PIECE:
            raise Unread("a line that is no move")
        bare = re.sub(
            r"^[\s*#-]*(?:(?:step|move)?\s*\(?[0-9]{1,5}[.):]\)?\s+)?[\s*\"'\[]*", "", piece, flags=re.IGNORECASE
        )
        match = _SPOKEN.search(bare) or _ARROW.fullmatch(bare.strip(" .*`\"'()[]"))
        if match is None:
            if re.search(r"->|→|\bdis[ck]\s*#?[0-9]+\s*(?::|is|goes|from)", piece, re.IGNORECASE):
                raise Unread(f"no move: {piece.strip()[:40]!r}")
            continue
        a, b = match["a"].upper(), match["b"].upper()
        if a not in names or b not in names:
            raise Unread(f"no such peg: {piece.strip()[:40]!r}")
        moves.append((int(match["disk"]) if match["disk"] else None, names.index(a), names.index(b)))
        if len(moves) > MAX_MOVES:
            raise TooBig(f"more than {MAX_MOVES:,} moves")
    if not moves:
        raise Unread("no moves")
    return moves


def _towers(n: int, a: int, b: int, other: int) -> list[tuple[int, int, int]]:
    if n == 0:
        return []
    return [*_towers(n - 1, a, other, b), (n, a, b), *_towers(n - 1, other, b, a)]


def _shortest(start: State, goal: State) -> list[tuple[int, int, int]]:
    came: dict[State, tuple[State, tuple[int, int, int]] | None] = {start: None}
    waiting = deque([start])
    while waiting and goal not in came:
        state = waiting.popleft()
        for i, a in enumerate(state):
            for j, b in enumerate(state):
                if a and i != j and (not b or b[-1] > a[-1]):
                    pegs = [*state]
                    pegs[i], pegs[j] = a[:-1], (*b, a[-1])
                    after = tuple(pegs)
                    if after not in came:
                        came[after] = (state, (a[-1], i, j))
                        waiting.append(after)
    moves: list[tuple[int, int, int]] = []
    at = came.get(goal)
    while at is not None:
        moves.append(at[1])
        at = came[at[0]]
    return moves[::-1]
