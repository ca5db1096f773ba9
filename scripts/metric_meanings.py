"""What each metric and timing means, for docs/reference/metrics.md. `check` holds it against the closed list of names.

Left out: names of reward parts, which are the recipe's.
"""

from __future__ import annotations

from verigrad.training import NAMES, TIMINGS

ANSWERS = "Of every answer a step drew, kept or not"
UPDATE = "Of a step's updates: their mean, of a /max their largest; a mean is over the tokens computed"

METRICS: dict[str, dict[str, str]] = {
    ANSWERS: {
        "reward/mean": "Mean reward of the graded answers, all parts together.",
        "reward/part/NAME": "Mean of what one reward part paid, one name a part.",
        "reward/right": "Share of the graded answers that the verifier calls right.",
        "verdict/right": "Share judged right.",
        "verdict/wrong": "Share judged wrong, broke_check among them.",
        "verdict/unreadable": "Share without one committed answer; rewarded as wrong.",
        "verdict/ungraded": "Share that could not be judged for reasons no answer can cause; left out of every group.",
        "verdict/broke_check": "Share that broke the check (exception, silence, too large): wrong.",
        "verdict/timed_out": "Share whose check ran out of time: the one verdict a clock decides.",
        "group/all_right": "Share of groups in which every graded answer is right.",
        "group/all_wrong": "Share of groups in which none is.",
        "group/kept": "Share of the groups drawn that entered the batch.",
        "sample/generated": "Answers drawn, refills included; a greedy baseline's own answer is not counted.",
        "sample/used": "Answers in the batch.",
        "tokens/sampled": "Response tokens drawn.",
        "length/mean": "Mean response tokens.",
        "length/right": "Mean response tokens of right answers.",
        "length/wrong": "Mean response tokens of all other graded answers.",
        "length/truncated": "Share cut at sampling.max_tokens.",
        "selfcheck": "Share of answers that go back over themselves (wait, let me check, double-check).",
        "entropy": "Mean of -log p of the tokens drawn, in nats: a sampled estimate of the entropy.",
        "weights/lag": "Largest age of the weights that drew an answer, in steps.",
    },
    UPDATE: {
        "loss/policy": "The policy-gradient loss, the aggregation's total over the update.",
        "loss/kl": "The KL term of the loss, times its coefficient; only where a method pays KL there.",
        "kl/reference": "Mean k3 estimate of KL(policy || reference), nats a token; only with a reference.",
        "clip/low": "Share of the tokens whose gradient the lower clip takes away.",
        "clip/high": "Share of the tokens whose gradient the upper clip takes away.",
        "ratio/max": "Largest probability ratio of the policy now to the policy before the update.",
        "mismatch/mean": "Mean |log pi_old - log mu|: trainer against sampler, on the same weights; in every step.",
        "mismatch/max": "Largest |log pi_old - log mu|.",
        "mismatch/weight": "Mean weight of the mismatch correction; 1 where sampler and trainer agree.",
        "grad/norm": "Norm of the whole gradient before clipping to optimizer.max_norm.",
        "lr": "Learning rate of the step.",
        "loss/value": "The critic's loss: half the token mean of its clipped squared error; only with a critic.",
        "value/explained": "Share of the returns' variance the critic explains, before the step's updates.",
        "kl/coef": "The coefficient of an adaptive KL after the step.",
        "kl/refreshed": "1 on a step after which the reference became the policy, else 0; only with kl.refresh.",
        "weights/changed": "Share of the weights the step changed in the engine's precision; one in 251 is looked at.",
        "tokens/trained": "Response tokens of all rows but skipped ones, over all passes; equal rows each count.",
    },
    "Of the stages that learn from pairs": {
        "logp/chosen": "Mean log-probability of the chosen answers, sum over an answer's tokens, nats.",
        "logp/rejected": "Mean log-probability of the rejected answers.",
        "logp/moved": "logp/chosen less the reference's log-probability of the same answers; only with a reference.",
        "preference/right": "Share of pairs whose chosen answer is ahead of the rejected one, before the update.",
        "preference/margin": "Mean of how far it is ahead, in nats or units of the reward model's score.",
    },
    "Of the validation slice, at each look (acceptance.every)": {
        "validation/right": "Share the grader calls right, strictly, greedy answers.",
        "validation/disagree": "Share on which grader and training verifier differ about right.",
    },
}
SECONDS: dict[str, str] = {
    "sample": "Drawing answers.",
    "verify": "Judging them.",
    "update": "Log-probs, advantages, gradients, optimizer.",
    "sync": "Handing new weights to the sampler.",
    "save": "Writing a checkpoint.",
}


def check() -> None:
    """Raise ValueError where a name has no meaning here, or a meaning has no name."""
    written = {name for table in METRICS.values() for name in table} - {"reward/part/NAME"}
    for told, names in ((written, NAMES), (set(SECONDS), TIMINGS)):
        if told != names:
            raise ValueError(f"without a meaning: {sorted(names - told)}; without a metric: {sorted(told - names)}")
