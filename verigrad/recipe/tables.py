"""The grammar as records: one frozen model a table, one field a key, the default beside it. docs/recipe.md in code.

Left out: what an option's or an axis's words mean (the room that owns them says), and what needs two tables (checks).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from verigrad.recipe.words import (
    Axis,
    Check,
    Count,
    CountOrNone,
    Flag,
    Named,
    NotNegative,
    Options,
    Positive,
    Probability,
    Share,
    Text,
    Whole,
    is_number,
    number,
    refuse,
    texts,
    wants,
    whole,
    word,
)


class Table(BaseModel):
    """A table of the recipe: strict, frozen, no key beyond its own."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", defer_build=True, protected_namespaces=())


class Message(Table):
    """One turn of `data.prompt`."""

    role: Annotated[str, word("system", "user", "assistant", "tool")]
    """Who speaks."""
    content: Annotated[str, wants("a text", lambda v: isinstance(v, str))]
    """What is said; {column} stands for the row's value."""


def _messages(value: Any) -> Any:
    if isinstance(value, str) or not isinstance(value, list | tuple):
        if isinstance(value, str) and value:
            return value
        raise refuse("a text or a list of { role, content }")
    if not value or not all(isinstance(m, Mapping | Message) for m in value):
        raise refuse("a text or a list of { role, content }")
    return tuple(m if isinstance(m, Message) else Message(**m) for m in value)


def _columns(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(v, str) and v for v in value.values())


def _held_out(value: Any) -> Any:
    if (isinstance(value, str) and value) or (is_number(value) and 0 <= value < 1):
        return value if isinstance(value, str) else float(value)
    raise refuse("a share of at least 0 and below 1, or another source")


_NOT_IN_NAMES = set('/\\:*?"<>|' + "".join(map(chr, range(32))))


def _folder_name(value: Any) -> bool:
    return (
        isinstance(value, str)
        and value.strip(" .") != ""
        and value[0] not in ".-"
        and value.isprintable()
        and not set(value) & set('/\\:*?"<>|')
    )


def _layers(value: Any) -> Any:
    if (isinstance(value, str) and value) or (
        isinstance(value, list | tuple) and value and all(isinstance(v, str) and v for v in value)
    ):
        return value if isinstance(value, str) else tuple(value)
    raise refuse('"all-linear" or a list of names of layers')


class Lora(Table):
    """Low-rank adapters in place of all weights."""

    rank: Annotated[int, whole(1, hint=" (lora = 0 trains all weights)")]
    """Width of the adapters."""
    alpha: Positive | None = None
    """Scale; filled with 2 * rank."""
    layers: Annotated[str | tuple[str, ...], BeforeValidator(_layers)] = "all-linear"
    """Which layers get one: "all-linear" or names."""
    dropout: Annotated[float, number("of at least 0 and below 1", lambda v: 0 <= v < 1)] = 0.0
    """Share of the adapters' inputs left out while training; above 0 in a later version."""

    @model_validator(mode="before")
    @classmethod
    def _twice_the_rank(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and "alpha" not in value and is_number(value.get("rank")):
            return {**value, "alpha": 2 * value["rank"]}
        return value


class Model(Table):
    """What is trained."""

    path: Text
    """Hub name, folder, file.gguf or package:NAME/FILE.gguf."""
    dtype: Annotated[Literal["auto", "float32", "bfloat16"], word("auto", "float32", "bfloat16")] = "auto"
    """Arithmetic of the update; the master copy is always float32."""
    device: Annotated[Literal["auto", "cpu", "cuda", "mps"], word("auto", "cpu", "cuda", "mps")] = "auto"
    """Where it runs; auto is cuda if there, else cpu."""
    lora: Lora | None = None
    """None trains all weights."""
    template: Text = "auto"
    """auto (the tokenizer's), none, or a .jinja file."""


class Data(Table):
    """Where the data comes from: one source."""

    source: Named
    """Built-in, file.jsonl, file.parquet, hub:owner/name, gym:task, file.py:function, run:NAME or run:. (rollouts)."""
    prompt: Annotated[str | tuple[Message, ...] | None, BeforeValidator(_messages)] = None
    """Text with {column}s, or turns; None: the column `prompt` or `messages`."""
    system: Text | None = None
    """Text put before the prompt as the system's turn."""
    columns: Annotated[Mapping[str, str], wants("a table of ours = yours, both texts", _columns)] = Field(
        default_factory=dict
    )
    """Ours -> yours."""
    held_out: Annotated[float | str, BeforeValidator(_held_out)] = 0.1
    """Share of families kept from training, in [0, 1), or another source."""
    split_by: Text | None = None
    """Column whose equal values stay on one side; None: the prompt, normalised."""
    weight: NotNegative | None = None
    """Share of this source in a step; None: its size."""

    @property
    def name(self) -> str:
        """See `source_name`."""
        return source_name(self.source)


class Reward(Table):
    """One part of the reward: exactly one of verifier, shaping, model."""

    verifier: Named | None = None
    """What judges an answer: a kind, file.py:function or module:function."""
    shaping: Named | None = None
    """What is paid besides being right: a kind or file.py:function."""
    model: Text | None = None
    """A reward model's folder, or stage:N."""
    on: Annotated[tuple[str, ...], texts("a source's name or a list of them")] | None = None
    """Names of the sources it judges; None: all."""
    weight: NotNegative = 1.0
    """Factor in the sum."""
    gated: Flag = False
    """Pays only when the verifier says right."""
    options: Options = Field(default_factory=dict)
    """Options of that verifier or shaping, which checks them."""

    def judges(self, source: str) -> bool:
        """Whether this part judges the source of that name."""
        return self.on is None or source in self.on


POLICY_AXES = ("baseline", "scale", "ratio", "clip", "aggregation", "kl", "keep", "mismatch", "entropy")
PREFERENCE_AXES = ("score", "link", "anchor")
AXES = POLICY_AXES + PREFERENCE_AXES
"""Axes a recipe may name: nine of the policy-gradient family, three of the preference family."""


class Loss(Table):
    """How the loss is computed: a method and what is changed about it."""

    method: Text = "grpo"
    """The method, see methods.md."""
    axes: Mapping[str, Axis] = Field(default_factory=dict)
    """The axes the user wrote: a word, or a table of name and parameters."""


class Sampling(Table):
    """How answers are drawn."""

    engine: Annotated[Literal["local", "vllm", "http"], word("local", "vllm", "http")] = "local"
    """Who draws; http for acceptance only."""
    max_tokens: Count = 256
    """Most tokens of an answer."""
    temperature: NotNegative = 1.0
    """Logits are divided by it; 0 is greedy."""
    stop: Annotated[tuple[str, ...], texts("a list of texts")] = ()
    """Texts that end an answer."""
    options: Options = Field(default_factory=dict)
    """Options of that engine, which checks them."""


class Schedule(Table):
    """The learning rate over the steps."""

    name: Annotated[Literal["constant", "linear", "cosine"], word("constant", "linear", "cosine")] = "constant"
    """How it falls after the warm-up."""
    warmup: CountOrNone = 0
    """Steps of linear warm-up."""
    floor: Share = 0.0
    """Share of the peak that is left at the end."""


def _betas(value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) == 2 and all(is_number(b) and 0 <= b < 1 for b in value):
        return (float(value[0]), float(value[1]))
    raise refuse("two numbers of at least 0 and below 1")


class Optimizer(Table):
    """AdamW and its numbers; decay is off unless asked for (the recipes of GRPO's libraries differ: 0, 0.01, 0.1)."""

    name: Annotated[Literal["adamw"], word("adamw")] = "adamw"
    """The optimizer."""
    betas: Annotated[tuple[float, float], BeforeValidator(_betas)] = (0.9, 0.999)
    """Decay of the two moments."""
    eps: Positive = 1e-8
    """Added to the root of the second moment."""
    weight_decay: NotNegative = 0.0
    """Decoupled decay, times the learning rate."""
    max_norm: Positive = 1.0
    """Gradients are clipped to this global norm."""


class Train(Table):
    """Sizes and steps."""

    steps: Count | None = None
    """Rounds of sampling and updates (rl) ..."""
    epochs: Count | None = None
    """... or passes over the data (the other kinds): exactly one of the two."""
    prompts: Count = 8
    """Prompts (rl) or examples a step."""
    group: Count = 8
    """Answers a prompt."""
    passes: Count = 1
    """Times each batch of rollouts is used."""
    minibatches: Count = 1
    """Updates a pass."""
    lr: Positive = 1e-6
    """Peak learning rate."""
    schedule: Schedule = Field(default_factory=Schedule)
    """The learning rate over the steps: a word or a table."""
    optimizer: Optimizer = Field(default_factory=Optimizer)
    """The optimizer: a word or a table."""
    save_every: Count = 50
    """Steps between checkpoints."""
    keep_last: Count = 2
    """Checkpoints kept, beside the best by validation."""


class Rule(Table):
    """When a suite accepts; fixed beforehand."""

    test: Annotated[Literal["sampled", "greedy"], word("sampled", "greedy")] = "sampled"
    """What is compared: draws at the temperature, or the greedy answer."""
    answers: Count = 4
    """Draws an item."""
    p: Probability = 0.05
    """Two-sided level; the interval is the (1 - p) interval."""
    gain: Annotated[float, number("of at least 0 and below 1", lambda v: 0 <= v < 1)] = 0.0
    """What the interval's lower end must exceed."""
    margin: Annotated[float, number("from -1 to 0: how far it may fall", lambda v: -1 <= v <= 0)] | None = None
    """Makes the suite a guard, which has no gain."""
    temperature: NotNegative | None = None
    """None: [sampling]'s."""
    max_tokens: Count | None = None
    """None: [sampling]'s."""


class Suite(Table):
    """Who accepts: one [acceptance]."""

    grader: Named
    """Who judges: a name, file.py:function, or "same" (the training verifier, marked NOT INDEPENDENT)."""
    source: Named | None = None
    """Items from elsewhere, or a [[data]]'s name; None: every held-out side."""
    rule: Rule = Field(default_factory=Rule)
    """When it accepts."""
    every: CountOrNone = 0
    """Steps between looks at the validation slice; 0: never."""
    spot_check: CountOrNone = 0
    """Verdicts queued for a person."""


class Workers(Table):
    """Who does the work."""

    kind: Annotated[Literal["inline", "processes", "ray"], word("inline", "processes", "ray")] = "inline"
    """Where sampling, verifying and updating run."""
    ranks: Count | None = None
    """Processes."""
    address: Text | None = None
    """Of the cluster."""
    gpus: CountOrNone | None = None
    """GPUs to use."""
    staleness: CountOrNone = 0
    """Steps by which an answer's weights may be behind."""
    late: Text = "wait"
    """What happens to answers that are later than that."""


class Limits(Table):
    """What ends or refuses a run."""

    hours: Positive | None = None
    """The stage ends after the step that passes this."""
    memory_gb: Positive | None = None
    """More resident memory (10^9 bytes) stops the run."""
    ungraded: Share = 0.05
    """A larger share of ungraded answers in three steps in a row stops the run."""
    dead: Share = 0.95
    """A larger share of groups without a gradient refuses a pilot, and over ten steps together ends training."""
    check_seconds: Positive | None = None
    """Clock of one call of your own check or grader; a check's option `seconds` wins. None: 10."""


_LOGS = ("tensorboard", "wandb", "trackio")


class Run(Table):
    """This execution."""

    name: Annotated[str, wants("the name of a folder", _folder_name)]
    """Folder under runs/."""
    seed: Whole = 0
    """Of order and draws; never of the split."""
    workers: Workers = Field(default_factory=Workers)
    """Who does the work: a word or a table."""
    limits: Limits = Field(default_factory=Limits)
    """What ends or refuses a run."""
    sandbox: Annotated[int, whole(2, high=3)] = 2
    """Least isolation level for programs the model wrote."""
    log: Annotated[
        tuple[str, ...], texts('"tensorboard", "wandb", "trackio" or a list of them', lambda v: v in _LOGS)
    ] = ("tensorboard",)
    """Where metrics go besides metrics.jsonl."""


Kind = Literal["sft", "reward_model", "rl", "preference"]


class Stage(Table):
    """One [[stage]]; without any there is one of kind rl."""

    number: int
    """From 1."""
    kind: Annotated[Kind, word("sft", "reward_model", "rl", "preference")]
    """What the stage does."""

    @property
    def name(self) -> str:
        """Its folder in the run: 02_rl."""
        return f"{self.number:02d}_{self.kind}"


def source_name(source: str | Check) -> str:
    """A source's name: its file stem, or what follows its prefix.

    >>> [source_name(s) for s in ("data/sql.jsonl", "gym:chain_sum", "hub:openai/gsm8k", "tasks.py:hard")]
    ['sql', 'chain_sum', 'openai/gsm8k', 'hard']
    """
    if callable(source):
        return getattr(source, "__name__", type(source).__name__)
    prefix, colon, rest = source.partition(":")
    if colon and rest and prefix:
        return rest
    last = source.rstrip("/").replace("\\", "/").rsplit("/", 1)[-1]
    stem, dot, _ = last.rpartition(".")
    return stem if dot and stem else last
