"""Preferences without sampling: DPO and its kin on pairs, KTO and AOT on sets, each a record of `losses.preferences`.

Log-probs are sums over the answer and its end token. The reference's are computed once for all examples before the
first step, or live. A loss that is a sum over pairs goes through the model in micro-batches that add up; one with
statistics of the whole step (KTO's z0, AOT's order) in two passes: log-probs of the step without gradient, the loss
and its derivative by each log-prob, and then backward micro-batch by micro-batch. Left out: the losses, the loop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from verigrad.errors import DataError
from verigrad.losses import PreferenceLoss, PreferenceMethod, Side
from verigrad.models import LanguageModel, Working, restore_checkpoint, save_checkpoint
from verigrad.recipe import Train
from verigrad.records import Labelled, Pair, Task
from verigrad.training.micro_batches import TOKENS
from verigrad.training.rows import Reading, Rows, bundles, logps, sums
from verigrad.training.stepping import Stepper

Example = Pair | Labelled
Answer = tuple[Task, str]
"""A task and an answer to it, to another task where it is a mismatched one."""
Key = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class _Step:
    """Examples as rows: the chosen answers first, then the rejected ones."""

    rows: Rows
    good: int
    """Rows that are chosen answers."""
    units: list[list[int]]
    """Rows that must not be parted."""
    pairs: int
    """The loss's denominator: pairs, or rows where the method has none."""
    ref_B: Tensor | None
    """[N] float32: the reference's log-prob of each."""
    mismatched: Tensor | None
    """Log-ratios of mismatched answers, where the method asks for them."""


class PreferenceLearner:
    """`training.Learner` over pairs, or labelled answers. State: weights, moments, known log-probs of the reference."""

    def __init__(
        self,
        policy: LanguageModel,
        method: PreferenceMethod,
        train: Train,
        *,
        steps: int,
        reference: LanguageModel | None = None,
        precomputed: bool = True,
        tokens: int = TOKENS,
        card: str = "",
    ) -> None:
        """`steps` is the stage's length (for the schedule); `reference` is needed where the method has one, and asked
        before the first step only if `precomputed`; `tokens` bounds a micro-batch; `card`: README of saved models.
        """
        if method.needs_reference and reference is None:
            raise ValueError(f"{method.name} compares with a reference and was given none")
        self.policy = policy
        self.method = method
        self.precomputed = precomputed
        self.tokens = tokens
        self.card = card
        self.working = Working(policy)
        self.reference = Working(reference) if reference is not None and method.needs_reference else None
        self.stepper = Stepper(policy.module, train, steps=steps)
        self._reading = Reading(policy)
        self._mismatched: dict[Key, str] = {}
        self._known: dict[Key, float] = {}

    def prepare(self, examples: Sequence[Example]) -> None:
        """See training.Learner. A mismatched answer to a prompt (KTO) is that of the next example with another one."""
        chosen, rejected = self._sides(examples)
        answers = [*chosen, *rejected]
        self._reading.rows(answers)
        if self.method.needs_mismatched:
            self._mismatched.update(_mismatched(answers, self._reading))
        if self.reference is not None and self.precomputed:
            everything = [*answers, *self._others(answers)]
            found = sums(self.reference, self._reading.rows(everything), self.tokens)
            self._known.update(zip(map(_key, everything), found.tolist(), strict=True))

    def step(self, examples: Sequence[Example], *, step: int) -> Mapping[str, float]:
        """See training.Learner; logp/moved is the chosen answers' log-prob less the reference's, where it has one."""
        lr = self.stepper.begin(step)
        asked = self._asked(examples)
        metrics, logp_B = self._backward(asked)
        norm = self.stepper.end(step, metrics["loss/policy"])
        self.working.sync()
        if asked.ref_B is not None and asked.good:
            metrics["logp/moved"] = float((logp_B - asked.ref_B)[: asked.good].double().mean())
        return {**metrics, "grad/norm": norm, "lr": lr, "tokens/trained": float(asked.rows.tokens)}

    @torch.no_grad()
    def measure(self, examples: Sequence[Example]) -> Mapping[str, float]:
        """The step's metrics of these examples, without an update."""
        asked = self._asked(examples)
        everyone = list(range(len(asked.rows.length_B)))
        return dict(self._loss(asked, sums(self.working, asked.rows, self.tokens), everyone).sums)

    def save(self, folder: Path) -> None:
        """See training.Learner. The reference is the caller's, and not saved."""
        save_checkpoint(self.policy, folder, self.card)
        self.stepper.save(folder / "state")

    def load(self, folder: Path) -> None:
        """See training.Learner."""
        restore_checkpoint(self.policy, folder)
        self.working.sync()
        self.stepper.load(folder / "state")

    def _backward(self, asked: _Step) -> tuple[dict[str, float], Tensor]:
        """Gradients of the step's loss; its metrics, and every row's log-prob [N] before the update."""
        rows, method = asked.rows, self.method
        plan = bundles(rows, asked.units, self.tokens, packed=not self.working.why_padded)
        parts = [sorted(i for u in bundle for i in asked.units[u]) for bundle in plan]
        logp_B = torch.zeros(len(rows.length_B))
        told: dict[str, float] = defaultdict(float)
        if method.separable or len(parts) == 1:
            for part in parts:
                own_B = logps(self.working, rows.take(part)).sum(1)
                loss = self._loss(asked, own_B, part)
                loss.value.backward()  # type: ignore[no-untyped-call]
                logp_B[part] = own_B.detach().cpu()
                for name, value in loss.sums.items():
                    told[name] += value
            return dict(told), logp_B
        logp_B = sums(self.working, rows, self.tokens)
        leaf_B = logp_B.clone().requires_grad_()
        loss = self._loss(asked, leaf_B, list(range(len(leaf_B))))
        (slope_B,) = torch.autograd.grad(loss.value, leaf_B)
        for part in parts:
            own_B = logps(self.working, rows.take(part)).sum(1)
            (own_B * slope_B[part].to(own_B)).sum().backward()  # type: ignore[no-untyped-call]
        return dict(loss.sums), logp_B

    def _loss(self, asked: _Step, logp_B: Tensor, part: Sequence[int]) -> PreferenceLoss:
        """The method on these rows of the step, whose log-probs are `logp_B` in their order."""
        tokens_B = torch.from_numpy(asked.rows.length_B[list(part)]).to(logp_B)
        ref_B = None if asked.ref_B is None else asked.ref_B[list(part)].to(logp_B)
        good = sum(i < asked.good for i in part)
        chosen, rejected = (
            Side(logp_B=logp_B[at], tokens_B=tokens_B[at], ref_B=None if ref_B is None else ref_B[at])
            for at in (slice(0, good), slice(good, None))
        )
        return self.method(chosen, rejected, pairs=asked.pairs, mismatched=asked.mismatched)

    def _asked(self, examples: Sequence[Example]) -> _Step:
        chosen, rejected = self._sides(examples)
        answers, n = [*chosen, *rejected], len(chosen)
        paired = self.method.paired
        mismatched = None
        if self.method.needs_mismatched:
            missing = [a for a in answers if _key(a) not in self._mismatched]
            if missing:
                self._mismatched.update(_mismatched(answers, self._reading))
            others = self._others(answers)
            theirs_N = self._referred(others)
            assert theirs_N is not None
            mismatched = sums(self.working, self._reading.rows(others), self.tokens) - theirs_N
        return _Step(
            rows=self._reading.rows(answers),
            good=n,
            units=[[i, n + i] for i in range(n)] if paired else [[i] for i in range(len(answers))],
            pairs=n if paired else len(answers),
            ref_B=self._referred(answers),
            mismatched=mismatched,
        )

    def _sides(self, examples: Sequence[Example]) -> tuple[list[Answer], list[Answer]]:
        """Chosen and rejected answers: of pairs both, of labelled answers the good and the bad ones."""
        chosen: list[Answer] = []
        rejected: list[Answer] = []
        for example in examples:
            if isinstance(example, Pair):
                chosen.append((example.task, example.chosen))
                rejected.append((example.task, example.rejected))
            elif self.method.paired:
                raise DataError(
                    f"{self.method.name} compares pairs (columns chosen and rejected) and was given a labelled answer; "
                    'method = "kto" takes those'
                )
            else:
                (chosen if example.good else rejected).append((example.task, example.answer))
        return chosen, rejected

    def _others(self, answers: Sequence[Answer]) -> list[Answer]:
        """The mismatched answers that go with these."""
        return [(a[0], other) for a in answers if (other := self._mismatched.get(_key(a)))]

    def _referred(self, answers: Sequence[Answer]) -> Tensor | None:
        """[N] float32: the reference's log-probs, known or asked now; None without a reference."""
        if self.reference is None:
            return None
        known = [self._known.get(_key(a)) for a in answers]
        if any(value is None for value in known):
            return sums(self.reference, self._reading.rows(answers), self.tokens)
        return torch.tensor(known, dtype=torch.float32)


def _key(answer: Answer) -> Key:
    return answer[0].key, answer[1]


def _mismatched(answers: Sequence[Answer], reading: Reading) -> dict[Key, str]:
    """To each prompt the answer of the next row, round the end, that answers another one; none where no row does, or
    where prompt and answer are too long together.
    """
    out: dict[Key, str] = {}
    ring = [*answers, *answers]
    other: Answer | None = None
    for here, after in zip(reversed(ring[:-1]), reversed(ring[1:]), strict=True):
        if after[0].prompt != here[0].prompt:
            other = after
        if other is not None and reading.fits(here[0], other[1]):
            out[_key(here)] = other[1]
    return out
