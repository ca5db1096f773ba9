"""TRL's side of the policy losses, run by its own environment: its trainers' own advantages, loss and gradient.

    .envs/trl/bin/python -m benchmarks.peers.policy_trl FOLDER

FOLDER holds inputs.npz (log-probs, rewards, lengths) and cases.json; outputs.npz and versions.json are written beside
them. The trainers are built as a user builds them, on a tiny model. Then two methods are given what a model would have
said: the answers that were "drawn", and the log-probs of policy, old policy and reference. All between those and the
loss is TRL's own: rewards, advantages, masks, ratios, denominators. Private names of TRL 1.16.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
import trl
from datasets import Dataset, disable_progress_bars
from transformers import LlamaForCausalLM
from trl import GRPOConfig, GRPOTrainer, RLOOConfig, RLOOTrainer

from benchmarks.peers.preference_trl import model, tokenizer

warnings.simplefilter("ignore")
KINDS: dict[str, tuple[Any, Any]] = {"grpo": (GRPOConfig, GRPOTrainer), "rloo": (RLOOConfig, RLOOTrainer)}


def trainer(case: dict[str, Any], given: dict[str, np.ndarray], folder: str) -> Any:
    """As a user builds it, for one step on all answers in `parts` micro-batches, more than one update of them."""
    config_of, trainer_of = KINDS[case["trainer"]]
    rows, group, parts = len(given["reward"]), int(given["group_size"]), case["parts"]
    prompts = Dataset.from_list([{"prompt": f"w{2 + g}"} for g in range(rows // group)])
    config = {"beta": 0.0, **case["config"]}
    args = config_of(
        output_dir=folder,
        per_device_train_batch_size=rows // parts,
        gradient_accumulation_steps=parts,
        num_generations=group,
        num_iterations=2,  # more than one update of the same answers: the old policy's log-probs are then its own
        max_completion_length=int(given["budget"]),
        report_to="none",
        use_cpu=True,
        bf16=False,
        save_strategy="no",
        disable_tqdm=True,
        **config,
    )

    def pays(completions: list[Any], **_: Any) -> list[float]:
        return [float(r) for r in given["reward"]]

    model(LlamaForCausalLM).save_pretrained(f"{folder}/model")  # by name: TRL loads the reference by it again
    own = trainer_of(
        model=f"{folder}/model",
        reward_funcs=pays,
        args=args,
        train_dataset=prompts,
        processing_class=tokenizer(),
    )
    own.model.train()
    own.current_gradient_accumulation_steps = parts
    return own


def answer(case: dict[str, Any], given: dict[str, np.ndarray], folder: str) -> tuple[float, np.ndarray]:
    """Loss of the whole step and its gradient by the policy's log-probs [B, T]."""
    own = trainer(case, given, folder)
    rows, length = len(given["reward"]), given["length"]
    prompts = [[2 + int(g)] for g in given["group"]]
    drawn = [[5] * int(n) for n in length]
    texts = [" ".join(["w5"] * int(n)) for n in length]
    said = (prompts, drawn, texts) if case["trainer"] == "rloo" else (prompts, drawn, None, texts, None, {}, None, [])
    own._generate = lambda _prompts: said
    logp = torch.tensor(given[case["policy"]], requires_grad=True)
    asked = [torch.tensor(given["old"])]
    if own.beta:
        asked.append(torch.tensor(given["ref"]))

    def told(*_: Any, **__: Any) -> tuple[torch.Tensor, torch.Tensor, None]:
        now = asked.pop(0)
        return now, torch.zeros_like(now.detach()), None

    own._get_per_token_logps_and_entropies = told
    batch = own._generate_and_score_completions([{"prompt": f"w{p[0]}"} for p in prompts])
    assert not asked, "TRL asked for fewer log-probs than it was to"
    parts = case["parts"]
    total = torch.zeros((), dtype=torch.float64)
    for keep in np.array_split(np.arange(rows), parts):
        asked.append(logp[keep])
        cut = {k: v[keep] if torch.is_tensor(v) and v.ndim else v for k, v in batch.items()}
        loss = own._compute_loss(own.model, cut)
        # RLOO leaves the division by micro-batches to the Trainer it stands on.
        total = total + (loss / parts if case["trainer"] == "rloo" else loss)
    return total.item(), torch.autograd.grad(total, logp)[0].numpy()


def main() -> None:
    """Answer every case."""
    folder = Path(sys.argv[1])
    given = dict(np.load(folder / "inputs.npz"))
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    disable_progress_bars()
    answers: dict[str, np.ndarray] = {}
    for case in json.loads((folder / "cases.json").read_text()):
        with tempfile.TemporaryDirectory() as work:
            loss, gradient = answer(case, given, work)
        answers[f"{case['name']}.loss"], answers[f"{case['name']}.gradient"] = np.array(loss), gradient
    np.savez(folder / "outputs.npz", **answers)
    versions = {"trl": trl.__version__, "transformers": transformers.__version__, "torch": torch.__version__}
    (folder / "versions.json").write_text(json.dumps(versions))


if __name__ == "__main__":
    main()
