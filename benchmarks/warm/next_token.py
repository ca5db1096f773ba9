"""Warm-up by next tokens: a few steps of imitation on a recipe's training side, so that RL finds some right answers.

    python -m benchmarks.warm.next_token recipes/smt.toml [--start MODEL] [--steps 8] [--examples 16] [--lr 2e-5]

The answer imitated is the gold as its verifier would have it said (or a column), up to the first stop text; the loss
is the mean next-token loss over the answers' tokens, all weights move (AdamW), and the recipe's `model.path` is the
folder written. The held-out side and validation are never shown. Left out: everything else a sft stage has.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from benchmarks.common import MODEL
from verigrad import models
from verigrad.data import Order, load, split
from verigrad.recipe import Recipe
from verigrad.recipe import load as load_recipe
from verigrad.records import Task
from verigrad.rewards import kind

CARD = "Warmed by benchmarks/warm/next_token.py: {steps} steps of {examples} right answers, learning rate {lr:g}.\n"


def warm(
    recipe: Recipe, *, start: str, steps: int, examples: int, lr: float, out: Path, lead: str = "", column: str = ""
) -> list[float]:
    """Imitate, save the model to `out`, and return the loss of every step, in nats a token."""
    lm = models.load(start, dtype=recipe.model.dtype, device=recipe.model.device, template=recipe.model.template)
    cut = split(load(recipe.data, folder=recipe.folder))
    order = Order(cut.train, prompts=examples, run_seed=recipe.run.seed, stage=0)
    optimizer = torch.optim.AdamW(lm.module.parameters(), lr=lr, weight_decay=0.0)
    losses = []
    for step in range(1, steps + 1):
        optimizer.param_groups[0]["lr"] = lr * min(1.0, step / 3)
        loss = next_token_loss(lm, [(task, said(recipe, task, lead, column)) for task in order.tasks(step)])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(lm.module.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(round(float(loss.detach()), 4))
    models.save(replace(lm, name=str(out)), out, CARD.format(steps=steps, examples=examples, lr=lr))
    return losses


def said(recipe: Recipe, task: Task, lead: str = "", column: str = "") -> str:
    """The answer to imitate: `lead`, the gold as the verifier would have it (or a column), and what ends an answer."""
    check = next(part for part in recipe.reward if part.verifier is not None)
    gold = task.columns[column] if column else kind(str(check.verifier)).gold_answer(task, **check.options)
    return f"{lead}{gold}{recipe.sampling.stop[0]}"


def next_token_loss(lm: models.LanguageModel, pairs: Sequence[tuple[Task, str]]) -> torch.Tensor:
    """Mean next-token loss over the tokens of the answers; rows padded on the right."""
    rows, starts = [], []
    for task, answer in pairs:
        prompt = models.encode(lm, task.prompt).tolist()
        rows.append(prompt + lm.tokenizer(answer, add_special_tokens=False)["input_ids"])
        starts.append(len(prompt))
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows], device=lm.device)
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows], device=lm.device)
    place = torch.arange(longest, device=lm.device)[None]
    answers = (place >= torch.tensor(starts, device=lm.device)[:, None]) & mask.bool()
    with torch.autocast(lm.device.type, dtype=lm.dtype, enabled=lm.dtype is not torch.float32):
        hidden = lm.module.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
        logits = lm.module.get_output_embeddings()(hidden[:, :-1][answers[:, 1:]])
    return torch.nn.functional.cross_entropy(logits.float(), ids[:, 1:][answers[:, 1:]])


def main(given: Sequence[str] | None = None) -> int:
    """Read the recipe, warm, say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--start", default=MODEL, help="the model to begin with")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--examples", type=int, default=16, help="right answers a step")
    parser.add_argument("--lr", type=float, default=2e-5)
    parser.add_argument("--lead", default="", help="text between prompt and answer, as a space")
    parser.add_argument("--column", default="", help="the column to imitate, instead of the gold")
    parser.add_argument("--out", type=Path, help="where to write, instead of the recipe's model.path")
    arguments: Any = parser.parse_args(given)
    recipe = load_recipe(arguments.recipe)
    out = arguments.out or (recipe.folder / recipe.model.path).resolve()
    begun = time.monotonic()
    sizes = {name: getattr(arguments, name) for name in ("start", "steps", "examples", "lr", "lead", "column")}
    losses = warm(recipe.stage(1), out=out, **sizes)
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f} in {time.monotonic() - begun:.0f} s: {out.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
