"""A method is one frozen record of orthogonal choices.

`Method` (the record) · `needs`, `check_sizes` (what it asks for) · `diff` (what tells two apart).
Left out: what a record computes (interpreter.py), which methods there are (methods.py), recipes (wire.py), preferences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verigrad.errors import Refused
from verigrad.losses.aggregations import Aggregation
from verigrad.losses.axis import AxisValue, parameters, told
from verigrad.losses.baselines import Baseline, Critic, Greedy, GroupMean
from verigrad.losses.clips import Clip, NoClip
from verigrad.losses.entropies import Bonus, Entropy, NoBonus
from verigrad.losses.keeps import Keep
from verigrad.losses.kls import K1, InLoss, Kl, RatioK3
from verigrad.losses.mismatches import Mismatch, NoCorrection, Truncated
from verigrad.losses.ratios import NoRatio, Ratio, Sequence, SequenceToken
from verigrad.losses.scales import BatchStd, GroupStd, Scale, Whiten

AXES = ("baseline", "scale", "ratio", "clip", "aggregation", "kl", "keep", "mismatch", "entropy")

_TRUNCATED_AT_2 = Truncated(level="token", cap=2.0)
_NO_BONUS = NoBonus()


@dataclass(frozen=True, kw_only=True)
class Method:
    """One choice on every axis, and where its numbers come from.

    Raises:
        Refused: choices that do not go together; the key names the axis to change.
    """

    name: str
    """What the recipe calls it."""
    source: str
    """Paper, arXiv number, equation."""
    baseline: Baseline
    """What a typical answer would have earned."""
    scale: Scale
    """The unit of an advantage."""
    ratio: Ratio
    """How far the policy has moved."""
    clip: Clip
    """What moving may gain."""
    aggregation: Aggregation
    """The loss's denominator."""
    kl: Kl
    """Distance from the reference."""
    keep: Keep
    """Which groups and answers are trained on."""
    mismatch: Mismatch = _TRUNCATED_AT_2
    """Weight where sampler and trainer differ."""
    entropy: Entropy = _NO_BONUS
    """Bonus for not being sure."""
    gamma: float = 1.0
    """Discount per chosen token of what is paid later; 1 in every method here. A critic brings its own."""
    sources: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Axis or parameter ("clip.low") -> whose choice or number it is."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What a reader must know beside the numbers."""
    paper_sizes: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Recipe key -> the paper's size, printed beside the user's, never set."""
    elsewhere: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Recipe key -> value that the method sets outside [loss]."""

    def __post_init__(self) -> None:
        """Refuses what does not go together."""
        if isinstance(self.ratio, (Sequence, SequenceToken)) and self.aggregation.by_token:
            raise Refused(
                f"loss.ratio = {self.ratio.word} with {self.aggregation.word} weighs answers by their length; "
                'say aggregation = "sequence_mean"',
                key="loss.aggregation",
            )
        if isinstance(self.ratio, NoRatio) and not isinstance(self.clip, NoClip):
            raise Refused(
                f'loss.ratio = none leaves loss.clip = {self.clip.word} nothing to hold; say clip = "none", or a ratio',
                key="loss.clip",
            )
        if per_part(self.scale) and (isinstance(self.baseline, (Greedy, Critic)) or process(self)):
            whose = "process rewards have" if process(self) else f"{self.baseline.word} has"
            raise Refused(f"loss.scale.per_part needs a baseline of each part; {whose} none", key="loss.scale.per_part")
        if isinstance(self.baseline, Critic) and isinstance(self.scale, (GroupStd, BatchStd)):
            raise Refused(
                f"loss.scale = {self.scale.word} divides rewards that are compared, and a critic compares none; "
                'say scale = "whiten" or "none"',
                key="loss.scale",
            )
        if process(self) and isinstance(self.kl, K1) and self.kl.paid == "sequence_reward":
            raise Refused(
                "loss.baseline.rewards = process pays no whole answer, so no KL out of it; pay it per token",
                key="loss.kl.paid",
            )
        if per_part(self.scale) and isinstance(self.kl, K1) and self.kl.paid == "sequence_reward":
            raise Refused(
                "loss.scale.per_part would scale the coefficient of a KL paid per sequence away; pay it per token",
                key="loss.kl.paid",
            )
        if isinstance(self.baseline, Critic) and self.gamma != 1:
            raise Refused("loss.gamma: a critic has a gamma of its own; say baseline.gamma", key="loss.gamma")
        if not 0 < self.gamma <= 1:
            raise Refused(f"loss.gamma is {self.gamma:g}; it must be above 0 and at most 1", key="loss.gamma")


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What a method needs computed or drawn beside the policy's log-probs."""

    reference: bool
    """A frozen reference's log-probs."""
    greedy: bool
    """The greedy answer of every group, scored."""
    entropy: bool
    """The policy's entropy with gradient."""
    critic: bool
    """Its values of the whole step before `advantages` (Signal.value_BT), and `value_loss` in every update."""
    old: bool
    """The trainer's log-probs before the update, where they are not the sampler's or the policy's own."""
    old_first: bool
    """Those log-probs before `advantages`, because the reward pays KL by them."""
    group: bool
    """At least two answers to each prompt."""
    process: bool
    """Verdicts that reward steps of reasoning and say where they end (Batch.process_BT)."""


def needs(method: Method) -> Needs:
    """What `advantages` and `policy_loss` will ask for."""
    return Needs(
        reference=kl_paid(method),
        greedy=isinstance(method.baseline, Greedy),
        entropy=isinstance(method.entropy, Bonus) and method.entropy.coefficient != 0,
        critic=isinstance(method.baseline, Critic),
        old=not isinstance(method.ratio, NoRatio)
        or not isinstance(method.mismatch, NoCorrection)
        or (kl_paid(method) and isinstance(method.kl, (K1, RatioK3))),
        old_first=kl_paid(method) and isinstance(method.kl, K1),
        group=method.baseline.compares or isinstance(method.scale, GroupStd) or per_part(method.scale),
        process=process(method),
    )


def check_sizes(method: Method, group: int) -> None:
    """Refuses a group size the method cannot compare within (key "train.group")."""
    if needs(method).group and group < 2:
        raise Refused(
            f"train.group is {group}: {method.name} compares the answers to one prompt "
            f"(baseline {method.baseline.word}, scale {method.scale.word}); it must be at least 2",
            key="train.group",
        )


def diff(a: Method, b: Method) -> tuple[str, ...]:
    """What b changes about a: ("clip.high 0.2 -> 0.28", "kl k3 -> k1 (coefficient 0.1, paid token_reward)")."""
    changes: list[str] = []
    for axis in AXES:
        old: AxisValue = getattr(a, axis)
        new: AxisValue = getattr(b, axis)
        then, now = parameters(old), parameters(new)
        if old.word != new.word:
            with_what = ", ".join(f"{k} {shown(v)}" for k, v in told(new).items())
            changes.append(f"{axis} {old.word} -> {new.word}" + (f" ({with_what})" if with_what else ""))
        else:
            changes += [f"{axis}.{k} {shown(then[k])} -> {shown(now[k])}" for k in now if then[k] != now[k]]
    if a.gamma != b.gamma:
        changes.append(f"gamma {shown(a.gamma)} -> {shown(b.gamma)}")
    return tuple(changes)


def shown(value: Any) -> str:
    """A parameter as output writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def kl_paid(method: Method) -> bool:
    """A KL term with a weight."""
    return isinstance(method.kl, (K1, InLoss)) and method.kl.coefficient > 0


def per_part(scale: Scale) -> bool:
    """Reward parts are centred and scaled one by one."""
    return isinstance(scale, (GroupStd, Whiten)) and scale.per_part


def process(method: Method) -> bool:
    """Advantages come from the rewards of steps of reasoning."""
    return isinstance(method.baseline, GroupMean) and method.baseline.rewards == "process"
