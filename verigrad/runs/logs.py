"""Metrics as TensorBoard events beside metrics.jsonl. Left out: other trackers (a later version)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

Log = Callable[[int, Mapping[str, float]], None]


@contextmanager
def open_log(words: Sequence[str], folder: Path, *, start: int) -> Iterator[Log]:
    """A function (step, metrics) that writes event files into folder/tensorboard; steps after `start` are replaced."""
    if "tensorboard" not in words:
        yield lambda step, metrics: None
        return
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(folder / "tensorboard"), purge_step=start + 1)

    def log(step: int, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            writer.add_scalar(name, value, step)

    try:
        yield log
    finally:
        writer.close()
