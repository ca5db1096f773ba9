"""The reward of a recipe: one verifier a source, shaping and judges beside it, each paid and logged by its own name.

reward = sum over parts of weight * what the part pays; a gated part pays only where the verifier says right; None where
the verdict is ungraded. A judge (a reward model) pays its score; over a source without a verifier its sign is the
verdict. Left out: baselines and advantages (losses), what to do with ungraded answers (rollouts).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verigrad.errors import RecipeError, Refused, nearest
from verigrad.recipe import Limits, Reward
from verigrad.records import Rollout, Scored, Task, Verdict
from verigrad.rewards.judges import Verifier, verifier_of
from verigrad.rewards.paying import Payer, payer_of
from verigrad.rewards.user import OwnCheck
from verigrad.sandbox import Pool

if TYPE_CHECKING:
    from verigrad.rewards.reward_model import RewardModel


@dataclass(frozen=True, kw_only=True)
class _Judge:
    """A verifier part with what it pays."""

    name: str
    part: Reward
    verifier: Verifier
    pays: tuple[float, float]
    partial: bool

    def pay(self, verdict: Verdict) -> float:
        low, high = self.pays
        score = (verdict.score or 0.0) if self.partial else float(verdict.correct)
        return self.part.weight * (low + score * (high - low))


@dataclass(frozen=True, kw_only=True)
class _Scoring:
    """A part with a reward model, which pays its score."""

    name: str
    part: Reward
    verifier: RewardModel


@dataclass(frozen=True, kw_only=True)
class _Shape:
    """A shaping part with its payer."""

    name: str
    part: Reward
    payer: Payer


class Rewards:
    """All reward parts of a recipe, and the worker processes the user's functions run in.

    >>> rewards = Rewards([Reward(verifier="number")], folder=Path("."), max_tokens=64)
    >>> rewards.verify("8 * 10 = 80", Task.make(prompt="What is 8 * 10?", gold=80)).status
    'right'
    """

    def __init__(
        self,
        parts: Sequence[Reward],
        *,
        folder: Path,
        max_tokens: int,
        limits: Limits | None = None,
        workers: int | None = None,
        sandbox: int = 2,
        device: str = "auto",
    ) -> None:
        """Checks every part, loads the user's functions and reward models once. Raises Refused, with the key path.

        `folder`: the recipe's; `max_tokens`: sampling.max_tokens, for overlong; `workers`: processes for the user's
        functions, None: one a core, at most 8; `sandbox`: run.sandbox, the least level for programs the model wrote;
        `device`: where reward models run.
        """
        self._pool = Pool(workers)
        seconds = limits.check_seconds if limits is not None else None
        self._judges: list[_Judge] = []
        self._models: list[_Scoring] = []
        self._shapes: list[_Shape] = []
        names: list[str] = []
        try:
            for i, part in enumerate(parts):
                key = f"reward.{i}"
                if part.verifier is None:
                    continue
                if part.gated:
                    raise RecipeError(f"{key}.gated: a verifier cannot wait for its own verdict", key=f"{key}.gated")
                verifier, paid, partial = verifier_of(
                    part.verifier, part.options, folder=folder, pool=self._pool, seconds=seconds, least=sandbox, key=key
                )
                name = _unique(verifier.name, names)
                self._judges.append(_Judge(name=name, part=part, verifier=verifier, pays=paid, partial=partial))
            for i, part in enumerate(parts):
                if part.model is not None:
                    model = _model_of(part, folder=folder, device=device, key=f"reward.{i}")
                    self._models.append(_Scoring(name=_unique(model.name, names), part=part, verifier=model))
            own = any(isinstance(j.verifier, OwnCheck) for j in self._judges)
            for i, part in enumerate(parts):
                if part.shaping is not None:
                    payer = payer_of(
                        part,
                        folder=folder,
                        pool=self._pool,
                        max_tokens=max_tokens,
                        seconds=seconds,
                        own=own,
                        key=f"reward.{i}",
                    )
                    self._shapes.append(_Shape(name=_unique(payer.name, names), part=part, payer=payer))
            _refuse_overlap(self._judges, judged=bool(self._models))
        except BaseException:
            self.close()
            raise
        self.names: tuple[str, ...] = tuple(names)
        """Names of the parts, verifiers first: what `Scored.parts` and reward/part/NAME are called."""
        checks = [j.verifier for j in self._judges] + [s.payer.check for s in self._shapes if s.payer.check]
        self.checks: tuple[OwnCheck, ...] = tuple(c for c in checks if isinstance(c, OwnCheck))
        """The user's functions: their .said, .file, .source and .sha256 go into the run."""

    def judges(self, source: str) -> Verifier:
        """The verifier of that source, or the reward model in its place. Raises RecipeError where there is none."""
        return self._judge(source).verifier

    def has_verifier(self, source: str) -> bool:
        """Whether a program judges that source: a reward model's sign is no verdict to compare a grader with."""
        return any(j.part.verifier is not None and j.part.judges(source) for j in self._judges)

    @property
    def gated(self) -> tuple[str, ...]:
        """Names of the reward models that score right answers alone."""
        return tuple(m.name for m in self._models if m.part.gated)

    def check_sources(self, sources: Iterable[str]) -> None:
        """Raises RecipeError where a source has no verifier, or a part names a source that is not there."""
        known = tuple(sources)
        every: list[_Judge | _Scoring | _Shape] = [*self._judges, *self._models, *self._shapes]
        for i, part in enumerate(each.part for each in every):
            for name in part.on or ():
                if name not in known:
                    raise RecipeError(
                        f'reward on = "{name}": no such source{nearest(name, known)}', key=f"reward.{i}.on"
                    )
        for name in known:
            judge = self._judge(name)
            if judge.part.gated:
                raise RecipeError(
                    f'a gated reward model pays what a verifier calls right, and "{name}" has no verifier', key="reward"
                )

    def verify(self, answer: str, task: Task) -> Verdict:
        """The verdict on one answer."""
        return self._judge(task.source).verifier.verify(answer, task)

    def score(self, rollouts: Sequence[Rollout]) -> list[Scored]:
        """Verdict, parts and reward of each rollout, in order."""
        judges = [self._judge(r.task.source) for r in rollouts]
        verdicts = _each(
            self._judges,
            judges,
            lambda judge, at: judge.verifier.verify_all([(rollouts[i].answer, rollouts[i].task) for i in at]),
        )
        parts: list[dict[str, float]] = [
            {j.name: j.pay(v)} if isinstance(j, _Judge) else {} for j, v in zip(judges, verdicts, strict=True)
        ]
        for model in self._models:
            self._pay_scores(model, rollouts, judges, verdicts, parts)
        for shape in self._shapes:
            at = [
                i
                for i, r in enumerate(rollouts)
                if shape.part.judges(r.task.source) and verdicts[i].status != "ungraded"
            ]
            paid = shape.payer.pay([rollouts[i] for i in at], [verdicts[i] for i in at])
            for i, amount in zip(at, paid, strict=True):
                if isinstance(amount, Verdict):
                    verdicts[i] = amount
                else:
                    open_ = verdicts[i].correct or not shape.part.gated
                    parts[i][shape.name] = shape.part.weight * amount if open_ else 0.0
        return [_scored(r, v, p) for r, v, p in zip(rollouts, verdicts, parts, strict=True)]

    def _pay_scores(
        self,
        model: _Scoring,
        rollouts: Sequence[Rollout],
        judges: Sequence[_Judge | _Scoring],
        verdicts: list[Any],
        parts: Sequence[dict[str, float]],
    ) -> None:
        """What a reward model pays, into `parts`; and its sign into `verdicts` where it stands for a verifier."""
        from verigrad.rewards.reward_model import sign

        at = [
            i
            for i, (rollout, judge) in enumerate(zip(rollouts, judges, strict=True))
            if model.part.judges(rollout.task.source) and (judge is model or verdicts[i].status != "ungraded")
        ]
        paid = model.verifier.scores([(rollouts[i].answer, rollouts[i].task) for i in at])
        for i, score in zip(at, paid, strict=True):
            verdict = sign(score)
            if judges[i] is model or verdict.status == "ungraded":
                verdicts[i] = verdict
            open_ = verdicts[i].correct or not model.part.gated
            parts[i][model.name] = model.part.weight * score if open_ else 0.0

    def check_golds(self, tasks: Sequence[Task], *, seconds: float = float("inf")) -> list[tuple[Task, Verdict]]:
        """Every gold through its verifier, written as an answer: those that are not right.

        A task whose data holds no answer to put through is passed over. Where none of the first few can be
        judged at all, those are the answer: the check itself is broken. Stops after `seconds` with what was found;
        raises Refused where nothing was found by then and golds are left.
        """
        begun, at, failed = time.perf_counter(), 0, list[tuple[Task, Verdict]]()
        width = max([self._pool.size, *(j.verifier.at_once for j in self._judges)])
        while at < len(tasks):
            if time.perf_counter() - begun > seconds:
                if failed:
                    break
                raise Refused(f"after {seconds:g} s only {at:,} of {len(tasks):,} golds went through their verifier")
            some = tasks[at : at + (4 * width if at else max(2, width))]
            verdicts = self._golds(some)
            failed += [(t, v) for t, v in zip(some, verdicts, strict=True) if v is not None and not v.correct]
            if at == 0 and all(v is not None and v.status == "ungraded" for v in verdicts):
                break
            at += len(some)
        return failed

    def close(self) -> None:
        """Ends the worker processes."""
        self._pool.close()

    def __enter__(self) -> Rewards:
        """Itself; `with` closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()

    def _golds(self, tasks: Sequence[Task]) -> list[Verdict | None]:
        judges = [self._judge(t.source) for t in tasks]
        return _each(self._judges, judges, lambda judge, at: judge.verifier.verify_golds([tasks[i] for i in at]))

    def _judge(self, source: str) -> _Judge | _Scoring:
        judges: list[_Judge | _Scoring] = [*self._judges, *self._models]
        for judge in judges:
            if judge.part.judges(source):
                return judge
        raise RecipeError(f'no [[reward]] verifier judges the source "{source}"', key="reward")


def _each(
    judges: Sequence[_Judge], of: Sequence[_Judge | _Scoring], work: Callable[[_Judge, list[int]], Sequence[Any]]
) -> list[Any]:
    """Results by row: each judge works on its own rows at once; None where none of these does."""
    out: list[Any] = [None] * len(of)
    for judge in judges:
        rows = [i for i, j in enumerate(of) if j is judge]
        if rows:
            for i, result in zip(rows, work(judge, rows), strict=True):
                out[i] = result
    return out


def _scored(rollout: Rollout, verdict: Verdict, parts: dict[str, float]) -> Scored:
    ungraded = verdict.status == "ungraded"
    return Scored(
        rollout=rollout,
        verdict=verdict,
        parts={} if ungraded else parts,
        reward=None if ungraded else sum(parts.values()),
    )


def _model_of(part: Reward, *, folder: Path, device: str, key: str) -> RewardModel:
    if part.options:
        raise RecipeError(f"{key}.options: a reward model has no options", key=f"{key}.options")
    assert part.model is not None
    if part.model.startswith("stage:"):
        raise RecipeError(
            f"{part.model} is trained by the run itself: only a later stage of that run reads it", key=f"{key}.model"
        )
    from verigrad.rewards.reward_model import RewardModel

    return RewardModel.load(part.model, folder=folder, device=device, key=f"{key}.model")


def _refuse_overlap(judges: Sequence[_Judge], *, judged: bool) -> None:
    if not judges and not judged:
        raise RecipeError(
            "no [[reward]] has a verifier or a model; a run that pays for shaping alone gives it weight = 0",
            key="reward",
        )
    for i, a in enumerate(judges):
        for b in judges[:i]:
            both = set(a.part.on or ()) & set(b.part.on or ())
            if both or a.part.on is None or b.part.on is None:
                which = f'"{sorted(both)[0]}"' if both else "every source"
                raise RecipeError(
                    f"{b.name} and {a.name} both judge {which}: one verifier a source, by on = ...", key="reward"
                )


def _unique(name: str, taken: list[str]) -> str:
    """The name, with a number where it is taken; noted in `taken`."""
    out, n = name, 2
    while out in taken:
        out, n = f"{name}_{n}", n + 1
    taken.append(out)
    return out
