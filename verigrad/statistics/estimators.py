"""What k draws of n say: pass@k, pass^k, best of N, majority vote. Unbiased, from the n draws there are.

Left out: which answers count as equal (the caller canonicalises first).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence


def pass_at_k(n: int, c: int, k: int) -> float:
    """P(at least one of k draws is right), from c right of n: 1 - C(n-c, k)/C(n, k), in product form.

    Chen et al. 2021 (arXiv:2107.03374, eq. 1); 1 - (1 - c/n)^k is biased low. ValueError unless 0 <= c <= n and
    1 <= k <= n.
    >>> round(pass_at_k(10, 3, 5), 7)
    0.9166667
    """
    _check(n, c, k)
    if n - c < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(n - c + 1, n + 1))


def pass_hat_k(n: int, c: int, k: int) -> float:
    """P(all k draws are right), from c right of n: C(c, k)/C(n, k) (Yao et al., arXiv:2406.12045)."""
    _check(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def best_of_n(scores: Sequence[float], n: int) -> float:
    """Expected best score of n of the M draws: sum_i C(i-1, n-1)/C(M, n) x_(i), x sorted ascending, i from 1."""
    if not 1 <= n <= len(scores):
        raise ValueError(f"n is in 1..{len(scores)}, not {n}")
    return sum(math.comb(i, n - 1) * x for i, x in enumerate(sorted(scores))) / math.comb(len(scores), n)


def best_of_n_kl(n: int) -> float:
    """Upper bound log n - (n-1)/n, in nats, of KL(best of n || policy) (Beirami et al., arXiv:2401.01879)."""
    if n < 1:
        raise ValueError(f"n is at least 1, not {n}")
    return math.log(n) - (n - 1) / n


def majority_at_k(answers: Sequence[Hashable | None], right: Hashable, k: int) -> float:
    """P(the majority of k of the given draws is `right`), exactly over all subsets; a tie is split evenly.

    None stands for an answer nobody could read: it takes a place and never wins. answers are canonical already, so
    equal answers are equal values. ValueError unless 1 <= k <= number of answers.
    """
    if not 1 <= k <= len(answers):
        raise ValueError(f"k is in 1..{len(answers)}, not {k}")
    counts: dict[Hashable, int] = {}
    for a in answers:
        if a is not None:
            counts[a] = counts.get(a, 0) + 1
    mine, unread = counts.pop(right, 0), sum(a is None for a in answers)
    won = 0.0
    for r in range(1, min(mine, k) + 1):
        # ways[(used, ties)]: choices of the other classes with no class above r and `ties` classes at r
        ways = {(r, 0): math.comb(mine, r)}
        for count in counts.values():
            wider: dict[tuple[int, int], int] = {}
            for (used, ties), w in ways.items():
                for take in range(min(count, r, k - used) + 1):
                    state = (used + take, ties + (take == r))
                    wider[state] = wider.get(state, 0) + w * math.comb(count, take)
            ways = wider
        won += sum(w * math.comb(unread, k - used) / (1 + ties) for (used, ties), w in ways.items())
    return won / math.comb(len(answers), k)


def _check(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"0 <= c <= n and 1 <= k <= n, not n={n}, c={c}, k={k}")
