"""`make bench-exact`: is the fast engine the same model? Against transformers and the padded forward, SmolLM2-135M.

    python -m benchmarks.bench_exact [--smoke]

Greedy answers token by token against `generate` on 200 prompts in float32, every difference with the gap between the
two tokens' logits in a forward of that sequence alone; log-probs of drawn tokens against models.response_logps in
float32, and the bfloat16 engine against both arithmetics; gradients of the packed update against the padded one; first
tokens of many draws against the softmax by chi-square. Exit status 1 where a bound is missed (BOUNDS).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.bench_sampling import generate
from benchmarks.common import arguments, endless, facts, heading, rows, store, weights
from benchmarks.worker import sides
from verigrad import models
from verigrad.records import Completion, Request, seed
from verigrad.sampling import LocalSampler

BOUNDS = {
    "logp_max": 1e-4,
    "logp_mean": 1e-5,
    "greedy_gap": 1e-3,
    "gradient_relative": 1e-4,
    "gradient_relative_bfloat16": 0.1,
    "chi_square_p": 1e-4,
}
"""Nats; nats; logits within which a greedy difference is rounding; relative norms; least p."""
SUBJECTS = ("a river", "the number 17", "an old clock", "bread", "Mars", "a tax", "the word 'because'", "seven goats")
ASKED = (
    "Describe {} in one sentence.",
    "What is the use of {}?",
    "Count from 3 to {n}, say '{}'.",
    "{}?",
    "{n} + {n} =",
)


def questions(count: int) -> list[list[dict[str, str]]]:
    """Prompts of many lengths, no two alike."""
    texts = [ASKED[i % len(ASKED)].format(SUBJECTS[i // len(ASKED) % len(SUBJECTS)], n=5 + i) for i in range(count)]
    return [[{"role": "user", "content": f"{i}. {text}" + " Please." * (i % 7)}] for i, text in enumerate(texts)]


def drawn(lm: models.LanguageModel, asked: Sequence[Any], tokens: int, temperature: float) -> list[Completion]:
    """One answer to every prompt by the engine."""
    requests = [
        Request(prompt=tuple(p), seed=seed("exact", i), max_tokens=tokens, temperature=temperature)
        for i, p in enumerate(asked)
    ]
    return LocalSampler(lm, rows=64).sample(requests)


def greedy(lm: models.LanguageModel, folder: Path, asked: Sequence[Any], tokens: int) -> dict[str, Any]:
    """Answers that differ, and by what gap."""
    ours = drawn(lm, asked, tokens, 0.0)
    with sides({"generate": lambda: generate(folder, "float32", "dynamic")}) as running:
        theirs = running["generate"].ask(sample=tokens, prompts=asked, answers=1, greedy=True)["ids"]
    differences = []
    for i, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        apart = np.flatnonzero(mine.token_ids != np.array(other))
        if len(apart):
            t = int(apart[0])
            with torch.inference_mode():
                ids = torch.from_numpy(np.concatenate([mine.prompt_ids, mine.token_ids[:t]]))[None]
                logits_V = lm.module(input_ids=ids).logits[0, -1]
            gap = float(logits_V[int(mine.token_ids[t])] - logits_V[other[t]])
            differences.append({"prompt": i, "at": t, "ours": int(mine.token_ids[t]), "generate": other[t], "gap": gap})
    worst = max((abs(d["gap"]) for d in differences), default=0.0)
    return {"prompts": len(ours), "tokens": tokens, "differences": differences, "worst_gap": worst}


def logps(lm: models.LanguageModel, found: Sequence[Completion]) -> np.ndarray:
    """The padded forward's log-probs of these answers, [B, T]."""
    with torch.no_grad():
        told = models.response_logps(
            lm,
            [c.prompt_ids for c in found],
            np.stack([c.token_ids for c in found]),
            np.array([len(c.token_ids) for c in found]),
        )
    return np.asarray(told.logp_BT.cpu().numpy())


def apart(found: Sequence[Completion], reference_BT: np.ndarray) -> dict[str, float]:
    """Largest and mean absolute difference in nats."""
    difference = np.abs(np.stack([c.logp for c in found]) - reference_BT)
    return {"max": float(difference.max()), "mean": float(difference.mean())}


def gradients(lm: models.LanguageModel, bf16: models.LanguageModel, asked: Sequence[Any]) -> dict[str, Any]:
    """Packed gradients against the padded float32 ones: global relative norm and the worst tensor's."""
    generator = np.random.default_rng(0)
    ids = [models.encode(lm, p) for p in asked[:2] for _ in range(4)]
    length_B = generator.integers(5, 24, len(ids))
    token_ids_BT = generator.integers(100, lm.vocabulary, (len(ids), 24))
    weight_BT = torch.from_numpy(generator.normal(size=token_ids_BT.shape).astype(np.float32)).to(lm.device)

    def taken(call: Any, of: models.LanguageModel) -> list[torch.Tensor]:
        of.module.requires_grad_(True).zero_grad(set_to_none=False)
        (call(ids, token_ids_BT, length_B).logp_BT * weight_BT).sum().backward()
        return [p.grad.clone() for p in of.module.parameters() if p.grad is not None]

    padded = taken(lambda *a: models.response_logps(lm, *a), lm)
    told: dict[str, Any] = {}
    for name, of in (("float32", lm), ("bfloat16", bf16)):
        working = models.Working(of)
        packed = taken(lambda *a: working.logps(*a, temperature=1.0, entropy=False), of)  # noqa: B023
        norms = [(float((a - b).norm()), float(b.norm())) for a, b in zip(packed, padded, strict=True)]
        over = sum(d * d for d, _ in norms) ** 0.5 / sum(n * n for _, n in norms) ** 0.5
        worst = max(d / n for d, n in norms if n > 0)
        told[name] = {"relative": over, "worst_tensor": worst, "why_padded": working.why_padded}
    return told


def cells(expected_V: np.ndarray, least: float = 5.0) -> np.ndarray:
    """A cell for every token, [V]: its own where it is expected `least` times, else shared with the next rare ones."""
    alone_V = expected_V >= least
    rare = np.floor(np.cumsum(expected_V[~alone_V]) / least).astype(np.int64)
    last = max(int(rare[-1]) - 1, 0) if len(rare) else 0  # the last cell need not be full: it joins the one before
    cell_V = np.empty(len(expected_V), dtype=np.int64)
    cell_V[~alone_V] = np.minimum(rare, last)
    cell_V[alone_V] = (last + 1 if len(rare) else 0) + np.arange(int(alone_V.sum()))
    return cell_V


def chi_square(lm: models.LanguageModel, asked: Sequence[Any], draws: int) -> list[dict[str, Any]]:
    """Per prompt: statistic, degrees of freedom and p of many first tokens; cells of at least 5 expected draws."""
    told = []
    for i, prompt in enumerate(asked):
        requests = [
            Request(prompt=tuple(prompt), seed=seed("chi", i, j), max_tokens=1, temperature=1.0) for j in range(draws)
        ]
        tokens = np.array([int(c.token_ids[0]) for c in LocalSampler(lm, rows=64).sample(requests)])
        with torch.inference_mode():
            ids = torch.from_numpy(models.encode(lm, tuple(prompt)))[None]
            p_V = torch.softmax(lm.module(input_ids=ids).logits[0, -1].double(), dim=-1).numpy()
        expected_V, seen_V = p_V * draws, np.bincount(tokens, minlength=len(p_V))
        cell_V = cells(expected_V)
        expected, seen = np.bincount(cell_V, weights=expected_V), np.bincount(cell_V, weights=seen_V)
        statistic, df = float(((seen - expected) ** 2 / expected).sum()), len(expected) - 1
        half = torch.tensor([df / 2, statistic / 2], dtype=torch.float64)
        p = float(torch.special.gammaincc(half[0], half[1]))
        told.append({"draws": draws, "chi_square": round(statistic, 2), "df": df, "p": p})
    return told


def measured(given: Any) -> dict[str, Any]:
    """Everything."""
    count, tokens, draws = (6, 4, 300) if given.smoke else (200, 32, 20_000)
    result, asked = facts(), questions(count)
    with tempfile.TemporaryDirectory() as name:
        folder = weights(Path(name, "model"), given)
        lm = endless(models.load(str(folder), dtype="float32", device="cpu"))
        bf16 = replace(lm, dtype=torch.bfloat16)
        found = drawn(lm, asked, tokens, 1.0)
        quick = drawn(bf16, asked, tokens, 1.0)
        told = {
            "greedy": greedy(lm, folder, asked, tokens),
            "logp_float32": apart(found, logps(lm, found)),
            "logp_bfloat16_against_float32": apart(quick, logps(lm, quick)),
            "logp_bfloat16_against_padded_bfloat16": apart(quick, logps(bf16, quick)),
            "chi_square": chi_square(lm, asked[:2], draws),
            "gradients": gradients(lm, bf16, asked),
        }
    return result | told | {"bounds": BOUNDS, "missed": missed(told)}


def missed(told: dict[str, Any]) -> list[str]:
    """Every bound that does not hold, one line each."""
    held = {
        f"greedy gap {told['greedy']['worst_gap']:.2g}": told["greedy"]["worst_gap"] <= BOUNDS["greedy_gap"],
        f"log-prob max {told['logp_float32']['max']:.2g}": told["logp_float32"]["max"] <= BOUNDS["logp_max"],
        f"log-prob mean {told['logp_float32']['mean']:.2g}": told["logp_float32"]["mean"] <= BOUNDS["logp_mean"],
        "chi-square p": all(c["p"] >= BOUNDS["chi_square_p"] for c in told["chi_square"]),
        "gradient, float32": told["gradients"]["float32"]["relative"] <= BOUNDS["gradient_relative"],
        "gradient, bfloat16": told["gradients"]["bfloat16"]["relative"] <= BOUNDS["gradient_relative_bfloat16"],
    }
    return [name for name, holds in held.items() if not holds]


def table(result: dict[str, Any]) -> str:
    """The block of docs/performance.md."""
    alike = result["greedy"]["prompts"] - len(result["greedy"]["differences"])
    body = [
        ["greedy answers identical to `generate`, float32", f"{alike} of {result['greedy']['prompts']}"],
        ["largest logit gap where they differ", f"{result['greedy']['worst_gap']:.2g}"],
    ]
    for key, words in (
        ("logp_float32", "float32 engine against padded float32"),
        ("logp_bfloat16_against_float32", "bfloat16 engine against padded float32"),
        ("logp_bfloat16_against_padded_bfloat16", "bfloat16 engine against padded bfloat16"),
    ):
        body.append([f"log-probs, {words}: max, mean", f"{result[key]['max']:.2g}, {result[key]['mean']:.2g}"])
    for dtype, told in result["gradients"].items():
        what = f"gradients, packed {dtype} against padded float32: relative, worst tensor"
        body.append([what, f"{told['relative']:.2g}, {told['worst_tensor']:.2g}"])
    for told in result["chi_square"]:
        what = f"chi-square of {told['draws']} draws, df {told['df']}"
        body.append([what, f"{told['chi_square']}, p {told['p']:.2g}"])
    body.append(["bounds missed", ", ".join(result["missed"]) or "none"])
    return heading(result) + "\n" + rows(["what", "found"], body)


def main(given: Sequence[str] | None = None) -> int:
    """Measure, store, say; 1 where a bound is missed."""
    asked = arguments(__doc__, given, rounds=1)
    begun = time.monotonic()
    result = measured(asked)
    store("exact", result, asked, table, begun)
    return 1 if result["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
