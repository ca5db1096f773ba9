"""The prime factors of a number, joined by x or *, and nothing else.

Right, for {"n": 12}: "2 x 2 x 3", "3*2*2", "2 × 2 × 3", "<answer>2 x 2 x 3</answer>".
Refused: "2 x 6", "4 x 3", "2^2 x 3", "1 x 2 x 2 x 3", "The answer is 2 x 2 x 3" (prose around the factors), "12".

The gold holds `n` (from 2) and optionally `answer`. The policy that prose is refused is the task's own format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from verigrad.records import Task
from verigrad.rewards.logic import Judged
from verigrad.rewards.spans import committed_text
from verigrad.rewards.tokens import TooBig, Unread

MAX_N = 10**18
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def check(truth: Mapping[str, Any]) -> str:
    """Why this gold cannot be read."""
    n = truth.get("n")
    fits = isinstance(n, int) and not isinstance(n, bool) and 2 <= n <= MAX_N
    return "" if fits else f"n wants a whole number from 2 to {MAX_N}"


def judge(answer: str, truth: Mapping[str, Any], *, task: Task, seconds: float) -> Judged:
    """Whether the answer is the prime factors."""
    text = committed_text(answer, cues=False)
    if len(text) > 400:
        raise TooBig("a list of factors of more than 400 characters")
    plain = re.sub(r"\\times|\\cdot|[×·⋅∗xX]", "*", text)
    if not re.fullmatch(r"[ \t]*[0-9]{1,19}(?:[ \t]*\*[ \t]*[0-9]{1,19})*[ \t]*", plain):
        raise Unread("not factors joined by x or *")
    factors = [int(part) for part in plain.split("*")]
    product = 1
    for factor in factors:
        product *= factor
        if product > MAX_N:
            break
    if product != truth["n"]:
        return Judged(ok=False, read=text, reason="another product")
    composite = next((f for f in factors if not is_prime(f)), None)
    return Judged(ok=composite is None, read=text, reason=f"{composite} is not prime")


def example(truth: Mapping[str, Any]) -> str | None:
    """The gold's own answer, or the factors by trial division of a small number."""
    if isinstance(truth.get("answer"), str):
        return str(truth["answer"])
    n, factors = truth["n"], list[int]()
    for d in (2, *range(3, 100_000, 2)):
        if d * d > n:
            break
        while n % d == 0:
            factors.append(d)
            n //= d
    if n > 1 and not is_prime(n):
        return None
    return " x ".join(map(str, factors + ([n] if n > 1 else [])))


def is_prime(n: int) -> bool:
    """Miller-Rabin with the first twelve primes: exact below 3.3e24 (Sorenson and Webster 2015)."""
    if n < 2 or any(n % p == 0 for p in _BASES):
        return n in _BASES
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for base in _BASES:
        x = pow(base, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True
