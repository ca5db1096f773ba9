"""Policy losses beside TRL 1.16 and verl 0.9.1, on identical inputs: loss and gradient.

    python -m benchmarks.peers.policy_peers [--smoke]

What a model would have said is made up: log-probs of policy, old policy and reference for answers of different lengths,
three groups of four, rewards with levels, one group without differences. Both sides turn it into advantages, a loss and
the gradient by every log-prob. Every case says beforehand whether they must agree, and where not, why: what the peer
does, and what we (the paper) do. Either way round is a failure. Left out: speed, and losses a peer has and we do not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.common import ENVIRONMENTS, ROOT
from benchmarks.peers.preference_peers import table
from verigrad.losses import Critic, advantages, build, policy_loss, value_loss
from verigrad.records import Batch, Signal, totals_of

GROUP, BUDGET = 4, 9
PYTHON = {"TRL": ENVIRONMENTS["trl"], "verl": ROOT / ".envs/verl/bin/python"}
SIDES = {"TRL": "benchmarks.peers.policy_trl", "verl": "benchmarks.peers.policy_verl"}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One loss on both sides."""

    name: str
    """What the table calls it."""
    peer: str
    """TRL or verl."""
    ours: str
    """Our method."""
    axes: Mapping[str, Any] = field(default_factory=dict)
    """What of it is changed, as a recipe says it."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """The peer's arguments."""
    trainer: str = "grpo"
    """TRL's trainer (grpo, rloo), or verl's advantage estimator."""
    policy: str = "new"
    """new: the policy has moved since the answers were drawn; old: it has not."""
    parts: int = 1
    """Micro-batches of the peer; ours is always the whole step at once."""
    gradient_only: bool = False
    """The peer's loss has another value by its form (a ratio where ours has a log-prob), and may have our gradient."""
    tolerance: float = 2e-6
    """Relative; both peers compute advantages in float32."""
    deviation: str = ""
    """What the peer does otherwise; empty: the two must agree."""


def _std(epsilon: float) -> dict[str, Any]:
    return {"ddof": 1, "epsilon": epsilon}


TRL_GRPO = {"scale": _std(1e-4), "kl": "none"}
VERL_GRPO = {"scale": _std(1e-6), "kl": "none", "clip": {"dual": 3.0}}
VERL_MEAN = "seq-mean-token-mean"
RANGE = "its clip range stays 0.2, which a sequence's ratio hardly ever leaves; the paper's is 3e-4 and 4e-4"
STD = "its std is the sample's (ddof 1) plus 1e-4; the paper writes std(.) and ours is the population's"
CASES: tuple[Case, ...] = (
    Case(name="grpo", peer="TRL", ours="grpo", axes=TRL_GRPO, config={"loss_type": "grpo"}),
    Case(name="grpo in 2 micro-batches", peer="TRL", ours="grpo", axes=TRL_GRPO, config={"loss_type": "grpo"}, parts=2),
    Case(name="grpo, our std", peer="TRL", ours="grpo", axes={"kl": "none"}, config={"loss_type": "grpo"},
         deviation=STD),
    Case(name="grpo with KL", peer="TRL", ours="grpo", axes={"scale": _std(1e-4)},
         config={"loss_type": "grpo", "beta": 0.04, "use_bias_correction_kl": False}),
    Case(name="grpo with TRL's KL", peer="TRL", ours="grpo",
         axes={"scale": _std(1e-4), "kl": {"name": "ratio_k3", "coefficient": 0.04}},
         config={"loss_type": "grpo", "beta": 0.04}),
    Case(name="grpo with the paper's KL", peer="TRL", ours="grpo", axes={"scale": _std(1e-4)},
         config={"loss_type": "grpo", "beta": 0.04},
         deviation="its KL is weighed by the ratio unless told not to (use_bias_correction_kl); the paper's is not"),
    Case(name="grpo as TRL sets it", peer="TRL", ours="grpo", axes=TRL_GRPO,
         deviation="its default loss_type is dapo, the token mean of the step; the paper takes each answer's first"),
    Case(name="dr_grpo", peer="TRL", ours="dr_grpo", config={"loss_type": "dr_grpo", "scale_rewards": "none"}),
    Case(name="dr_grpo as TRL sets it", peer="TRL", ours="dr_grpo", config={"loss_type": "dr_grpo"},
         deviation="its dr_grpo changes the denominator alone and keeps dividing by the std"),
    Case(name="dr_grpo without the constant", peer="TRL", ours="dr_grpo", axes={"aggregation": "sequence_sum"},
         config={"loss_type": "luspo", "scale_rewards": "none"}),
    Case(name="dapo's denominator", peer="TRL", ours="dapo", axes={"scale": _std(1e-4), "aggregation": "token_mean"},
         config={"loss_type": "dapo", "epsilon_high": 0.28}),
    Case(name="dapo's denominator in 2 micro-batches", peer="TRL", ours="dapo",
         axes={"scale": _std(1e-4), "aggregation": "token_mean"},
         config={"loss_type": "dapo", "epsilon_high": 0.28}, parts=2),
    Case(name="dapo, the paper's denominator", peer="TRL", ours="dapo", axes={"scale": _std(1e-4)},
         config={"loss_type": "dapo", "epsilon_high": 0.28},
         deviation="its token mean is the step's; the paper's (eq. 8) is the group's, then the mean over groups"),
    Case(name="token mean by micro-batch", peer="TRL", ours="dapo",
         axes={"scale": _std(1e-4), "aggregation": "token_mean", "clip": {"high": 0.2}},
         config={"loss_type": "bnpo"}, parts=2,
         deviation="its bnpo takes the token mean of each micro-batch; ours does not change with the split"),
    Case(name="gspo", peer="TRL", ours="gspo", axes={"scale": _std(1e-4)},
         config={"loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon": 3e-4, "epsilon_high": 4e-4}),
    Case(name="gspo with TRL's clip", peer="TRL", ours="gspo", axes={"scale": _std(1e-4)},
         config={"loss_type": "grpo", "importance_sampling_level": "sequence"},
         deviation=RANGE),
    Case(name="cispo", peer="TRL", ours="cispo",
         axes={"scale": _std(1e-4), "aggregation": "token_mean"}, config={"loss_type": "cispo", "epsilon_high": 5.0}),
    Case(name="cispo as TRL sets it", peer="TRL", ours="cispo",
         axes={"scale": _std(1e-4), "aggregation": "token_mean"}, config={"loss_type": "cispo"},
         deviation="its epsilon_high is the cap itself, and 0.2 by default: every gradient to a fifth and less"),
    Case(name="lite_ppo", peer="TRL", ours="lite_ppo", axes={"scale": {"epsilon": 1e-4}},
         config={"loss_type": "dapo", "scale_rewards": "batch"}),
    Case(name="rloo, first update", peer="TRL", ours="rloo", axes={"kl": {"coefficient": 0.05}}, trainer="rloo",
         config={"beta": 0.05}, policy="old", gradient_only=True),
    Case(name="rloo", peer="TRL", ours="rloo", axes={"kl": {"coefficient": 0.05}}, trainer="rloo",
         config={"beta": 0.05}, gradient_only=True,
         deviation="it clips the ratio of the whole answer (a product over its tokens) at 0.2; the paper has no ratio"),
    Case(name="grpo", peer="verl", ours="grpo", axes=VERL_GRPO, config={"loss_agg_mode": VERL_MEAN}),
    Case(name="grpo without its dual clip", peer="verl", ours="grpo", axes={"scale": _std(1e-6), "kl": "none"},
         config={"loss_agg_mode": VERL_MEAN},
         deviation="it bounds the loss at ratio 3 where A < 0 (dual clip), on by default; not in the paper"),
    Case(name="dapo's denominator", peer="verl", ours="dapo",
         axes={"scale": _std(1e-6), "aggregation": "token_mean", "clip": {"dual": 10.0}},
         config={"loss_agg_mode": "token-mean", "clip_ratio_high": 0.28, "clip_ratio_c": 10.0}),
    Case(name="dr_grpo", peer="verl", ours="dr_grpo", axes={"clip": {"dual": 3.0}},
         config={"norm_adv_by_std_in_grpo": False, "loss_agg_mode": "seq-mean-token-sum-norm",
                 "loss_scale_factor": BUDGET}),
    Case(name="dr_grpo without its constant set", peer="verl", ours="dr_grpo", axes={"clip": {"dual": 3.0}},
         config={"norm_adv_by_std_in_grpo": False, "loss_agg_mode": "seq-mean-token-sum-norm"},
         deviation="its divisor is the padded width of the batch unless loss_scale_factor is set; the paper's code has "
         "the longest an answer may be"),
    Case(name="gspo", peer="verl", ours="gspo_token", axes={"scale": _std(1e-6)},
         config={"loss": "gspo", "loss_agg_mode": VERL_MEAN, "clip_ratio_low": 3e-4, "clip_ratio_high": 4e-4}),
    Case(name="gspo as verl sets it", peer="verl", ours="gspo_token", axes={"scale": _std(1e-6)},
         config={"loss": "gspo", "loss_agg_mode": VERL_MEAN},
         deviation=RANGE),
    Case(name="cispo", peer="verl", ours="cispo",
         axes={"scale": _std(1e-6), "aggregation": "token_mean", "clip": {"cap": 1.2, "floor": 0.8}},
         config={"loss": "cispo", "loss_agg_mode": "token-mean"}),
    Case(name="rloo under a clip", peer="verl", ours="rloo", trainer="rloo",
         axes={"kl": "none", "ratio": "token", "clip": {"name": "pessimistic", "dual": 3.0},
               "aggregation": "token_mean"}, config={"loss_agg_mode": "token-mean"}),
    Case(name="rloo", peer="verl", ours="rloo", trainer="rloo", axes={"kl": "none"},
         config={"loss_agg_mode": "token-mean"}, gradient_only=True,
         deviation="it puts RLOO under a token ratio, PPO's clip and the token mean; the paper has neither"),
    Case(name="reinforce_pp", peer="verl", ours="reinforce_pp", trainer="reinforce_plus_plus",
         axes={"scale": _std(1e-8), "kl": "none", "clip": {"dual": 3.0}}, config={"loss_agg_mode": "token-mean"}),
    Case(name="ppo", peer="verl", ours="ppo", trainer="gae",
         axes={"scale": _std(1e-8), "kl": "none", "clip": {"dual": 3.0}},
         config={"loss_agg_mode": "token-mean", "gamma": 1.0, "lam": 0.95}),
    Case(name="ppo's value loss", peer="verl", ours="ppo", trainer="value", axes={"baseline": {"clip": 0.2}},
         config={"cliprange_value": 0.2}),
)  # fmt: skip


def inputs(groups: int, seed: int) -> dict[str, np.ndarray]:
    """Everything both sides see: arrays [B, T], 0 where padded."""
    draw = np.random.default_rng(seed)
    rows = groups * GROUP
    length = draw.integers(1, 8, size=rows)
    length[:2] = (7, 1)
    real = np.arange(7)[None] < length[:, None]
    old = np.where(real, -draw.exponential(1.0, real.shape) - 0.05, 0.0)
    reward = draw.choice([0.0, 0.25, 1.0], size=rows)
    reward[-GROUP:] = 1.0
    reward[:GROUP] = (0.0, 1.0, 0.25, 0.0)
    new = np.where(real, np.minimum(old + draw.normal(0, 0.3, real.shape), -1e-3), 0.0)
    # One ratio beyond 3 where the advantage is negative, so that a dual clip shows.
    old[0, 0], new[0, 0] = -3.0, -1.5
    value = np.where(real, draw.normal(0.5, 0.3, real.shape), 0.0)
    return {
        "reward": reward,
        "length": length,
        "real": real,
        "group": np.repeat(np.arange(groups), GROUP),
        "group_size": np.array(GROUP),
        "budget": np.array(BUDGET),
        "new": new,
        "old": old,
        "ref": np.where(real, old + draw.normal(0, 0.2, real.shape), 0.0),
        "value_old": value,
        "value": np.where(real, value + draw.normal(0, 0.3, real.shape), 0.0),
        "return": np.where(real, draw.normal(0.5, 0.5, real.shape), 0.0),
    }


def ours(case: Case, given: Mapping[str, np.ndarray]) -> tuple[float, np.ndarray]:
    """Our loss of the whole step, and its gradient by every log-prob (value)."""
    method = build(case.ours, case.axes)
    chosen_BT = given["real"]
    if case.trainer == "value":
        assert isinstance(method.baseline, Critic)
        value_BT = torch.tensor(given["value"], requires_grad=True)
        old_BT, return_BT = torch.tensor(given["value_old"]), torch.tensor(given["return"])
        tokens = int(chosen_BT.sum())
        loss, _ = value_loss(method.baseline, value_BT, old_BT, return_BT, torch.tensor(chosen_BT), tokens=tokens)
        return loss.item(), torch.autograd.grad(loss, value_BT)[0].numpy()
    rows = len(given["reward"])
    batch = Batch(
        prompt_ids=tuple(np.array([2 + g], dtype=np.int64) for g in given["group"]),
        token_ids_BT=np.where(chosen_BT, 5, 0),
        chosen_BT=chosen_BT,
        length_B=given["length"].astype(np.int64),
        logp_sampler_BT=given["old"],
        reward_B=given["reward"],
        parts_BK=given["reward"][:, None],
        part_names=("reward",),
        correct_B=given["reward"] == 1,
        truncated_B=np.zeros(rows, dtype=bool),
        group_B=given["group"],
        totals=totals_of(chosen_BT, given["group"], budget=int(given["budget"])),
    )
    signal = Signal(batch=batch, logp_old_BT=given["old"], logp_ref_BT=given["ref"], value_BT=given["value_old"])
    logp_BT = torch.tensor(given[case.policy], requires_grad=True)
    loss_ = policy_loss(method, logp_BT, signal, advantages(method, signal))
    return loss_.value.item(), torch.autograd.grad(loss_.value, logp_BT)[0].numpy()


def theirs(peer: str, cases: Sequence[Case], given: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], Any]:
    """The peer's answers, in one run of its environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "inputs.npz", **given)
        (folder / "cases.json").write_text(json.dumps([asdict(case) for case in cases]))
        subprocess.run([str(PYTHON[peer]), "-m", SIDES[peer], name], cwd=ROOT, check=True)
        return dict(np.load(folder / "outputs.npz")), json.loads((folder / "versions.json").read_text())


def compare(
    cases: Sequence[Case] = CASES, *, groups: int = 3, seed: int = 0
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """A row for each case, and the peers' versions. Runs each peer's environment once."""
    given = inputs(groups, seed)
    rows, versions = [], {}
    for peer in dict.fromkeys(case.peer for case in cases):
        asked = [case for case in cases if case.peer == peer]
        answers, versions[peer] = theirs(peer, asked, given)
        for case in asked:
            rows.append(_row(case, ours(case, given), answers))
    return rows, versions


def _row(case: Case, own: tuple[float, np.ndarray], answers: Mapping[str, np.ndarray]) -> dict[str, Any]:
    loss, gradient = own
    peer, peer_gradient = answers[f"{case.name}.loss"].item(), answers[f"{case.name}.gradient"]
    # Relative to the largest number there: a gradient of many entries has some that are nearly 0.
    apart = abs(loss - peer) / max(abs(loss), abs(peer))
    largest = max(np.abs(gradient).max(), np.abs(peer_gradient).max())
    gradient_apart = float(np.abs(gradient - peer_gradient).max() / largest)
    agrees = max(gradient_apart, 0.0 if case.gradient_only else apart) <= case.tolerance
    return {
        "loss": case.name + (" (gradient only)" if case.gradient_only else ""),
        "peer": case.peer,
        "method": case.ours,
        "ours": loss,
        "theirs": peer,
        "loss_apart": apart,
        "gradient_apart": gradient_apart,
        "agrees": agrees,
        "as_said": agrees == (not case.deviation),
        "deviation": case.deviation,
    }


def main(given: Sequence[str] | None = None) -> int:
    """Print the rows; 1 where one is not as said. --smoke: one seed of two groups. --peer NAME: that one alone."""
    args = list(sys.argv[1:] if given is None else given)
    only = args[args.index("--peer") + 1] if "--peer" in args else None
    cases = [case for case in CASES if only in (None, case.peer)]
    rows, versions = compare(cases, groups=2 if "--smoke" in args else 3)
    print(json.dumps(versions))
    for peer in versions:
        print(f"\n{peer}\n\n{table([row for row in rows if row['peer'] == peer])}")
    wrong = [f"{row['peer']} {row['loss']}" for row in rows if not row["as_said"]]
    print(f"not as said: {', '.join(wrong)}" if wrong else f"{len(rows)} cases, all as said")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
