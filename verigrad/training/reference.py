"""What becomes of a KL term from step to step: a coefficient that adapts, a reference that is replaced.

Left out: the KL itself (losses.kls) and the coefficient's rule (losses.adapted).
"""

from __future__ import annotations

from dataclasses import replace

from verigrad.losses import K1, KlValue, Method, adapted
from verigrad.models import LanguageModel, Working, freeze


def adapts(method: Method) -> bool:
    """Whether the KL coefficient moves after every step."""
    return isinstance(method.kl, K1) and method.kl.target is not None


def with_next_coefficient(method: Method, kl: float, *, n: int) -> tuple[Method, float]:
    """The next step's method and coefficient, after a step of n answers whose mean k1 was `kl` nats a token."""
    assert isinstance(method.kl, K1)
    assert method.kl.target is not None
    moved = adapted(method.kl.coefficient, kl, target=method.kl.target, horizon=method.kl.horizon, n=n)
    return with_coefficient(method, moved), moved


def with_coefficient(method: Method, coefficient: float) -> Method:
    """The method with this KL coefficient."""
    assert isinstance(method.kl, K1)
    return replace(method, kl=replace(method.kl, coefficient=coefficient))


def refresh_every(method: Method) -> int:
    """Steps between replacements of the reference; 0: never."""
    return method.kl.refresh if isinstance(method.kl, KlValue) and method.kl.coefficient > 0 else 0


def due(step: int, *, last: int, every: int) -> bool:
    """Whether the reference is replaced after this step: every so many steps, counted from 1.

    A step that had nothing to train on passes without; the next one then makes up for it. `last`: the step of the last
    replacement, 0 if there was none.
    """
    return step // every > last // every


def replaced(policy: LanguageModel) -> Working:
    """A reference that is the policy as it is now, adapters and all."""
    return Working(freeze(policy, now=True))
