"""Which tasks a step gets: an endless stream that can be entered anywhere. Leaves out attempts and their seeds.

A pure function of (run seed, stage, step): nothing that happened in earlier steps (refills, dropped groups) changes it,
so that a resumed run sees the same tasks. Each source is shuffled by hash anew every epoch and gone through without
repetition; sources are interleaved by their weights. A task stands twice in one step only where its source is smaller
than its part of that step; its attempts are then counted on by whoever draws.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from verigrad.errors import RecipeError
from verigrad.records import Task, seed, uniforms


def shares(sizes: Mapping[str, int], weights: Mapping[str, float | None]) -> dict[str, Fraction]:
    """Share of each source in a step; sums to 1, exactly.

    Where no source says a weight, its size is its weight; where some do, a source that does not counts 1.
    """
    said = any(weights.get(name) is not None for name in sizes)
    parts: dict[str, Fraction] = {}
    for name, size in sizes.items():
        weight = weights.get(name)
        parts[name] = Fraction(weight if weight is not None else 1 if said else size)
    total = sum(parts.values(), Fraction(0))
    return {name: part / total for name, part in parts.items()}


class Order:
    """The stream of one stage. Its only state is a cache: every method is a pure function of its arguments.

    >>> order = Order({"times_table": load_source("times_table").tasks}, prompts=8, run_seed=0, stage=1)
    >>> order.tasks(40) == order.tasks(40), len(order.tasks(1))
    (True, 8)
    """

    def __init__(
        self,
        tasks: Mapping[str, Sequence[Task]],
        *,
        prompts: int,
        run_seed: int,
        stage: int,
        weights: Mapping[str, float | None] | None = None,
    ) -> None:
        """`tasks` by source name (a split's training side), `prompts` tasks a step; `weights` the recipe's."""
        empty = [name for name, of_source in tasks.items() if not of_source]
        if empty or not tasks or prompts < 1:
            raise RecipeError(
                f"nothing to draw from: {empty[0] if empty else 'no source'} has no task, or prompts is 0"
            )
        self.shares = shares({name: len(of_source) for name, of_source in tasks.items()}, weights or {})
        self._tasks = {name: tuple(of_source) for name, of_source in tasks.items()}
        self._keys = {
            name: np.array([int(task.key, 16) for task in of_source], dtype=np.uint64)
            for name, of_source in tasks.items()
        }
        self._names = tuple(tasks)
        self._prompts = prompts
        self._seed = (run_seed, stage)
        self._shuffled: dict[tuple[str, int], tuple[Task, ...]] = {}
        self._epochs: dict[tuple[str, int], tuple[Task, ...]] = {}

    def tasks(self, step: int) -> tuple[Task, ...]:
        """The tasks of a step, counted from 1: [prompts]."""
        start = (step - 1) * self._prompts
        return tuple(self._at(name, i) for name, i in self._draws(start, self._prompts))

    def more(self, step: int, round_: int, count: int) -> tuple[Task, ...]:
        """`count` further tasks, at most `prompts`, for refill round `round_`, from 1, of a step.

        From a shuffle of their own that is entered at the step's own place, without the step's tasks; rounds take one
        stretch of it each, so that a task comes again only where its source is smaller than the step with its rounds.
        """
        start = (step - 1 + round_) * self._prompts
        asked = {task.key for task in self.tasks(step)}
        before, now = self._counts(step * self._prompts), self._counts(start)
        first = {name: now[name] - before[name] for name in self._names}
        walks: dict[str, tuple[Task, ...]] = {}
        found = []
        for name, index in self._draws(start, count):
            if name not in walks:
                walks[name] = self._walk(name, step, asked)
            found.append(walks[name][(first[name] + index - now[name]) % len(walks[name])])
        return tuple(found)

    def epoch(self, name: str, step: int) -> int:
        """How often the source has been gone through whole before the step, from 0."""
        return self._counts((step - 1) * self._prompts)[name] // len(self._tasks[name])

    def _walk(self, name: str, step: int, asked: set[str]) -> tuple[Task, ...]:
        """The refills' shuffle from the step's own place, without the tasks asked; with them if there are no others."""
        pool = self._shuffle(name, -1)
        start = seed("order", *self._seed, "refill", name, step) % len(pool)
        walk = pool[start:] + pool[:start]
        return tuple(task for task in walk if task.key not in asked) or walk

    def _draws(self, start: int, count: int) -> list[tuple[str, int]]:
        """(source, its own index) of the draws start .. start + count - 1 of the whole stream."""
        at = self._counts(start)
        draws = []
        for _ in range(count):
            name = self._next(at)
            draws.append((name, at[name]))
            at[name] += 1
        return draws

    def _counts(self, total: int) -> dict[str, int]:
        """How many of the first `total` draws are each source's.

        Source s makes its i-th draw at time (i + 1/2) / share_s; draws are merged by time. At time t it has made
        floor(t share_s + 1/2), in sum at most t + K/2 for K sources: all of them but a few are counted at once.
        """
        time = max(0, total - len(self._names))
        counts = {name: math.floor(time * self.shares[name] + Fraction(1, 2)) for name in self._names}
        if time == 0:
            counts = dict.fromkeys(self._names, 0)
        while sum(counts.values()) < total:
            counts[self._next(counts)] += 1
        return counts

    def _next(self, counts: Mapping[str, int]) -> str:
        return min(self._names, key=lambda name: (2 * counts[name] + 1) / self.shares[name])

    def _at(self, name: str, index: int) -> Task:
        epoch, within = divmod(index, len(self._tasks[name]))
        return self._epoch(name, epoch)[within]

    def _epoch(self, name: str, epoch: int) -> tuple[Task, ...]:
        """The epoch's order: the shuffle, with what the step at its seam has already drawn moved behind that step.

        Where the source is at least two steps large, that move never reaches the epoch's own tail, so the tail of the
        epoch before is its shuffle's; a smaller source is followed from the nearest epoch known. One that every step
        goes through whole has no seams.
        """
        size = len(self._tasks[name])
        if epoch == 0 or self.shares[name] * self._prompts - len(self._names) - 1 > size:
            return self._shuffle(name, epoch)
        if (name, epoch) in self._epochs:
            return self._epochs[name, epoch]
        if size >= 2 * self._prompts:
            order = self._seam(name, epoch, self._shuffle(name, epoch - 1))
            self._keep(self._epochs, (name, epoch), order)
            return order
        known = max((e for n, e in self._epochs if n == name and e <= epoch), default=0)
        order = self._epochs.get((name, known), self._shuffle(name, 0))
        for e in range(known + 1, epoch + 1):
            order = self._seam(name, e, order)
            self._keep(self._epochs, (name, e), order)
        return order

    def _seam(self, name: str, epoch: int, before: Sequence[Task]) -> tuple[Task, ...]:
        shuffled = self._shuffle(name, epoch)
        first = epoch * len(shuffled)
        start, end = self._step_around(name, first)
        if start == first or end - start > len(shuffled):
            return shuffled
        drawn = {task.key for task in before[start - first :]}
        front = [task for task in shuffled if task.key not in drawn][: end - first]
        behind = {task.key for task in front}
        return (*front, *(task for task in shuffled if task.key not in behind))

    def _step_around(self, name: str, index: int) -> tuple[int, int]:
        """The source's own draws [start, end) in the step that holds its draw `index`."""
        step = max(0, math.floor(index / self.shares[name]) // self._prompts - len(self._names))
        start = self._counts(step * self._prompts)[name]
        while True:
            end = self._counts((step + 1) * self._prompts)[name]
            if end > index:
                return start, end
            step, start = step + 1, end

    def _shuffle(self, name: str, epoch: int) -> tuple[Task, ...]:
        """The source's tasks by hash; epoch -1 is the refills'."""
        if (name, epoch) not in self._shuffled:
            hashes = uniforms(self._keys[name] ^ np.uint64(seed("order", *self._seed, epoch)), 0)
            order = np.lexsort((self._keys[name], hashes))
            self._keep(self._shuffled, (name, epoch), tuple(self._tasks[name][i] for i in order))
        return self._shuffled[name, epoch]

    def _keep(
        self, cache: dict[tuple[str, int], tuple[Task, ...]], key: tuple[str, int], order: tuple[Task, ...]
    ) -> None:
        name, epoch = key
        for old in [k for k in cache if k[0] == name and 0 <= k[1] < epoch - 1]:
            del cache[old]
        cache[key] = order
