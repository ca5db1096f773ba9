"""The preference methods, as data: every axis, whose number each is, the papers' sizes. Nothing is computed here.

`sources` maps an axis or a parameter to where it comes from; a number that is not its paper's says whose it is.
docs/reference/preferences.md is generated from this file (preference_page.py). Left out: what the records compute
(preference_axes.py, preference_records.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from verigrad.losses.preference_axes import (
    Hinge,
    Likelihood,
    Logistic,
    Mean,
    NoAnchor,
    Odds,
    Prospect,
    Reference,
    Squared,
    Sum,
)
from verigrad.losses.preference_records import Pairwise, PreferenceMethod, Quantile, Unpaired

DPO = Pairwise(
    name="dpo",
    source="DPO, arXiv:2305.18290, eq. 7",
    score=Sum(),
    link=Logistic(beta=0.1),
    anchor=Reference(),
    sources={
        "score": "DPO eq. 7",
        "link": "DPO eq. 7",
        "link.beta": "DPO appendix B: 0.1, and 0.5 for summaries",
        "anchor": "DPO eq. 7",
    },
    notes=("It can lower the chosen answer's probability: watch logp/chosen.",),
    paper_sizes={"train.lr": "5e-7 (official code)", "train.prompts": "64", "train.optimizer": "RMSprop"},
)

CDPO = replace(
    DPO,
    name="cdpo",
    source="A note on DPO with noisy preferences, Mitchell 2023",
    link=Logistic(beta=0.1, smoothing=0.1),
    sources={
        **DPO.sources,
        "link": "Mitchell's note: conservative DPO",
        "link.smoothing": "not in the note: 0.1 is ours; set your share of flipped labels",
    },
    notes=("TRL 1.16's sigmoid loss ignores label_smoothing.",),
)

ROBUST = replace(
    CDPO,
    name="robust",
    source="Provably robust DPO, arXiv:2403.00409",
    link=Logistic(beta=0.1, smoothing=0.1, robust=True),
    sources={
        **DPO.sources,
        "link": "robust DPO: the loss corrected for flipped labels",
        "link.smoothing": "0.1, the paper's typical value as TRL 1.16 quotes it; set your share of flipped labels",
        "link.robust": "robust DPO: divided by 1 - 2 x smoothing",
    },
    notes=("Its loss can be negative.",),
)

IPO = replace(
    DPO,
    name="ipo",
    source="IPO, arXiv:2310.12036, eq. 17",
    link=Squared(beta=0.1),
    sources={
        "score": "IPO eq. 17; OpenRLHF and the official DPO code too",
        "link": "IPO eq. 17: tau is beta",
        "link.beta": "not from the paper: DPO's and TRL 1.16's default",
        "anchor": "IPO eq. 17",
    },
    notes=("The margin it wants is 1 / (2 beta) nats: 5 at 0.1, for the whole answer.",),
    paper_sizes={},
)

IPO_MEAN = replace(
    IPO,
    name="ipo_mean",
    source="IPO with log-probs per token, as in TRL 1.16 and HALOs",
    score=Mean(),
    sources={
        **IPO.sources,
        "score": "not in the paper's equation: TRL 1.16 and HALOs (its authors confirmed it to TRL)",
    },
    notes=("The margin it wants is 1 / (2 beta) nats per token: 5 at 0.1.",),
)

HINGE = replace(
    DPO,
    name="hinge",
    source="RSO's hinge on DPO's margin, arXiv:2309.06657",
    link=Hinge(beta=0.1, delta=1.0),
    sources={
        "score": "RSO: hinge-norm",
        "link": "RSO: hinge-norm",
        "link.beta": "not from the paper: TRL 1.16's default",
        "link.delta": "RSO: 1",
        "anchor": "RSO: hinge-norm",
    },
    notes=('SLiC is another objective (no reference, with likelihood): "slic".',),
    paper_sizes={},
)

SLIC = Pairwise(
    name="slic",
    source="SLiC-HF, arXiv:2305.10425",
    score=Sum(),
    link=Hinge(beta=1.0, delta=1.0),
    anchor=Likelihood(nll=1.0, per="answer"),
    sources={
        "score": "SLiC-HF: log-prob of the answer",
        "link": "SLiC-HF: rank calibration",
        "link.beta": "SLiC-HF: the margin is not scaled",
        "link.delta": "not from the paper: 1 is ours",
        "anchor": "SLiC-HF: likelihood of a target answer; the chosen one here",
        "anchor.nll": "not from the paper: 1 is ours",
        "anchor.per": "SLiC-HF: log-prob of the answer",
    },
)

SIMPO = Pairwise(
    name="simpo",
    source="SimPO, arXiv:2405.14734, eq. 6",
    score=Mean(),
    link=Logistic(beta=2.5, gamma=1.375),
    anchor=NoAnchor(),
    sources={
        "score": "SimPO eq. 6",
        "link": "SimPO eq. 6",
        "link.beta": "SimPO's Llama-3-Instruct: 2.5 (2 to 10 over its models)",
        "link.gamma": "SimPO's Llama-3-Instruct: 0.55 x beta",
        "anchor": "SimPO: no reference",
    },
    notes=("TRL 1.16's simpo has beta 0.1, gamma 0.5, and adds the likelihood unless cpo_alpha = 0.",),
    paper_sizes={"train.lr": "1e-6 (3e-7 to 1e-6 over its models)"},
)

CPO = Pairwise(
    name="cpo",
    source="CPO, arXiv:2401.08417",
    score=Sum(),
    link=Logistic(beta=0.1),
    anchor=Likelihood(nll=1.0, per="token"),
    sources={
        "score": "CPO: log-prob of the answer",
        "link": "CPO: DPO's with a uniform reference",
        "link.beta": "CPO: 0.1",
        "anchor": "CPO: likelihood of the chosen answer",
        "anchor.nll": "CPO: 1",
        "anchor.per": "the paper writes the answer's log-prob; TRL 1.16 takes a mean over tokens (of the batch)",
    },
)

DPOP = replace(
    DPO,
    name="dpop",
    source="Smaug, arXiv:2402.13228",
    link=Logistic(beta=0.3),
    anchor=Reference(penalty=50.0),
    sources={
        "score": "Smaug: DPO's",
        "link": "Smaug: DPO's",
        "link.beta": "as reported of Smaug's runs; not found again in its text",
        "anchor": "Smaug: the margin loses what the chosen answer fell by",
        "anchor.penalty": "as reported of Smaug's runs; not found again in its text",
    },
    notes=("arXiv:2606.12505 calls another method DPOP.",),
    paper_sizes={},
)

RPO = replace(
    DPO,
    name="rpo",
    source="Iterative RPO, arXiv:2404.19733",
    anchor=Reference(nll=1.0, per="token"),
    sources={
        "score": "Iterative RPO: DPO's",
        "link": "Iterative RPO: DPO's",
        "link.beta": "Iterative RPO: 0.1",
        "anchor": "Iterative RPO: DPO plus the chosen answer's likelihood",
        "anchor.nll": "Iterative RPO: 1, of the mean over the tokens (arXiv:2405.16434 has 0.005)",
    },
    notes=(
        "TRL 1.16's sft loss beside sigmoid is a token mean over the batch.",
        "NeMo-Aligner's RPO is another method.",
    ),
    paper_sizes={},
)

DPO_NORM = replace(
    DPO,
    name="dpo_norm",
    source="Length-normalised DPO: Tulu 3, arXiv:2411.15124",
    score=Mean(),
    link=Logistic(beta=5.0),
    sources={
        "score": "Tulu 3: log-ratios divided by the answer's length",
        "link": "DPO eq. 7",
        "link.beta": "as reported of Tulu 3; not checked in its text",
        "anchor": "DPO eq. 7",
    },
    notes=("A mean is small: beta has SimPO's size (2 to 10), not DPO's.",),
    paper_sizes={},
)

ORPO = Pairwise(
    name="orpo",
    source="ORPO, arXiv:2403.07691, eq. 6 and 7",
    score=Odds(),
    link=Logistic(beta=1.0, weight=0.1),
    anchor=Likelihood(nll=1.0, per="token"),
    sources={
        "score": "ORPO eq. 4 and 5: odds of the mean log-prob",
        "link": "ORPO eq. 7",
        "link.beta": "ORPO eq. 7: the log odds are not scaled",
        "link.weight": "ORPO's lambda: 0.1 on Mistral (TRL calls it beta)",
        "anchor": "ORPO eq. 6: likelihood of the chosen answer",
        "anchor.nll": "ORPO eq. 6",
        "anchor.per": "ORPO eq. 3: mean over the tokens",
    },
    notes=("The likelihood is the answer's; TRL 1.16 and the official code add the prompt's by default.",),
)

KTO = Unpaired(
    name="kto",
    source="KTO, arXiv:2402.01306",
    link=Prospect(beta=0.1, desirable=1.0, undesirable=1.0),
    sources={
        "link": "KTO: 1 - Kahneman and Tversky's value of the log-ratio",
        "link.beta": "KTO: 0.1",
        "link.desirable": "KTO: 1 where as many are right as wrong",
        "link.undesirable": "KTO: 1 where as many are right as wrong",
    },
    notes=(
        "Rows carry a label each (a pair is two rows).",
        "Keep n_right x desirable / (n_wrong x undesirable) between 1 and 3/2 (KTO).",
        "z0 is the mean of mismatched answers' log-ratios over the whole step, at least 0, without gradient.",
    ),
)

AOT = Quantile(
    name="aot",
    source="AOT, arXiv:2406.05882, paired",
    score=Sum(),
    link=Logistic(beta=0.1),
    coupling="margins",
    sources={
        "score": "AOT: log-probs of the answer",
        "link": "AOT: logistic",
        "link.beta": "not from the paper: TRL 1.16's default",
    },
    notes=("Sorted over the whole step, however it is split (TRL 1.16 sorts each micro-batch).",),
)

AOT_UNPAIRED = replace(
    AOT,
    name="aot_unpaired",
    source="AOT, arXiv:2406.05882, unpaired",
    coupling="sides",
    notes=(
        *AOT.notes,
        "Rows carry a label each (a pair is two rows).",
        "Sides of different sizes meet quantile by quantile; equal ones are the paper's sort.",
    ),
)

PREFERENCES: Mapping[str, PreferenceMethod] = MappingProxyType(
    {
        m.name: m
        for m in (
            DPO,
            CDPO,
            ROBUST,
            IPO,
            IPO_MEAN,
            HINGE,
            SLIC,
            SIMPO,
            CPO,
            DPOP,
            RPO,
            DPO_NORM,
            ORPO,
            KTO,
            AOT,
            AOT_UNPAIRED,
        )
    }
)
