"""TRL's side, run by its own environment: GRPOTrainer trains, one step a question; or its loss alone.

    .envs/trl/bin/python -m benchmarks.trl_side '{"folder": ..., "config": {...}}'

`config` is handed to GRPOConfig as it is, on top of what defines the work (see `job`). {"tokens": n} takes one step of
n tokens an answer; ends of text are disabled by emptying the trainer's list of them, which costs it nothing.
{"loss": n} times its loss and backward over answers of n given tokens instead (private names of TRL 1.16).
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import warnings
from typing import Any

import torch
import transformers
import trl
from datasets import Dataset
from transformers import TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from benchmarks.worker import Line, forget_peak, status_gb

warnings.simplefilter("ignore")


def job(prompts: int, answers: int, device: str) -> dict[str, Any]:
    """What the work is, in TRL's words; nothing here is a choice of speed."""
    return {
        "gradient_accumulation_steps": prompts * answers // 8,  # of the default 8 rows a micro-batch
        "num_generations": answers,
        "beta": 0.0,
        "max_steps": 100_000,
        "save_strategy": "no",
        "report_to": "none",
        "disable_tqdm": True,
        "shuffle_dataset": False,
        "use_cpu": device == "cpu",
    }


class Turns(TrainerCallback):  # type: ignore[misc]
    """Holds training between steps until the next question, and answers with the step's seconds."""

    def __init__(self, line: Line, ready: dict[str, Any]) -> None:
        self.line, self.ready = line, ready
        self.trainer: Any = None
        self.begun = 0.0

    def _next(self) -> None:
        while (question := self.line.ask()) is not None and "loss" in question:
            self.line.answer(loss(self.trainer, question["loss"]))
        if question is None:
            raise SystemExit  # asking the trainer to stop would take one more step
        self.trainer.max_completion_length = question["tokens"]
        self.trainer.generation_config.max_new_tokens = question["tokens"]
        self.begun = time.perf_counter()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.trainer.eos_token_ids = []
        self.trainer.generation_config.eos_token_id = None
        forget_peak()
        self.line.answer(self.ready | {"loaded_gb": status_gb("VmRSS")})
        self._next()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        seconds = time.perf_counter() - self.begun
        kept = self.trainer._metrics["train"]
        self.line.answer(
            {
                "seconds": seconds,
                "answer_tokens": kept["completions/mean_length"][-1],
                "reward_std": kept["reward_std"][-1] if kept["reward_std"] else None,
                "grad_norm": state.log_history[-1].get("grad_norm") if state.log_history else None,
                "peak_gb": status_gb("VmHWM"),
                **({"gpu_peak_gb": torch.cuda.max_memory_allocated() / 1e9} if torch.cuda.is_available() else {}),
            }
        )
        kept.clear()
        self._next()


def loss(trainer: Any, tokens: int) -> dict[str, Any]:
    """Seconds of its loss and backward over all answers, in its micro-batches; no step of the optimizer."""
    per, rows = trainer.args.per_device_train_batch_size, trainer.args.generation_batch_size
    trainer.current_gradient_accumulation_steps = trainer.args.gradient_accumulation_steps
    ids = trainer._tokenize_prompts([r["prompt"] for r in trainer.train_dataset])[0]
    longest = max(len(i) for i in ids)
    generator = torch.Generator().manual_seed(0)
    completion = torch.randint(100, trainer.model.config.vocab_size, (rows, tokens), generator=generator)
    prompt = torch.zeros(rows, longest, dtype=torch.long)
    for row in range(rows):
        own = ids[row * len(ids) // rows]
        prompt[row, longest - len(own) :] = torch.tensor(own)
    mask = (torch.arange(longest)[None] >= longest - torch.tensor([len(i) for i in ids])[:, None]).long()
    batch = {
        "prompt_ids": prompt,
        "prompt_mask": mask.repeat_interleave(rows // len(ids), 0),
        "completion_ids": completion,
        "completion_mask": torch.ones_like(completion),
        "advantages": torch.linspace(-1, 1, rows),
    }
    trainer.model.train()
    trainer.model.zero_grad(set_to_none=False)
    begun = time.perf_counter()
    for start in range(0, rows, per):
        part = {k: v[start : start + per] for k, v in batch.items()}
        part["num_items_in_batch"] = torch.tensor(float(rows * tokens))
        trainer.accelerator.backward(trainer._compute_loss(trainer.model, part))
    seconds = time.perf_counter() - begun
    trainer._metrics["train"].clear()
    return {"seconds": seconds, "peak_gb": status_gb("VmHWM")}


def main() -> None:
    """Build the trainer and train until nobody asks."""
    given = json.loads(sys.argv[1])
    line = Line()
    transformers.logging.set_verbosity_error()
    work = job(len(given["prompts"]), given["answers"], given.get("device", "cpu"))
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(output_dir=folder, **work | given["config"])

        def pay(completions: list[Any], **_: Any) -> list[float]:
            return [float(i % 2) for i in range(len(completions))]

        told = {
            "per_device_train_batch_size": config.per_device_train_batch_size,
            "gradient_accumulation_steps": config.gradient_accumulation_steps,
            "gradient_checkpointing": config.gradient_checkpointing,
            "bf16": config.bf16,
            "cache_implementation": config.cache_implementation,
            "use_transformers_continuous_batching": config.use_transformers_continuous_batching,
            "optim": str(config.optim),
            "loss_type": config.loss_type,
        }
        versions = {"trl": trl.__version__, "transformers": transformers.__version__, "torch": torch.__version__}
        turns = Turns(line, {"arguments": work | given["config"], "as_resolved": told, "versions": versions})
        trainer = GRPOTrainer(
            model=given["folder"],
            reward_funcs=pay,
            args=config,
            train_dataset=Dataset.from_list([{"prompt": p} for p in given["prompts"]]),
            callbacks=[turns],
        )
        turns.trainer = trainer
        turns.ready["weights"] = str(trainer.model.dtype)
        turns.ready["prompt_tokens"] = [len(i) for i in trainer._tokenize_prompts(given["prompts"])[0]]
        trainer.train()


if __name__ == "__main__":
    main()
