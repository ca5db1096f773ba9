"""verl's side of the policy losses, run by its own environment: its core functions on the CPU.

    .envs/verl/bin/python -m benchmarks.peers.policy_verl FOLDER

FOLDER holds inputs.npz and cases.json; outputs.npz and versions.json are written beside them. An advantage estimator,
then a registered policy loss under an ActorConfig, as its actor calls them; or its value loss. Without its trainer,
whose sampling and workers need a GPU. Masks are what verl makes of padding, 1 at real tokens.
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from verl.trainer.config import AlgoConfig
from verl.trainer.ppo import core_algos
from verl.workers.config import ActorConfig

warnings.simplefilter("ignore")
ADVANTAGE = ("norm_adv_by_std_in_grpo", "gamma", "lam")


def answer(case: dict[str, Any], given: dict[str, np.ndarray]) -> tuple[float, np.ndarray]:
    """Loss of the whole step and its gradient by the policy's log-probs (the critic's values) [B, T]."""
    mask = torch.tensor(given["real"], dtype=torch.float64)
    config = dict(case["config"])
    if case["trainer"] == "value":
        value = torch.tensor(given["value"], requires_grad=True)
        loss, _ = core_algos.compute_value_loss(
            value, torch.tensor(given["return"]), torch.tensor(given["value_old"]), mask, **config
        )
        return loss.item(), torch.autograd.grad(loss, value)[0].numpy()

    rewards = torch.zeros_like(mask)
    rewards[torch.arange(len(mask)), torch.tensor(given["length"]) - 1] = torch.tensor(given["reward"])
    estimator = core_algos.get_adv_estimator_fn(case["trainer"])
    asked = {name: config.pop(name) for name in ADVANTAGE if name in config}
    if case["trainer"] == "gae":
        advantages, _ = estimator(rewards, torch.tensor(given["value_old"]), mask, **asked)
    elif case["trainer"] == "reinforce_plus_plus":
        advantages, _ = estimator(rewards, mask, config=AlgoConfig(gamma=1.0))
    else:
        advantages, _ = estimator(rewards, mask, index=given["group"], **asked)

    loss_of = core_algos.get_policy_loss_fn(config.pop("loss", "vanilla"))
    actor = ActorConfig(strategy="fsdp", rollout_n=int(given["group_size"]), ppo_micro_batch_size_per_gpu=1, **config)
    if actor.loss_scale_factor is not None:
        actor.global_batch_info["loss_scale_factor"] = actor.loss_scale_factor
    logp = torch.tensor(given[case["policy"]], requires_grad=True)
    loss, _ = loss_of(torch.tensor(given["old"]), logp, advantages, mask, actor.loss_agg_mode, actor)
    return loss.item(), torch.autograd.grad(loss, logp)[0].numpy()


def main() -> None:
    """Answer every case."""
    folder = Path(sys.argv[1])
    given = dict(np.load(folder / "inputs.npz"))
    answers: dict[str, np.ndarray] = {}
    for case in json.loads((folder / "cases.json").read_text()):
        loss, gradient = answer(case, given)
        answers[f"{case['name']}.loss"], answers[f"{case['name']}.gradient"] = np.array(loss), gradient
    np.savez(folder / "outputs.npz", **answers)
    (folder / "versions.json").write_text(json.dumps({name: version(name) for name in ("verl", "torch")}))


if __name__ == "__main__":
    main()
