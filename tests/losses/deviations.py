"""Where libraries and other readings differ from a method: records the axes can express, and what they cannot.

Each record is run through the product's own interpreter by test_golden_losses.py. What stands in NOT_EXPRESSIBLE is
not tested and not counted as tested.
"""

from __future__ import annotations

from verigrad.losses import build

TRL_STD = build("grpo", {"scale": {"ddof": 1, "epsilon": 1e-4}})
VERL_STD = build("grpo", {"scale": {"ddof": 1, "epsilon": 1e-6}})
OPENRLHF_STD = build("grpo", {"scale": {"ddof": 1, "epsilon": 1e-9}})
OPEN_INSTRUCT_STD = build("grpo", {"scale": {"epsilon": 1e-8}})
NANO_STD = build("grpo", {"scale": {"epsilon": 1e-4}})
SAMPLE_STD = build("grpo", {"scale": {"ddof": 1}, "kl": "none"})
DAPO_LIBRARIES = build("dapo", {"aggregation": "token_mean", "scale": {"ddof": 1}})
DR_GRPO_AS_PRINTED = build("dr_grpo", {"aggregation": "sequence_sum"})
CISPO_CAP_2 = build("cispo", {"clip": {"cap": 2.0}})
CISPO_TRL = build("cispo", {"clip": {"cap": 5.0}})
CISPO_VERL = build("cispo", {"clip": {"cap": 1.2, "floor": 0.8}})
CISPO_CAP_128 = build("cispo", {"clip": {"cap": 1.28}})
REINFORCE_PP_VERL = build("reinforce_pp", {"scale": {"ddof": 1, "epsilon": 1e-8}, "kl": {"coefficient": 0.1}})
REINFORCE_PP_BASELINE_VERL = build("reinforce_pp_baseline", {"scale": {"ddof": 1, "epsilon": 1e-8}})
DUAL_CLIP_VERL = build("grpo", {"clip": {"dual": 3.0}, "kl": "none"})
PPO_VERL = build("ppo", {"baseline": {"lambda": 1.0}, "scale": {"ddof": 1, "epsilon": 1e-8}})
SEQUENCE_MASK_TRL = build("grpo", {"mismatch": {"name": "masked", "level": "sequence", "low": 0, "high": 3}})

NOT_EXPRESSIBLE = {
    "agg.verl_pre5366_sum_norm": "verl before PR 5366 forgot the number of answers in its denominator",
    "agg.per_microbatch_token_mean_avg": "a mean over micro-batches changes with the split",
    "gspo_raw_product": "the unnormalised sequence ratio; ours is the paper's geometric mean",
    "remax_code_returns_T3": "the official code discounts the last token too and does not accumulate KL",
    "e2e.rloo_trl_seqratio_clip.2": "PPO's clip on the unnormalised sequence ratio (TRL)",
    "nemo_rl_loo_std_0100": "leave-one-out std (NeMo-RL)",
    "nemo_rl_loo_std_0011": "leave-one-out std (NeMo-RL)",
    "ess_token": "effective sample size: no loss",
    "dppo_tv_mask": "clipping by differences of probabilities (DPPO)",
    "binary_kl_p.6_q.9": "a gate by binary KL (OpenRLHF)",
}
