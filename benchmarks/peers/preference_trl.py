"""TRL's side of the preference losses, run by its own environment: its trainers' own loss, and its gradient.

    .envs/trl/bin/python -m benchmarks.peers.preference_trl FOLDER

FOLDER holds inputs.npz (token ids, masks, a table of logits) and cases.json (trainer, its config); outputs.npz and
versions.json are written beside them. The trainers are built as a user builds them, on a tiny model; their loss is then
asked with a table in the model's place (the next token's logits are a row of it), in float64. So what is compared is
everything TRL does between a model's logits and its loss: shift, masks, padding, means. Private names of TRL 1.16.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import transformers
import trl
from datasets import Dataset, disable_progress_bars
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import LlamaConfig, LlamaForCausalLM, LlamaForSequenceClassification, PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer, KTOConfig, KTOTrainer, RewardConfig, RewardTrainer
from trl.experimental.cpo import CPOConfig, CPOTrainer
from trl.experimental.orpo import ORPOConfig, ORPOTrainer

warnings.simplefilter("ignore")


class Table(torch.nn.Module):  # type: ignore[misc]
    """A model whose next token's logits are the row of the token before."""

    def __init__(self, logits_VV: np.ndarray) -> None:
        super().__init__()
        self.logits_VV = torch.nn.Parameter(torch.tensor(logits_VV))

    def forward(self, input_ids: torch.Tensor, labels: torch.Tensor | None = None, **_: Any) -> SimpleNamespace:
        """Logits, and what TRL's fused head would give beside them."""
        logits_BTV = self.logits_VV[input_ids]
        if labels is None:
            return SimpleNamespace(logits=logits_BTV)
        next_BT = labels[:, 1:]
        logp_BT = logits_BTV[:, :-1].log_softmax(-1).gather(-1, next_BT.clamp(min=0)[..., None])[..., 0]
        zero_BT = torch.zeros_like(logp_BT)
        return SimpleNamespace(
            logits=logits_BTV,
            log_probs=torch.where(next_BT == -100, zero_BT, logp_BT),
            entropy=zero_BT.detach(),
            mean_logits=zero_BT.detach(),
            is_top1=zero_BT.detach().bool(),
        )


class Rewards(torch.nn.Module):  # type: ignore[misc]
    """A reward model whose scores are its parameters."""

    def __init__(self, score_B: np.ndarray) -> None:
        super().__init__()
        self.score_B = torch.nn.Parameter(torch.tensor(score_B))

    def forward(self, **_: Any) -> SimpleNamespace:
        """All of them."""
        return SimpleNamespace(logits=self.score_B[:, None])


def tokenizer() -> PreTrainedTokenizerFast:
    """Words w0 to w11."""
    known = Tokenizer(WordLevel({f"w{i}": i for i in range(12)}, unk_token="w0"))
    known.pre_tokenizer = WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=known, pad_token="w0", eos_token="w1", unk_token="w0")


def model(kind: type[Any]) -> Any:
    """The smallest of its kind."""
    torch.manual_seed(0)
    return kind(
        LlamaConfig(
            vocab_size=12,
            hidden_size=8,
            intermediate_size=8,
            num_hidden_layers=1,
            num_attention_heads=1,
            pad_token_id=0,
            num_labels=1,
        )
    )


def data(*, labelled: bool) -> Dataset:
    """Something to build a trainer with; the loss never sees it."""
    if labelled:
        texts = [{"prompt": "w2", "completion": f" w{i}", "label": i % 2 == 0} for i in (3, 4, 5, 6)]
    else:
        texts = [{"prompt": "w2", "chosen": f" w{i}", "rejected": " w7"} for i in (3, 4, 5, 6)]
    return Dataset.from_list(texts)


KINDS: dict[str, tuple[Any, Any, Any]] = {
    "dpo": (DPOConfig, DPOTrainer, LlamaForCausalLM),
    "kto": (KTOConfig, KTOTrainer, LlamaForCausalLM),
    "cpo": (CPOConfig, CPOTrainer, LlamaForCausalLM),
    "orpo": (ORPOConfig, ORPOTrainer, LlamaForCausalLM),
    "reward": (RewardConfig, RewardTrainer, LlamaForSequenceClassification),
}


def trainer(kind: str, config: dict[str, Any], folder: str) -> Any:
    """As a user builds it."""
    config_of, trainer_of, model_of = KINDS[kind]
    fixed = {"report_to": "none", "use_cpu": True, "bf16": False, "save_strategy": "no", "disable_tqdm": True}
    reference = {"ref_model": model(model_of)} if kind in ("dpo", "kto") else {}
    return trainer_of(
        model=model(model_of),
        **reference,
        args=config_of(output_dir=folder, per_device_train_batch_size=2, **fixed, **config),
        train_dataset=data(labelled=kind == "kto"),
        processing_class=tokenizer(),
    )


def rows(given: dict[str, np.ndarray], batch: str, name: str, keep: slice) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids and the mask of the answer's."""
    ids, mask = given[f"{batch}.{name}.ids"][keep], given[f"{batch}.{name}.answer"][keep]
    return torch.tensor(ids), torch.tensor(mask)


def loss(own: Any, kind: str, given: dict[str, np.ndarray], batch: str, keep: slice) -> tuple[Any, Any]:
    """The trainer's loss of these rows, and the parameter it is a function of."""
    if kind == "reward":
        scores = np.concatenate([given["rewards.chosen"][keep], given["rewards.rejected"][keep]])
        policy = Rewards(scores)
        inputs = {"attention_mask": torch.ones(len(scores), 2), "margin": torch.tensor(given["rewards.margin"][keep])}
        return own.compute_loss(policy, inputs), policy.score_B
    policy = Table(given["policy"])
    own.ref_model = Table(given["reference"])
    sides = {name: rows(given, batch, name, keep) for name in ("chosen", "rejected", "mismatched")}
    (chosen, good), (rejected, bad) = sides["chosen"], sides["rejected"]
    if kind == "dpo":
        ids, answer = torch.cat([chosen, rejected]), torch.cat([good, bad])
        inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "completion_mask": answer.long()}
        return own._compute_loss(policy, inputs, False), policy.logits_VV
    if kind == "kto":
        far, far_answer = sides["mismatched"]
        right = len(chosen)
        wrong = right - 1  # sides of different sizes
        ids, answer = torch.cat([chosen, rejected[:wrong]]), torch.cat([good, bad[:wrong]])
        inputs = {
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "completion_mask": answer.long(),
            "KL_input_ids": far,
            "KL_attention_mask": torch.ones_like(far),
            "KL_completion_mask": far_answer.long(),
            "label": torch.tensor([True] * right + [False] * wrong),
        }
        return own._compute_loss(policy, inputs, False), policy.logits_VV
    real = {name: torch.tensor(given[f"{batch}.{name}.real"][keep]).long() for name in ("chosen", "rejected")}
    inputs = {
        "chosen_input_ids": chosen,
        "chosen_attention_mask": real["chosen"],
        "chosen_labels": chosen.masked_fill(~good, -100),
        "rejected_input_ids": rejected,
        "rejected_attention_mask": real["rejected"],
        "rejected_labels": rejected.masked_fill(~bad, -100),
    }
    return own.get_batch_loss_metrics(policy, inputs)[0], policy.logits_VV


def main() -> None:
    """Answer every case."""
    folder = Path(sys.argv[1])
    given = dict(np.load(folder / "inputs.npz"))
    transformers.logging.set_verbosity_error()
    disable_progress_bars()
    answers: dict[str, np.ndarray] = {}
    for case in json.loads((folder / "cases.json").read_text()):
        with tempfile.TemporaryDirectory() as work:
            own = trainer(case["trainer"], case["config"], work)
            own.model.train()
            total, gradient = 0.0, 0.0
            for start, stop in case["micro_batches"]:
                value, parameter = loss(own, case["trainer"], given, case["batch"], slice(start, stop))
                got = torch.autograd.grad(value, parameter)[0].numpy()
                if case["trainer"] == "reward":
                    got = np.stack(np.split(got, 2))
                total += value.item() / len(case["micro_batches"])
                gradient = gradient + got / len(case["micro_batches"])
        answers[f"{case['name']}.loss"], answers[f"{case['name']}.gradient"] = np.array(total), np.asarray(gradient)
    np.savez(folder / "outputs.npz", **answers)
    versions = {"trl": trl.__version__, "transformers": transformers.__version__, "torch": torch.__version__}
    (folder / "versions.json").write_text(json.dumps(versions))


if __name__ == "__main__":
    main()
