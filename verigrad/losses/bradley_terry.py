"""The loss of a reward model: Bradley and Terry's likelihood of the pairs, with margins and centring.

-log sigmoid(r_chosen - r_rejected - margin) + center x (r_chosen + r_rejected)^2, mean over the update's pairs
(InstructGPT, arXiv:2203.02155, eq. 1; margin: Llama 2, arXiv:2307.09288, eq. 2; centring: arXiv:2312.09244, eq. 2;
TRL 1.16 recommends 0.01). Shapes: [B] pairs. Left out: the model that gives the rewards (models.scorer), its loop.
"""

# ruff: noqa: F722
from __future__ import annotations

from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import logsigmoid


def bradley_terry(
    chosen_B: Float[Tensor, " B"],
    rejected_B: Float[Tensor, " B"],
    margin_B: Float[Tensor, " B"] | None = None,
    *,
    center: float,
    pairs: int,
) -> tuple[Float[Tensor, ""], dict[str, float]]:
    """These pairs' share of the loss of an update of `pairs` pairs, with gradient, and of its metrics.

    `chosen_B`, `rejected_B`: rewards, unit of the score itself. `margin_B`: how much better the chosen answer was said
    to be, in the same unit; None is 0. `center`: weight of the squared sum, which fixes the rewards' free constant; 0
    leaves it free. Metrics: loss/policy; preference/right, share of pairs whose chosen answer scores higher (a tie is
    not right, the margin does not count); preference/margin, mean difference. Add up micro-batches.
    """
    difference_B = chosen_B - rejected_B
    beyond_B = difference_B if margin_B is None else difference_B - margin_B.to(difference_B)
    loss_B = -logsigmoid(beyond_B) + center * (chosen_B + rejected_B) ** 2
    value = loss_B.sum() / pairs
    sums = {
        "loss/policy": value.item(),
        "preference/right": (difference_B > 0).sum().item() / pairs,
        "preference/margin": difference_B.detach().double().sum().item() / pairs,
    }
    return value, sums
