"""Answers to prompts as tokens, and which of them go through a model together.

A *unit* is what must not be parted: one row, or the two answers of a pair, whose loss is one number. Units are put
together up to a budget of tokens, which bounds memory and never a loss. Left out: models and losses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from verigrad.errors import DataError
from verigrad.models import LanguageModel, Scorer, Working, encode, encode_answer
from verigrad.records import Task
from verigrad.training.micro_batches import cost

Tokens = tuple[np.ndarray, np.ndarray]
"""A prompt [S] and an answer with its end token [T], int64."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """N answers with their prompts."""

    prompt_ids: tuple[np.ndarray, ...]
    """N arrays [S] int64."""
    token_ids_BT: np.ndarray
    """[N, T] int64, zero behind an answer's end."""
    length_B: np.ndarray
    """[N] int64: tokens of each answer, its end token included."""

    @property
    def tokens(self) -> int:
        """Answer tokens of all rows."""
        return int(self.length_B.sum())

    @property
    def real_BT(self) -> np.ndarray:
        """[N, T] bool: an answer's token; False in padding."""
        real: np.ndarray = np.arange(self.token_ids_BT.shape[1])[None] < self.length_B[:, None]
        return real

    def take(self, rows: Sequence[int]) -> Rows:
        """These rows, as wide as the longest of them."""
        length_B = self.length_B[list(rows)]
        return Rows(
            prompt_ids=tuple(self.prompt_ids[i] for i in rows),
            token_ids_BT=self.token_ids_BT[list(rows), : int(length_B.max(initial=0))],
            length_B=length_B,
        )


class Reading:
    """Texts to tokens, each once. State: the tokens of every answer asked for so far."""

    def __init__(self, lm: LanguageModel | Scorer) -> None:
        self.lm = lm
        self._known: dict[tuple[str, str], Tokens] = {}

    def rows(self, answers: Iterable[tuple[Task, str]]) -> Rows:
        """These answers to these tasks, in order. Raises DataError where one is longer than the model's context."""
        found = [self.tokens(task, answer) for task, answer in answers]
        length_B = np.array([len(ids) for _, ids in found], dtype=np.int64)
        token_ids_BT = np.zeros((len(found), int(length_B.max(initial=0))), dtype=np.int64)
        for ids_T, (_, ids) in zip(token_ids_BT, found, strict=True):
            ids_T[: len(ids)] = ids
        return Rows(prompt_ids=tuple(ids for ids, _ in found), token_ids_BT=token_ids_BT, length_B=length_B)

    def tokens(self, task: Task, answer: str) -> Tokens:
        """One answer's. Raises DataError, see `rows`."""
        prompt, ids = self._read(task, answer)
        if not self.fits(task, answer):
            raise DataError(
                f"{task.source}: prompt and answer have {len(prompt) + len(ids)} tokens, the model reads "
                f"{self.lm.context} (answer {' '.join(answer.split())[:40]!r}): shorten it or leave the row out"
            )
        return prompt, ids

    def fits(self, task: Task, answer: str) -> bool:
        """Whether prompt and answer lie within the model's context."""
        most = self.lm.context
        return most is None or sum(map(len, self._read(task, answer))) <= most

    def _read(self, task: Task, answer: str) -> Tokens:
        key = (task.key, answer)
        if key not in self._known:
            self._known[key] = encode(self.lm, task.prompt), encode_answer(self.lm, answer)
        return self._known[key]


def bundles(rows: Rows, units: Sequence[Sequence[int]], tokens: int, *, packed: bool) -> list[list[int]]:
    """Units (rows each) put together: indices into `units`, at most `tokens` tokens a bundle and one unit at least.

    Units with like prompts stand beside each other, so that a packed forward computes what they share once.
    """

    def spent(bundle: Sequence[int]) -> int:
        at = [i for u in bundle for i in units[u]]
        return cost([rows.prompt_ids[i] for i in at], [[int(rows.length_B[i])] for i in at], packed=packed)

    order = sorted(range(len(units)), key=lambda u: [rows.prompt_ids[i].astype(">i8").tobytes() for i in units[u]])
    out: list[list[int]] = []
    for u in order:
        if out and spent([*out[-1], u]) <= tokens:
            out[-1].append(u)
        else:
            out.append([u])
    return out


def logps(working: Working, rows: Rows) -> Tensor:
    """Log-probs [N, T] float32 of the rows' answers at temperature 1, zero in padding; with gradient if that is on."""
    return working.logps(rows.prompt_ids, rows.token_ids_BT, rows.length_B).logp_BT


@torch.no_grad()
def sums(working: Working, rows: Rows, tokens: int) -> Tensor:
    """[N] float32, on the CPU: each answer's log-prob, the sum over its tokens, without gradient."""
    out = torch.zeros(len(rows.length_B))
    for bundle in bundles(rows, [[i] for i in range(len(out))], tokens, packed=not working.why_padded):
        out[bundle] = logps(working, rows.take(bundle)).sum(1).cpu()
    return out
