"""From a request to a scored answer: Request, Completion, Rollout, Scored, Group.

Shape suffixes: S prompt tokens, T response tokens, G attempts in a group, K reward parts. Left out: text to tokens
and back (models), who samples (sampling), who pays (rewards).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from verigrad.records.task import Message, Task
from verigrad.records.verdict import Verdict

Finish = Literal["stop", "length"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """One answer to be drawn. Equal requests under equal weights give equal answers, whatever else is in the batch."""

    prompt: tuple[Message, ...]
    """The turns; the sampler applies the model's chat template."""
    seed: int
    """64-bit seed of this draw; token t uses `uniforms(seed, t)`."""
    max_tokens: int
    """Most response tokens, the end token included."""
    temperature: float = 1.0
    """Divides the logits; 0 is greedy (the first of equal logits)."""
    stop: tuple[str, ...] = ()
    """Texts that end the answer; the answer keeps everything before the first of them."""


@dataclass(frozen=True, kw_only=True)
class Completion:
    """What a sampler returns for one request.

    >>> Completion(prompt_ids=np.array([1, 5]), token_ids=np.array([9, 2]), logp=np.array([-0.1, -0.2], np.float32),
    ...            text="56", finish="stop").finish
    'stop'
    """

    prompt_ids: np.ndarray
    """[S] int64: the prompt as the model saw it."""
    token_ids: np.ndarray
    """[T] int64: the response, the end token included where one was drawn."""
    logp: np.ndarray
    """[T] float32: log-probability of each token under the distribution it was drawn from, in nats (at the request's
    temperature; for a greedy request at temperature 1)."""
    text: str
    """The response decoded, without special tokens and without the stop text."""
    finish: Finish
    """stop: an end token or stop text; length: cut at max_tokens."""
    version: tuple[int, int] = (0, 0)
    """Oldest and newest version of the weights that wrote it."""


@dataclass(frozen=True, kw_only=True)
class Draw:
    """Which draw of a run an answer is."""

    stage: int
    """Stage of the run, from 1."""
    step: int
    """Step within the stage, from 1; 0 is the pilot's."""
    attempt: int
    """Attempt at this task in this step, from 0, counting on through refills and repeats; -1 is the greedy answer."""
    seed: int
    """The seed sent in the request."""


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """One answer exactly as sampled."""

    task: Task
    """What was asked."""
    draw: Draw
    """Which draw it is."""
    answer: str
    """The model's output as text: what the verifier is given."""
    prompt_ids: np.ndarray
    """[S] int64."""
    token_ids: np.ndarray
    """[T] int64."""
    chosen: np.ndarray
    """[T] bool: True where the policy chose the token; a token it did not choose gets no gradient."""
    logp: np.ndarray
    """[T] float32: the sampler's log-probability of each token, in nats."""
    finish: Finish
    """stop | length."""
    version: tuple[int, int] = (0, 0)
    """Oldest and newest version of the weights that wrote it."""


@dataclass(frozen=True, kw_only=True)
class Scored:
    """A rollout and what it earned. A reward is never overwritten by its advantage."""

    rollout: Rollout
    """The answer."""
    verdict: Verdict
    """What the verifier said."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """[K] what each reward part paid, weight and gate applied, by the part's name."""
    reward: float | None
    """Sum of the parts; None iff the verdict is ungraded."""
    process_at: tuple[int, ...] | None = None
    """The token each of the verdict's steps of reasoning ends at, from 0, where it says where they end."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """The attempts at one task that are compared with each other."""

    task: Task
    """What was asked."""
    members: tuple[Scored, ...]
    """[G] graded attempts, in attempt order."""
    left_out: tuple[Scored, ...] = ()
    """Ungraded attempts: in no baseline, no total, no update."""
    greedy: Scored | None = None
    """The greedy answer (ReMax); never in the update."""

    @property
    def num_right(self) -> int:
        """Graded attempts whose verdict is right."""
        return sum(m.verdict.correct for m in self.members)

    @property
    def varied(self) -> bool:
        """Some right and some not: what dynamic sampling keeps (DAPO, arXiv:2503.14476, Algorithm 1)."""
        return 0 < self.num_right < len(self.members)
