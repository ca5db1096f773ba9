"""transformers' side: `generate` with a dynamic or a static cache, or its continuous batching.

    python -m benchmarks.generate_side '{"folder": ..., "dtype": "bfloat16", "how": "dynamic"}'

how: dynamic | static | compiled (a static cache and torch.compile, whose first call pays for compiling) | continuous.
Each question carries its prompts; ends of text are off.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig
from transformers.generation import ContinuousBatchingConfig

from benchmarks.worker import Line, forget_peak, status_gb


class Transformers:
    """A module in the arithmetic's own type, as transformers loads it."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.how = given["how"]
        dtype = getattr(torch, given["dtype"])
        self.module = AutoModelForCausalLM.from_pretrained(given["folder"], dtype=dtype, attn_implementation="sdpa")
        self.module.eval().requires_grad_(False)
        self.tokenizer = AutoTokenizer.from_pretrained(given["folder"])
        self.module.generation_config = GenerationConfig(eos_token_id=None, pad_token_id=0)

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Draw question["sample"] tokens for every prompt, question["answers"] times each."""
        ids = [self.encoded(p) for p in question["prompts"]]
        tokens, answers, greedy = question["sample"], question["answers"], question.get("greedy", False)
        begun = time.perf_counter()
        run = self._continuous if self.how == "continuous" else self._generate
        with torch.inference_mode():
            found = run([i for i in ids for _ in range(answers)], self.config(tokens, greedy=greedy))
        seconds = time.perf_counter() - begun
        told = {"seconds": seconds, "tokens": sum(map(len, found)), "peak_gb": status_gb("VmHWM")}
        return told | ({"ids": found} if greedy else {})

    def encoded(self, prompt: list[dict[str, str]]) -> list[int]:
        """Token ids of a prompt with its template."""
        text = self.tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def config(self, tokens: int, *, greedy: bool = False) -> GenerationConfig:
        """Plain sampling at temperature 1, or the greedy answer."""
        cache = {"static": {"cache_implementation": "static"}, "compiled": {"cache_implementation": "static"}}
        config = GenerationConfig(
            max_new_tokens=tokens,
            **({"do_sample": False} if greedy else {"do_sample": True, "temperature": 1.0, "top_k": 0, "top_p": 1.0}),
            use_cache=True,
            eos_token_id=None,
            pad_token_id=0,
            disable_compile=self.how != "compiled",
            **cache.get(self.how, {}),
        )
        if self.how == "compiled":
            compile_config = transformers.CompileConfig(fullgraph=False, dynamic=False, mode="default")
            compile_config._compile_all_devices = True  # transformers compiles for a GPU only, unless asked
            config.compile_config = compile_config
        return config

    def _generate(self, ids: list[list[int]], config: GenerationConfig) -> list[list[int]]:
        longest = max(len(i) for i in ids)
        padded = torch.zeros(len(ids), longest, dtype=torch.long)
        mask = torch.zeros_like(padded)
        for row, i in enumerate(ids):
            padded[row, longest - len(i) :] = torch.tensor(i)
            mask[row, longest - len(i) :] = 1
        out = self.module.generate(input_ids=padded, attention_mask=mask, generation_config=config)
        found: list[list[int]] = out[:, longest:].tolist()
        return found

    def _continuous(self, ids: list[list[int]], config: GenerationConfig) -> list[list[int]]:
        # Its own default takes 90 % of the machine's memory for keys and values, at every call; it gets what it needs.
        blocks = len(ids) * (-(-(max(len(i) for i in ids) + config.max_new_tokens) // 256) + 1)
        batching = ContinuousBatchingConfig(num_blocks=blocks, max_batch_tokens=max(512, len(ids)))
        found = self.module.generate_batch(
            ids, generation_config=config, continuous_batching_config=batching, progress_bar=False
        )
        return [list(one.generated_tokens) for one in found.values()]


def main() -> None:
    """Load, say so, serve."""
    line = Line()
    transformers.logging.set_verbosity_error()
    given = json.loads(sys.argv[1])
    side = Transformers(given)
    forget_peak()
    arguments = {"how": given["how"], "dtype": given["dtype"], "attention": "sdpa", "padding": "left"}
    told = {
        k: v for k, v in side.config(1).to_diff_dict().items() if k not in ("compile_config", "transformers_version")
    }
    line.answer(
        {
            "arguments": arguments | {"generation_config": told},
            "versions": {"transformers": transformers.__version__, "torch": torch.__version__},
            "loaded_gb": status_gb("VmRSS"),
        }
    )
    line.serve(side.answer)


if __name__ == "__main__":
    main()
