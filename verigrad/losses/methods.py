"""The methods, as data: every axis, whose number each one is, and the paper's sizes. Nothing is computed here.

`sources` maps an axis or a parameter to where it comes from; a number that is not its paper's says whose it is.
docs/reference/methods.md is generated from this file (page.py). Left out: the interpreter (method.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from verigrad.losses.aggregations import Budget, GroupTokenMean, SequenceMean, SequenceSum, TokenMean
from verigrad.losses.baselines import BatchMean, Critic, Greedy, GroupMean, LeaveOneOut
from verigrad.losses.clips import NoClip, Pessimistic, Weighted
from verigrad.losses.keeps import All, Varied
from verigrad.losses.kls import K1, K2, K3, NoKl
from verigrad.losses.method import Method
from verigrad.losses.ratios import NoRatio, Sequence, SequenceToken, Token
from verigrad.losses.scales import BatchStd, GroupStd, NoScale, Whiten

_MISMATCH = {"mismatch.cap": "not in the paper: truncated importance sampling, Yao et al. 2025 (2 for small runs)"}
_STD = {
    "scale.ddof": "the paper writes std(.) and no ddof; 0, the population's, is ours (the libraries take 1)",
    "scale.epsilon": "the paper writes none; a constant group is 0 without it",
}
_REFRESH = {"kl.refresh": "0, never: DeepSeekMath's iterative form once an iteration, R1-Zero every 400 steps"}
_HORIZON = "acts with a target only: not in the paper, 10000 as in TRL and verl 0.9.1"
_PPO_CLIP = {
    "clip.low": "not in the paper: PPO's convention (arXiv:1707.06347, 6.1)",
    "clip.high": "not in the paper: PPO's convention (arXiv:1707.06347, 6.1)",
}

GRPO = Method(
    name="grpo",
    source="DeepSeekMath, arXiv:2402.03300, eq. 3",
    baseline=GroupMean(),
    scale=GroupStd(),
    ratio=Token(),
    clip=Pessimistic(low=0.2, high=0.2),
    aggregation=SequenceMean(),
    kl=K3(coefficient=0.04),
    keep=All(),
    sources={
        "baseline": "DeepSeekMath 4.1.1",
        "scale": "DeepSeekMath 4.1.1",
        "ratio": "DeepSeekMath eq. 3",
        "clip": "DeepSeekMath eq. 3",
        "aggregation": "DeepSeekMath eq. 3",
        "kl": "DeepSeekMath eq. 4",
        "kl.coefficient": "DeepSeekMath 4.2",
        **_REFRESH,
        **_PPO_CLIP,
        **_STD,
        **_MISMATCH,
    },
    notes=(
        "The paper makes one update per round of sampling, so its ratio is 1 and its clip never acts.",
        'kl = "none" drops the reference model; TRL 1.16 and verl 0.9.1 do so by default.',
        "R1-Zero: coefficient 0.001, group 16, lr 3e-6.",
    ),
    paper_sizes={
        "train.lr": "1e-6",
        "train.group": "64",
        "train.prompts": "16 (batch of 1024 answers)",
        "train.passes": "1",
        "train.minibatches": "1",
        "sampling.max_tokens": "1024",
    },
)

DR_GRPO = replace(
    GRPO,
    name="dr_grpo",
    source="Understanding R1-Zero-like training, arXiv:2503.20783",
    scale=NoScale(),
    aggregation=Budget(),
    kl=NoKl(),
    sources={
        "baseline": "Dr.GRPO 3.2",
        "scale": "Dr.GRPO 3.2: no std",
        "ratio": "Dr.GRPO 3.2",
        "clip": "Dr.GRPO 3.2",
        "clip.low": "Dr.GRPO's settings",
        "clip.high": "Dr.GRPO's settings",
        "aggregation": "official code: a constant (generate_max_length); the equation has no divisor",
        "kl": "Dr.GRPO: beta 0",
        **_MISMATCH,
    },
    notes=(
        "The constant is sampling.max_tokens; the official code's was 3000. It only scales the step.",
        "TRL 1.16's dr_grpo keeps the std, OpenRLHF 0.11.2's keeps the token mean.",
    ),
    paper_sizes={
        "train.lr": "1e-6",
        "train.schedule": "constant",
        "train.group": "8",
        "train.optimizer": "adamw, betas 0.9, 0.95",
        "sampling.max_tokens": "3000",
        "sampling.temperature": "1",
    },
)

DAPO = replace(
    GRPO,
    name="dapo",
    source="DAPO, arXiv:2503.14476, eq. 8",
    clip=Pessimistic(low=0.2, high=0.28),
    aggregation=GroupTokenMean(),
    kl=NoKl(),
    keep=Varied(rounds=10),
    sources={
        "baseline": "DAPO eq. 9",
        "scale": "DAPO eq. 9",
        "ratio": "DAPO eq. 9",
        "clip": "DAPO 3.1, clip-higher",
        "clip.low": "DAPO 4.1",
        "clip.high": "DAPO 4.1",
        "aggregation": "DAPO eq. 8; the libraries take the mean over the update (token_mean)",
        "kl": "DAPO 2.3: removed",
        "keep": "DAPO 3.2, Algorithm 1",
        "keep.rounds": "not in the paper: verl's recipe (max_num_gen_batches 10)",
        **_STD,
        **_MISMATCH,
    },
    notes=(
        "A correct answer pays 1, any other -1, and the soft overlong part is added (eq. 13).",
        'Overlong filtering is keep = { truncated = "masked" }; the paper\'s final recipe has the soft part instead.',
        "Dynamic sampling draws more answers than it uses: compare sample/generated, not steps.",
    ),
    paper_sizes={
        "train.lr": "1e-6",
        "train.schedule": "constant, warm-up 20",
        "train.prompts": "512",
        "train.group": "16",
        "train.minibatches": "16",
        "sampling.max_tokens": "20480",
        "sampling.temperature": "1",
    },
    elsewhere={"reward.*.options.pays": [-1, 1], "reward.+": {"shaping": "overlong"}},
)

GSPO = replace(
    GRPO,
    name="gspo",
    source="GSPO, arXiv:2507.18071, eq. 5 and 7",
    ratio=Sequence(),
    clip=Pessimistic(low=3e-4, high=4e-4),
    kl=NoKl(),
    sources={
        "baseline": "GSPO eq. 6",
        "scale": "GSPO eq. 6",
        "ratio": "GSPO eq. 7",
        "clip": "GSPO eq. 5",
        "clip.low": "GSPO 5.1",
        "clip.high": "GSPO 5.1",
        "aggregation": "GSPO eq. 5",
        "kl": "GSPO: left out",
        **_STD,
        **_MISMATCH,
    },
    notes=("Clip ranges of token ratios (0.2) never act on this one.",),
    paper_sizes={"train.minibatches": "4"},
)

GSPO_TOKEN = replace(
    GSPO,
    name="gspo_token",
    source="GSPO-token, arXiv:2507.18071, eq. 13 and 14",
    ratio=SequenceToken(),
    sources={**GSPO.sources, "ratio": "GSPO eq. 14", "clip": "GSPO eq. 13", "aggregation": "GSPO eq. 13"},
    notes=(*GSPO.notes, "Equal to gspo where an answer's tokens share one advantage."),
)

CISPO = replace(
    GRPO,
    name="cispo",
    source="MiniMax-M1, arXiv:2506.13585, eq. 4 to 7",
    clip=Weighted(cap=5.0, floor=0.0),
    aggregation=GroupTokenMean(),
    kl=NoKl(),
    sources={
        "baseline": "MiniMax-M1 3.1",
        "scale": "MiniMax-M1 3.1",
        "ratio": "MiniMax-M1 eq. 5",
        "clip": "MiniMax-M1 eq. 4 and 5",
        "clip.cap": "the paper tunes it and prints no number: TRL 1.16 recommends 5",
        "clip.floor": "MiniMax-M1 3.1: no effective lower bound",
        "aggregation": "MiniMax-M1 eq. 4; the libraries take the mean over the update (token_mean)",
        "kl": "MiniMax-M1 3.1: none",
        **_STD,
        **_MISMATCH,
    },
    notes=("cap is the ratio itself: the paper's epsilon_high is cap - 1.",),
    paper_sizes={"train.optimizer": "adamw, betas 0.9, 0.95, eps 1e-15"},
)

RLOO = Method(
    name="rloo",
    source="Back to Basics, arXiv:2402.14740",
    baseline=LeaveOneOut(),
    scale=NoScale(),
    ratio=NoRatio(),
    clip=NoClip(),
    aggregation=SequenceSum(),
    kl=K1(coefficient=0.03, paid="sequence_reward"),
    keep=All(),
    sources={
        "baseline": "Back to Basics: RLOO",
        "scale": "Back to Basics: none",
        "ratio": "Back to Basics: the answer is one action, REINFORCE",
        "clip": "Back to Basics: dropped, it acted on under 5% of the tokens",
        "aggregation": "Back to Basics: the answer is one action",
        "kl": "Back to Basics: in the reward, so in the baseline",
        "kl.coefficient": "Back to Basics: 0.03 on TL;DR (0.10 on HH)",
        "kl.horizon": _HORIZON,
        **_REFRESH,
        **_MISMATCH,
    },
    notes=("TRL 1.16, verl 0.9.1 and OpenRLHF 0.11.2 add a ratio and PPO's clip.",),
    paper_sizes={"train.lr": "1e-6", "train.group": "2 or 4", "train.passes": "2"},
)

REMAX = replace(
    RLOO,
    name="remax",
    source="ReMax, arXiv:2310.10505, Algorithm 1",
    baseline=Greedy(),
    kl=NoKl(),
    sources={
        "baseline": "ReMax Algorithm 1",
        "scale": "ReMax: none",
        "ratio": "ReMax: REINFORCE",
        "clip": "ReMax: none",
        "aggregation": "ReMax Algorithm 1 (the official code: token mean)",
        "kl": "not in the estimator; the official code pays k1 x 0.05 per token, without the tokens that follow",
        **_MISMATCH,
    },
    notes=(
        "One greedy answer per prompt is drawn and scored beside the group, and is not trained on.",
        "The official code also clips R - R_greedy to +-5 and discounts by 0.99.",
    ),
    paper_sizes={"train.lr": "1e-6", "train.group": "1"},
)

REINFORCE_PP = Method(
    name="reinforce_pp",
    source="REINFORCE++, arXiv:2501.03262v9, eq. 5",
    baseline=BatchMean(),
    scale=Whiten(over="tokens"),
    ratio=Token(),
    clip=Pessimistic(low=0.2, high=0.2),
    aggregation=TokenMean(),
    kl=K1(coefficient=0.01, paid="token_reward"),
    keep=All(),
    sources={
        "baseline": "the mean of whitening; subtracting it before changes nothing",
        "scale": "REINFORCE++ eq. 5; over tokens as in verl 0.9.1 and OpenRLHF 0.11.2",
        "ratio": "REINFORCE++: PPO's",
        "clip": "REINFORCE++: PPO's",
        "aggregation": "not in the paper: the token mean of both libraries",
        "kl": "REINFORCE++: k1 in the reward, return to go",
        "kl.coefficient": "not taken from the paper: OpenRLHF 0.11.2's default",
        "kl.horizon": _HORIZON,
        **_REFRESH,
        **_PPO_CLIP,
        **_STD,
        **_MISMATCH,
    },
    notes=("Works with one answer a prompt. Whitening is over the whole step.",),
    paper_sizes={"train.group": "1"},
)

REINFORCE_PP_BASELINE = replace(
    REINFORCE_PP,
    name="reinforce_pp_baseline",
    source="REINFORCE++-baseline, arXiv:2501.03262v9",
    baseline=GroupMean(),
    kl=K2(coefficient=0.01),
    sources={
        **{key: whose for key, whose in REINFORCE_PP.sources.items() if key != "kl.horizon"},
        "baseline": "REINFORCE++-baseline: group mean",
        "kl": "REINFORCE++-baseline: k2 in the loss",
    },
    notes=("A group that is all right gets a non-zero advantage by whitening: a property of the method.",),
    paper_sizes={"train.group": "more than 1"},
)

LITE_PPO = replace(
    GRPO,
    name="lite_ppo",
    source="Tricks or Traps, arXiv:2508.08221",
    scale=BatchStd(ddof=1),
    aggregation=TokenMean(),
    kl=NoKl(),
    sources={
        "baseline": "Tricks or Traps: group mean",
        "scale": "Tricks or Traps: std of the batch",
        "scale.ddof": 'not in the paper: 1 as in TRL 1.16 (scale_rewards = "batch")',
        "scale.epsilon": _STD["scale.epsilon"],
        "ratio": "Tricks or Traps: vanilla PPO loss",
        "clip": "Tricks or Traps: vanilla PPO loss",
        "aggregation": "Tricks or Traps: token-level loss; over the update as in the libraries",
        "kl": "not among the method's two techniques",
        **_PPO_CLIP,
        **_MISMATCH,
    },
    notes=("No critic in spite of the name.",),
    paper_sizes={},
)

PPO = Method(
    name="ppo",
    source="PPO, arXiv:1707.06347, eq. 7 and 11; for language models InstructGPT, arXiv:2203.02155",
    baseline=Critic(),
    scale=Whiten(over="tokens"),
    ratio=Token(),
    clip=Pessimistic(low=0.2, high=0.2),
    aggregation=TokenMean(),
    kl=K1(coefficient=0.05, paid="token_reward"),
    keep=All(),
    sources={
        "baseline": "PPO eq. 11: GAE, arXiv:1506.02438",
        "baseline.gamma": "not in the paper (0.99 in its games): 1 as in every library here",
        "baseline.lambda": "PPO, table 3",
        "baseline.clip": "not in the paper: TRL to 1.10 (verl 0.9.1, OpenRLHF 0.11.2: 0.5)",
        "baseline.coefficient": "not in the paper (1 in its table 5): TRL to 1.10",
        "scale": "not in the paper: whitened as in the three libraries",
        "ratio": "PPO eq. 6",
        "clip": "PPO eq. 7",
        "clip.low": "PPO 6.1",
        "clip.high": "PPO 6.1",
        "aggregation": "not in the paper: the token mean of the libraries",
        "kl": "not in PPO: InstructGPT, k1 in the reward, per token",
        "kl.coefficient": "not in the paper: TRL to 1.10 (InstructGPT 0.02)",
        "kl.horizon": _HORIZON,
        **_REFRESH,
        **_STD,
        **_MISMATCH,
    },
    notes=(
        "One answer a prompt is enough. The judge may be a reward model (RLHF) or a verifier (RLVR).",
        'Its critic is a head on the policy; baseline = { value = "model" } is the four-model set-up.',
        "train.passes 4 is TRL's to 1.10; PPO's own is 3 to 15, verl 0.9.1 and OpenRLHF 0.11.2 make 1.",
    ),
    paper_sizes={"train.group": "1"},
    elsewhere={"train.passes": 4},
)

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        m.name: m
        for m in (
            GRPO,
            DR_GRPO,
            DAPO,
            GSPO,
            GSPO_TOKEN,
            CISPO,
            RLOO,
            REMAX,
            REINFORCE_PP,
            REINFORCE_PP_BASELINE,
            LITE_PPO,
            PPO,
        )
    }
)
