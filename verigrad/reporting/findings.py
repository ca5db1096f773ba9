"""What a run's metrics say is going wrong, in plain words with numbers and what to try. Pure: numbers in, findings out.

Thresholds stand in the functions that use them; they are this project's rules of thumb, not a paper's. First and
last mean the first and the last quarter of a stage's steps. Left out: reading files (view), printing (doctor).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FEWEST = 8
"""Steps below which a stage is not judged."""
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that looks wrong."""

    name: str
    """A word for it: dead_groups, entropy, truncation, ..."""
    stage: int
    """Stage, from 1."""
    says: str
    """What the numbers show."""
    advice: str
    """What to try."""


def findings(metrics: Rows) -> list[Finding]:
    """All findings of all stages, in order; [] where nothing looks wrong or a stage is shorter than FEWEST steps."""
    out = []
    for stage in sorted({m["stage"] for m in metrics}):
        rows = [m for m in metrics if m["stage"] == stage]
        checks = _CHECKS if len(rows) >= FEWEST else (_not_numbers,)
        out += [Finding(stage=stage, **found) for check in checks for found in check(rows)]
    return out


def values(rows: Rows, metric: str) -> list[float]:
    """A metric's finite values in order of steps."""
    return [float(v) for m in rows if isinstance(v := m.get(metric), int | float) and math.isfinite(v)]


def ends(rows: Rows, metric: str) -> tuple[float, float, float] | None:
    """(mean of the first quarter, mean of the last, standard error of their difference); None below FEWEST values."""
    all_values = values(rows, metric)
    n = len(all_values) // 4
    if len(all_values) < FEWEST:
        return None
    first, last = all_values[:n], all_values[-n:]
    return _mean(first), _mean(last), math.sqrt((_variance(first) + _variance(last)) / n)


_Found = Iterator[dict[str, str]]


def _not_numbers(rows: Rows) -> _Found:
    bad = [
        (m["step"], k)
        for m in rows
        for k, v in m.items()
        if v is None or (isinstance(v, float) and not math.isfinite(v))
    ]
    if bad:
        step, key = bad[0]
        yield {
            "name": "not_a_number",
            "says": f"{key} is not a number at step {step}, and {len(bad)} values in all",
            "advice": 'lower train.lr, or model.dtype = "float32"; resume from a checkpoint before that step',
        }


def _dead_groups(rows: Rows) -> _Found:
    right, wrong = ends(rows, "group/all_right"), ends(rows, "group/all_wrong")
    if right is None or wrong is None or right[1] + wrong[1] < 0.8:
        return
    says = f"{right[1]:.0%} of the last groups were all right, {wrong[1]:.0%} all wrong: neither teaches what is right"
    if right[1] >= wrong[1]:
        advice = (
            'the tasks have become too easy: harder data, or stop here; keep = "varied" draws again for mixed groups'
        )
    else:
        advice = "the tasks are too hard: easier data first, a larger train.group, or an sft stage before"
    yield {"name": "dead_groups", "says": says, "advice": advice}


def _entropy(rows: Rows) -> _Found:
    found = ends(rows, "entropy")
    if found is None:
        return
    first, last, _ = found
    if last < 0.1 * first and first > 0.05:
        yield {
            "name": "entropy_collapse",
            "says": f"entropy fell from {first:.3g} to {last:.3g} nats a token: the model hardly explores any more",
            "advice": "raise loss.clip.high, lower train.lr or train.passes, or add KL to the reference (loss.kl)",
        }
    if last > 2 * first and last > first + 0.5:
        yield {
            "name": "entropy_grows",
            "says": f"entropy grew from {first:.3g} to {last:.3g} nats a token: the text may be dissolving",
            "advice": "read late answers in the report; lower train.lr, or loss.entropy if it is set",
        }


def _truncation(rows: Rows) -> _Found:
    found = ends(rows, "length/truncated")
    if found is not None and found[1] > 0.2:
        yield {
            "name": "truncation",
            "says": f"{found[1]:.0%} of the last answers were cut at the token limit ({found[0]:.0%} at first)",
            "advice": 'raise sampling.max_tokens, ask for shorter answers in data.system, or add shaping "overlong"',
        }


def _validation(rows: Rows) -> _Found:
    looks = [(m["step"], float(v)) for m in rows if isinstance(v := m.get("validation/right"), int | float)]
    if len(looks) < 2:
        return
    (at, best), (end, last) = max(looks, key=lambda look: look[1]), looks[-1]
    reward = ends([m for m in rows if m["step"] >= at], "reward/mean")
    if best - last < 0.05 or reward is None or reward[1] <= reward[0] + 2 * reward[2]:
        return
    yield {
        "name": "reward_without_validation",
        "says": f"since step {at} mean reward rose from {reward[0]:.3g} to {reward[1]:.3g}, but the validation slice "
        f"fell from {best:.1%} to {last:.1%} (step {end})",
        "advice": "the reward is being gained some other way: read answers that gained, run audit on the verifier, "
        "keep the best checkpoint",
    }


def _parts(rows: Rows) -> _Found:
    right = ends(rows, "reward/right")
    if right is None or right[1] > right[0] + 0.02:
        return
    for name in dict.fromkeys(k for m in rows for k in m if k.startswith("reward/part/")):
        part = ends(rows, name)
        if part is not None and part[1] - part[0] > max(0.05, 3 * part[2]):
            yield {
                "name": "part_without_right",
                "says": f"{name} rose from {part[0]:.3g} to {part[1]:.3g}, but the share of right answers went from "
                f"{right[0]:.1%} to {right[1]:.1%}",
                "advice": "the model is learning this part and not the task: lower its weight, or gated = true",
            }


def _paid_for_nothing(rows: Rows) -> _Found:
    right = ends(rows, "reward/right")
    if right is None or right[1] >= 0.02:
        return
    names = dict.fromkeys(k for m in rows for k in m if k.startswith("reward/part/"))
    paying = [(name, part[1]) for name in names if (part := ends(rows, name)) is not None and part[1] > 0.05]
    if paying:
        yield {
            "name": "paid_without_right",
            "says": f"{right[1]:.1%} of the last answers were right, and in the mean "
            + " and ".join(f"{name} paid {paid:.3g}" for name, paid in paying),
            "advice": "what is paid is not the task: gated = true, or easier data until something is right",
        }


def _mismatch(rows: Rows) -> _Found:
    mean, weight = ends(rows, "mismatch/mean"), ends(rows, "mismatch/weight")
    if mean is not None and abs(mean[1]) > 0.05:
        says = f"sampler and trainer differ by {mean[1]:.3g} nats a token in the mean"
        if weight is not None:
            says += f"; the mean correction weight is {weight[1]:.3g}"
        yield {
            "name": "mismatch",
            "says": says,
            "advice": "use one precision for both (model.dtype, sampling.options), and keep loss.mismatch truncated",
        }


def _learned(rows: Rows) -> _Found:
    right = ends(rows, "reward/right")
    if right is None or len(rows) < 20:
        return
    first, last, error = right
    if last < first - max(0.03, 3 * error):
        yield {
            "name": "worse",
            "says": f"the share of right answers fell from {first:.1%} to {last:.1%}",
            "advice": "lower train.lr or train.passes; look at gradient norm and entropy around where it began",
        }
    elif abs(last - first) < max(0.01, 2 * error) and first < 0.95:
        yield {
            "name": "nothing_learned",
            "says": f"the share of right answers went from {first:.1%} to {last:.1%} in {len(rows)} steps, "
            f"within two standard errors ({2 * error:.1%})",
            "advice": "raise train.lr, train more steps, or look at the pilot: do the prompts give mixed groups?",
        }


def _checks_trouble(rows: Rows) -> _Found:
    for metric, most, words, advice in (
        ("verdict/ungraded", 0.01, "could not be graded", "mend the check or the golds it reads; the pilot lists them"),
        (
            "verdict/broke_check",
            0.02,
            "broke the check",
            "read them in the report: does the check bound what it reads?",
        ),
        (
            "verdict/timed_out",
            0.02,
            "ran into the check's time limit",
            "a faster check, or raise reward.options.seconds",
        ),
        (
            "verdict/unreadable",
            0.3,
            "held no single readable answer",
            "say in data.system how to answer, or an sft stage",
        ),
        (
            "validation/disagree",
            0.05,
            "are judged differently by grader and verifier",
            "read them: one of the two is wrong",
        ),
    ):
        found = values(rows, metric)
        late = _mean(found[-max(1, len(found) // 4) :]) if found else 0.0
        if late > most:
            where = "validation" if metric.startswith("validation") else "last"
            yield {"name": metric.split("/")[1], "says": f"{late:.1%} of the {where} answers {words}", "advice": advice}


def _critic(rows: Rows) -> _Found:
    explained = values(rows, "value/explained")
    late = explained[len(explained) // 2 :]
    if len(explained) >= FEWEST and max(late) <= 0:
        yield {
            "name": "critic_explains_nothing",
            "says": f"in the last {len(late)} steps the critic explained at most {max(late):.3g} of the returns' "
            "variance: its values are noise in every advantage",
            "advice": "another learning rate of the critic (loss.baseline.lr), more steps, or a baseline without one",
        }


def _gradients(rows: Rows) -> _Found:
    norms = values(rows, "grad/norm")
    if len(norms) < FEWEST:
        return
    middle, largest = sorted(norms)[len(norms) // 2], max(norms)
    if largest > 20 * middle > 0:
        step = next(m["step"] for m in rows if m.get("grad/norm") == largest)
        yield {
            "name": "gradient_spike",
            "says": f"the gradient norm was {largest:.3g} at step {step}, {largest / middle:.0f} times its median",
            "advice": "lower train.lr or train.optimizer.max_norm; look at that step's rollouts",
        }


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _variance(numbers: Sequence[float]) -> float:
    mean = _mean(numbers)
    return sum((x - mean) ** 2 for x in numbers) / max(1, len(numbers) - 1)


_CHECKS: tuple[Callable[[Rows], _Found], ...] = (
    _not_numbers,
    _learned,
    _dead_groups,
    _entropy,
    _truncation,
    _validation,
    _parts,
    _paid_for_nothing,
    _mismatch,
    _checks_trouble,
    _critic,
    _gradients,
)
