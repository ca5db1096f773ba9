"""Preference losses and the reward model's beside TRL 1.16, on identical inputs: loss and gradient.

    python -m benchmarks.peers.preference_peers [--smoke]

A model is a table of logits (a row for the token before), so that one small array is every parameter, and its gradient
all there is to compare. Two batches: "even", pairs whose prompts are one token and whose answers are equally long,
where conventions of length and of the prompt cannot differ; "ragged", where they can. Every case says beforehand
whether the two sides must agree, and where not, why: what the peer does, and what we do. Either way round is a failure.
Left out: speed, and losses TRL has and we do not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.common import ENVIRONMENTS, ROOT
from verigrad.losses import Side, bradley_terry, build_preference

V = 12
LIKELIHOOD = "TRL's NLL is a mean over the tokens of the micro-batch; ours is the mean of the answers' means"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One loss on both sides."""

    name: str
    """What the table calls it."""
    ours: str
    """Our method."""
    axes: Mapping[str, Any] = field(default_factory=dict)
    """What of it is changed, as a recipe says it."""
    trainer: str = "dpo"
    """TRL's trainer: dpo, kto, cpo, orpo, reward."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """Its arguments."""
    batch: str = "ragged"
    """ragged or even."""
    parts: int = 1
    """Micro-batches on TRL's side; ours sees the step as a whole."""
    deviation: str = ""
    """Why the two must differ; empty: they must agree."""
    tolerance: float = 1e-12
    """Relative to the largest number compared."""


def _dpo(loss: str, **more: Any) -> dict[str, Any]:
    return {"loss_type": [loss], "beta": 0.3, **more}


B = {"link": {"beta": 0.3}}
CASES: tuple[Case, ...] = (
    Case(name="dpo", ours="dpo", axes=B, config=_dpo("sigmoid")),
    Case(name="dpo in 3 micro-batches", ours="dpo", axes=B, config=_dpo("sigmoid"), parts=3),
    Case(
        name="cdpo",
        ours="cdpo",
        axes={"link": {"beta": 0.3, "smoothing": 0.2}},
        config=_dpo("sigmoid", label_smoothing=0.2),
        deviation="TRL's sigmoid loss ignores label_smoothing: it is plain DPO",
    ),
    Case(name="cdpo, which is dpo there", ours="dpo", axes=B, config=_dpo("sigmoid", label_smoothing=0.2)),
    Case(
        name="robust",
        ours="robust",
        axes={"link": {"beta": 0.3, "smoothing": 0.2}},
        config=_dpo("robust", label_smoothing=0.2),
    ),
    Case(name="ipo_mean", ours="ipo_mean", axes=B, config=_dpo("ipo")),
    Case(
        name="ipo",
        ours="ipo",
        axes=B,
        config=_dpo("ipo"),
        deviation="TRL's ipo is per token (ipo_mean here); the paper's equation, ours, is of the whole answer",
    ),
    Case(name="hinge", ours="hinge", axes=B, config=_dpo("hinge")),
    Case(name="dpo_norm", ours="dpo_norm", axes=B, config=_dpo("sigmoid_norm")),
    Case(
        name="rpo, equal lengths",
        ours="rpo",
        axes={**B, "anchor": {"nll": 0.7}},
        config={"loss_type": ["sigmoid", "sft"], "loss_weights": [1.0, 0.7], "beta": 0.3},
        batch="even",
    ),
    Case(
        name="rpo",
        ours="rpo",
        axes={**B, "anchor": {"nll": 0.7}},
        config={"loss_type": ["sigmoid", "sft"], "loss_weights": [1.0, 0.7], "beta": 0.3},
        deviation=LIKELIHOOD,
    ),
    Case(name="aot", ours="aot", axes=B, config=_dpo("aot")),
    Case(
        name="aot in 2 micro-batches",
        ours="aot",
        axes=B,
        config=_dpo("aot"),
        parts=2,
        deviation="TRL sorts within each micro-batch; ours sorts the whole step",
    ),
    Case(name="aot_unpaired", ours="aot_unpaired", axes=B, config=_dpo("aot_unpaired")),
    Case(
        name="kto",
        ours="kto",
        axes={"link": {"beta": 0.3, "desirable": 1.2, "undesirable": 0.8}},
        trainer="kto",
        config={"beta": 0.3, "desirable_weight": 1.2, "undesirable_weight": 0.8},
    ),
    Case(
        name="cpo without likelihood",
        ours="cpo",
        axes={**B, "anchor": "none"},
        trainer="cpo",
        config={"beta": 0.3, "cpo_alpha": 0.0},
    ),
    Case(
        name="cpo, equal lengths",
        ours="cpo",
        axes={**B, "anchor": {"nll": 0.7}},
        trainer="cpo",
        config={"beta": 0.3, "cpo_alpha": 0.7},
        batch="even",
    ),
    Case(
        name="cpo",
        ours="cpo",
        axes={**B, "anchor": {"nll": 0.7}},
        trainer="cpo",
        config={"beta": 0.3, "cpo_alpha": 0.7},
        deviation=LIKELIHOOD,
    ),
    Case(
        name="simpo",
        ours="simpo",
        trainer="cpo",
        config={"loss_type": "simpo", "beta": 2.5, "simpo_gamma": 1.375, "cpo_alpha": 0.0},
    ),
    Case(
        name="simpo as TRL sets it",
        ours="simpo",
        trainer="cpo",
        config={"loss_type": "simpo"},
        deviation="TRL's simpo has beta 0.1, gamma 0.5 and CPO's likelihood in it; the paper's has 2 to 10 and none",
    ),
    Case(
        name="slic without likelihood",
        ours="slic",
        axes={"anchor": "none"},
        trainer="cpo",
        config={"loss_type": "hinge", "beta": 1.0, "cpo_alpha": 0.0},
    ),
    Case(
        name="orpo, one prompt token, equal lengths",
        ours="orpo",
        axes={"link": {"weight": 0.3}},
        trainer="orpo",
        config={"beta": 0.3},
        batch="even",
        tolerance=1e-6,  # it casts the log-probs to float32
    ),
    Case(
        name="orpo",
        ours="orpo",
        axes={"link": {"weight": 0.3}},
        trainer="orpo",
        config={"beta": 0.3},
        deviation="TRL's NLL counts the prompt too, as a mean over the tokens of the micro-batch; ours (the paper's) "
        "only the answer",
    ),
    Case(name="reward model, margin and centring", ours="bradley_terry", trainer="reward",
         config={"center_rewards_coefficient": 0.02}),
)  # fmt: skip


ABSENT: Mapping[str, str] = {"dpop": "TRL 1.16, verl 0.9.1 and OpenRLHF 0.11.2 have no DPOP"}
"""Methods no peer has: golden numbers and hand loops are what they are held against."""


def inputs(pairs: int, seed: int) -> dict[str, np.ndarray]:
    """Everything both sides see."""
    draw = np.random.default_rng(seed)
    given: dict[str, np.ndarray] = {
        "policy": draw.normal(size=(V, V)),
        "rewards.chosen": draw.normal(size=pairs),
        "rewards.rejected": draw.normal(size=pairs),
        "rewards.margin": draw.random(pairs),
    }
    given["reference"] = given["policy"] + 1.5 * draw.normal(size=(V, V))
    for batch in ("ragged", "even"):
        prompts = [draw.integers(2, V, size=1 if batch == "even" else draw.integers(1, 5)) for _ in range(pairs)]
        lengths = draw.integers(1, 8, size=(2, pairs)) if batch == "ragged" else np.full((2, pairs), 4)
        answers = [[draw.integers(2, V, size=n) for n in side] for side in lengths]
        others = [answers[0][(i + 1) % pairs] for i in range(pairs)]
        for name, said in (("chosen", answers[0]), ("rejected", answers[1]), ("mismatched", others)):
            # One width for all, as a collator gives it.
            width = 4 + 7
            ids = np.zeros((pairs, width), dtype=np.int64)
            answer, real = np.zeros((pairs, width), dtype=bool), np.zeros((pairs, width), dtype=bool)
            for i, (p, a) in enumerate(zip(prompts, said, strict=True)):
                ids[i, : len(p) + len(a)] = np.concatenate([p, a])
                answer[i, len(p) : len(p) + len(a)] = True
                real[i, : len(p) + len(a)] = True
            given |= {f"{batch}.{name}.ids": ids, f"{batch}.{name}.answer": answer, f"{batch}.{name}.real": real}
    return given


def ours(case: Case, given: Mapping[str, np.ndarray]) -> tuple[float, np.ndarray]:
    """Our loss of the whole step, and its gradient by every parameter."""
    if case.trainer == "reward":
        rewards = [torch.tensor(given[f"rewards.{s}"], requires_grad=True) for s in ("chosen", "rejected")]
        pairs, center = len(rewards[0]), case.config["center_rewards_coefficient"]
        margin_B = torch.tensor(given["rewards.margin"])
        value, _ = bradley_terry(rewards[0], rewards[1], margin_B, center=center, pairs=pairs)
        return value.item(), torch.stack(torch.autograd.grad(value, rewards)).numpy()
    policy_VV, reference_VV = torch.tensor(given["policy"], requires_grad=True), torch.tensor(given["reference"])

    def logps(table_VV: torch.Tensor, name: str) -> torch.Tensor:
        """Log-prob of each answer, token by token: the row of the token before it."""
        ids_BT, answer_BT = given[f"{case.batch}.{name}.ids"], given[f"{case.batch}.{name}.answer"]
        logp_VV = table_VV.log_softmax(-1)
        return torch.stack(
            [
                sum((logp_VV[ids[t - 1], ids[t]] for t in np.flatnonzero(answer)), table_VV.new_zeros(()))
                for ids, answer in zip(ids_BT, answer_BT, strict=True)
            ]
        )

    def side(name: str, keep: int) -> Side:
        return Side(
            logp_B=logps(policy_VV, name)[:keep],
            tokens_B=torch.tensor(given[f"{case.batch}.{name}.answer"].sum(1))[:keep],
            ref_B=logps(reference_VV, name)[:keep],
        )

    method = build_preference(case.ours, case.axes)
    pairs = len(given[f"{case.batch}.chosen.ids"])
    mismatched = (logps(policy_VV, "mismatched") - logps(reference_VV, "mismatched")).detach()
    chosen, rejected = side("chosen", pairs), side("rejected", pairs - method.needs_mismatched)
    of = pairs if method.paired else len(chosen.logp_B) + len(rejected.logp_B)
    value = method(chosen, rejected, pairs=of, mismatched=mismatched).value
    return value.item(), torch.autograd.grad(value, policy_VV)[0].numpy()


def compare(cases: Sequence[Case] = CASES, *, pairs: int = 12, seed: int = 0) -> tuple[list[dict[str, Any]], Any]:
    """A row for each case, and the peer's versions. Runs TRL's environment once."""
    given = inputs(pairs, seed)
    asked = []
    for case in cases:
        cuts = np.linspace(0, pairs, case.parts + 1).astype(int).tolist()
        spans = list(pairwise(cuts))
        asked.append({**asdict(case), "micro_batches": spans})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "inputs.npz", **given)
        (folder / "cases.json").write_text(json.dumps(asked))
        command = [str(ENVIRONMENTS["trl"]), "-m", "benchmarks.peers.preference_trl", name]
        subprocess.run(command, cwd=ROOT, check=True)
        theirs = dict(np.load(folder / "outputs.npz"))
        versions = json.loads((folder / "versions.json").read_text())
    rows = []
    for case in cases:
        loss, gradient = ours(case, given)
        peer, peer_gradient = theirs[f"{case.name}.loss"].item(), theirs[f"{case.name}.gradient"]
        # Relative to the largest number there: a gradient of many entries has some that are nearly 0.
        apart = abs(loss - peer) / max(abs(loss), abs(peer))
        largest = max(np.abs(gradient).max(), np.abs(peer_gradient).max())
        gradient_apart = float(np.abs(gradient - peer_gradient).max() / largest)
        agrees = max(apart, gradient_apart) <= case.tolerance
        rows.append(
            {
                "loss": case.name,
                "peer": "TRL",
                "ours": loss,
                "theirs": peer,
                "loss_apart": apart,
                "gradient_apart": gradient_apart,
                "agrees": agrees,
                "as_said": agrees == (not case.deviation),
                "deviation": case.deviation,
            }
        )
    return rows, versions


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Markdown: every case, how far apart, and why where the two must differ."""
    lines = ["| loss | ours | peer's | loss apart | gradient apart | |", "|---|---|---|---|---|---|"]
    for row in rows:
        verdict = "agree" if row["agrees"] else f"differ: {row['deviation'] or 'not expected'}"
        if row["agrees"] and row["deviation"]:
            verdict = f"agree, though expected to differ: {row['deviation']}"
        lines.append(
            f"| {row['loss']} | {row['ours']:.9g} | {row['theirs']:.9g} | {row['loss_apart']:.0e} | "
            f"{row['gradient_apart']:.0e} | {verdict} |"
        )
    return "\n".join(lines)


def main(given: Sequence[str] | None = None) -> int:
    """Print the rows; 1 where one is not as said. --smoke: few pairs."""
    smoke = "--smoke" in (sys.argv[1:] if given is None else given)
    rows, versions = compare(pairs=6 if smoke else 12)
    print(json.dumps(versions))
    print(table(rows))
    wrong = [row["loss"] for row in rows if not row["as_said"]]
    print(f"not as said: {', '.join(wrong)}" if wrong else f"{len(rows)} cases, all as said")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
