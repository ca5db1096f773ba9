"""Metrics beside metrics.jsonl: TensorBoard events, W&B and trackio. One small hook each; a tracker's fault never
reaches the run.

Left out: anything but numbers by step. Answers, prompts and weights stay in the run's folder.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from verigrad.errors import Refused
from verigrad.recipe import Run

Log = Callable[[int, Mapping[str, float]], None]


def check_trackers(run: Run) -> None:
    """Refuse, with key run.log, a tracker that is not installed."""
    for n, word in enumerate(run.log):
        if word not in _OPEN:
            raise Refused(f'run.log = "{word}" is unknown; there is {", ".join(_OPEN)}', key="run.log")
        if word != "tensorboard" and importlib.util.find_spec(word) is None:
            rest = [w for i, w in enumerate(run.log) if i != n] or ["tensorboard"]
            shown = ", ".join(f'"{w}"' for w in rest)
            raise Refused(f'run.log = "{word}": not installed; pip install {word}, or log = [{shown}]', key="run.log")


@contextmanager
def open_log(run: Run, folder: Path, *, stage: int, start: int, say: Callable[[str], None]) -> Iterator[Log]:
    """A function (step, metrics) that hands a step's numbers to every tracker of `run.log`.

    TensorBoard: event files in folder/tensorboard, of a later stage in folder/tensorboard/stage_2; steps after `start`
    are replaced. W&B and trackio: project "verigrad", the run's name, a stage after the first as its own run. What a
    tracker raises (no network, no account) is one line, by `say`, and it is not asked again.
    """
    with ExitStack() as stack:
        logs = [_guarded(word, _OPEN[word], run, folder, stage, start, stack, say) for word in run.log]

        def log(step: int, metrics: Mapping[str, float]) -> None:
            for each in logs:
                each(step, metrics)

        yield log


def _guarded(
    word: str,
    open_: Any,
    run: Run,
    folder: Path,
    stage: int,
    start: int,
    stack: ExitStack,
    say: Callable[[str], None],
) -> Log:
    state: dict[str, Log | None] = {"log": None}

    def attempt(work: Callable[[], Any]) -> Any:
        try:
            return work()
        except Exception as error:  # whatever a tracker may raise: the run is worth more
            state["log"] = None
            reason = " ".join(str(error).split())[:200]
            say(f"run.log: {word} is not written any more: {type(error).__name__}: {reason}")
            return None

    opened = attempt(lambda: open_(run, folder, stage, start))
    if opened is not None:
        state["log"], close = opened
        stack.callback(lambda: attempt(close))

    def log(step: int, metrics: Mapping[str, float]) -> None:
        write = state["log"]
        if write is not None:
            attempt(lambda: write(step, metrics))

    return log


def _tensorboard(run: Run, folder: Path, stage: int, start: int) -> tuple[Log, Callable[[], Any]]:
    from torch.utils.tensorboard import SummaryWriter

    place = folder / "tensorboard" if stage == 1 else folder / "tensorboard" / f"stage_{stage}"
    writer = SummaryWriter(str(place), purge_step=start + 1)

    def log(step: int, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            writer.add_scalar(name, value, step)

    return log, writer.close


def _like_wandb(word: str) -> Callable[[Run, Path, int, int], tuple[Log, Callable[[], Any]]]:
    """W&B and trackio take the same three calls: init, log, finish."""

    def open_(run: Run, folder: Path, stage: int, start: int) -> tuple[Log, Callable[[], Any]]:
        tracker = importlib.import_module(word)
        name = run.name if stage == 1 else f"{run.name}-stage-{stage}"
        tracker.init(project="verigrad", name=name)
        return lambda step, metrics: tracker.log(dict(metrics), step=step), tracker.finish

    return open_


_OPEN: Mapping[str, Callable[[Run, Path, int, int], tuple[Log, Callable[[], Any]]]] = {
    "tensorboard": _tensorboard,
    "wandb": _like_wandb("wandb"),
    "trackio": _like_wandb("trackio"),
}
