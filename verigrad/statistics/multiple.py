"""Several tests at once: Holm's adjusted p-values.

Left out: which tests belong together, and any decision (acceptance).
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjusted p-values [M], in the order given (Holm 1979, Scand. J. Statist. 6).

    With p_(1) <= ... <= p_(M): adjusted p_(i) = max over j <= i of min(1, (M - j + 1) p_(j)). All tests whose adjusted
    p is below a level may be read as shown at once; the chance that one of them is false is then at most that level,
    however the tests depend on each other. ValueError for a p outside [0, 1].
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03, 0.005])]
    [0.03, 0.06, 0.06, 0.02]
    """
    if any(not 0.0 <= p <= 1.0 or math.isnan(p) for p in p_values):
        raise ValueError(f"p-values lie in [0, 1], not {list(p_values)}")
    num, least = len(p_values), 0.0
    adjusted = [0.0] * num
    for rank, i in enumerate(sorted(range(num), key=lambda i: p_values[i])):
        least = max(least, min(1.0, (num - rank) * p_values[i]))
        adjusted[i] = least
    return tuple(adjusted)
