"""The run directory of docs/design.md 8: every file of a run, written whole or not at all, read while being written.

`RunDirectory` is the one class with state here: a folder and, for its one writer, the lock. Left out: what is in
the files (the rooms that write them) and how records become lines (codec).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from verigrad.errors import Refused, VerigradError
from verigrad.records import Group, Item
from verigrad.store import codec, files, lock

_STEP = re.compile(r"^step_(\d{5,})(\.jsonl\.zst)?$")
_STAGE = re.compile(r"^(\d\d)_(\w+)$")


class RunDirectory:
    """A run's folder. `create` and `open` lock it for writing, `read` does not; use it in a `with` statement.

    >>> with RunDirectory.create(folder, recipe_text=text, resolved={}) as run:             # doctest: +SKIP
    ...     run.append_metrics(1, 1, {"reward/mean": 0.25})
    """

    def __init__(self, folder: Path, *, writing: bool, notes: Sequence[str] = ()) -> None:
        self.folder = folder
        self.writing = writing
        self.notes = tuple(notes)
        """What opening had to mend, one line each, for the person who resumes."""
        self._release = weakref.finalize(self, lock.release, folder) if writing else None

    @classmethod
    def create(
        cls,
        folder: Path | str,
        *,
        recipe_text: str,
        resolved: Mapping[str, Any],
        stages: Sequence[str] = ("rl",),
        user_files: Mapping[str, Path] | None = None,
    ) -> Self:
        """A new run, locked. `stages` are the kinds, in order; `user_files` maps a name below user/ to the file copied.

        The folder appears at once with recipe.toml, resolved.json, user/ (with SHA256SUMS) and STATUS in it.
        Raises Refused, one line, where it exists or cannot be written.
        """
        folder = Path(folder)
        if (folder.is_dir() and any(folder.iterdir())) or folder.is_file():
            raise Refused(taken(folder), key="run.name")
        with files.one_line(folder, error=Refused, doing="create"):
            folder.parent.mkdir(parents=True, exist_ok=True)
            _sweep_siblings(folder)
            aside = files.beside(folder)
            aside.mkdir()
            try:
                _fill(aside, recipe_text, resolved, stages, user_files or {})
                files.sync_tree(aside)
                os.rename(aside, folder)
            except BaseException as error:
                shutil.rmtree(aside, ignore_errors=True)
                if isinstance(error, OSError) and folder.exists():
                    raise Refused(taken(folder), key="run.name") from error
                raise
            files.sync_folder(folder.parent)
        return cls(folder, writing=True)

    @classmethod
    def open(cls, folder: Path | str) -> Self:
        """An existing run, locked, with what a killed writer left unfinished cleared up (`notes` says what).

        Raises Refused where it is no run, is being written by a live process, or cannot be written.
        """
        folder = Path(folder)
        _must_be_run(folder)
        with files.one_line(folder, error=Refused, doing="open"):
            note = lock.take(folder)
            try:
                notes = [*([note] if note else []), *files.sweep(folder)]
                for path in sorted(folder.glob("*.jsonl")):
                    if files.cut_torn_line(path):
                        notes.append(f"{path.name}: a torn last line, cut")
            except BaseException:
                lock.release(folder)
                raise
        return cls(folder, writing=True, notes=notes)

    @classmethod
    def read(cls, folder: Path | str) -> Self:
        """An existing run for reading, also while another process writes it. Raises Refused where it is no run."""
        _must_be_run(Path(folder))
        return cls(Path(folder), writing=False)

    @staticmethod
    def exists(folder: Path | str) -> bool:
        """Whether a run is there."""
        return (Path(folder) / "STATUS").is_file()

    def close(self) -> None:
        """Give the lock back. Everything written is on disk already."""
        if self._release is not None:
            self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # one file each

    def status(self) -> dict[str, Any]:
        """STATUS: {"phase", "stage", "step", ...} as last set."""
        lines = files.read_lines(self.folder / "STATUS")
        return dict(lines[0]) if lines else {}

    def set_status(self, phase: str, *, stage: int | None = None, step: int | None = None, **more: Any) -> None:
        """Replace STATUS. `phase` is a word ("pilot", "training", "accepting", "done", "stopped", "interrupted",
        "failed"); `more` may hold `decision` and what else a reader should see. Without stage or step the last stay.
        """
        last = self.status()
        known = {k: v for k in ("stage", "step") if (v := last.get(k)) is not None}
        given = {k: v for k, v in (("stage", stage), ("step", step)) if v is not None}
        self._write("STATUS", files.dumps({"phase": phase, **known, **given, **more}) + "\n")

    def write_json(self, name: str, value: Any) -> None:
        """A JSON file below the run, replaced whole: "plan.json", "acceptance.json". nan becomes null."""
        self._write(name, files.dumps(value, indent=1) + "\n")

    def read_json(self, name: str) -> Any:
        """A JSON file's value; None where there is no such file. Raises VerigradError where it is no JSON."""
        return files.read_json(self.folder / name)

    def write_text(self, name: str, text: str) -> None:
        """A text file below the run, replaced whole: "report.html"."""
        self._write(name, text)

    def write_error(self, text: str) -> None:
        """error.txt: the traceback of a run that failed."""
        self._write("error.txt", text if text.endswith("\n") else text + "\n")

    def write_lines(self, name: str, values: Sequence[Any]) -> None:
        """A .jsonl file below the run, replaced whole: "spotcheck.jsonl", "golds.jsonl"."""
        self._write(name, "".join(files.dumps(v) + "\n" for v in values))

    def read_lines(self, name: str) -> list[Any]:
        """Values of a .jsonl file's whole lines; [] where there is no such file."""
        return files.read_lines(self.folder / name)

    # metrics and timings

    def append_metrics(self, stage: int, step: int, metrics: Mapping[str, float]) -> None:
        """One line of metrics.jsonl: no clock in it, keys sorted, nan as null."""
        self._append("metrics.jsonl", stage, step, metrics)

    def append_timings(self, stage: int, step: int, seconds: Mapping[str, float]) -> None:
        """One line of timings.jsonl: seconds of sample, verify, update, sync, save."""
        self._append("timings.jsonl", stage, step, seconds)

    def read_metrics(self) -> list[dict[str, Any]]:
        """All whole lines, in order: {"stage": 1, "step": 3, "reward/mean": 0.25, ...}; None where it was nan."""
        return files.read_lines(self.folder / "metrics.jsonl")

    def read_timings(self) -> list[dict[str, Any]]:
        """All whole lines of timings.jsonl."""
        return files.read_lines(self.folder / "timings.jsonl")

    def cut_after(self, stage: int, step: int) -> None:
        """Drop metrics and timings of anything after this step, for a run that goes on from its checkpoint.

        Stored rollouts of later whole steps stay: they are replayed.
        """
        for name in ("metrics.jsonl", "timings.jsonl"):
            rows = files.read_lines(self.folder / name)
            kept = [row for row in rows if (row["stage"], row["step"]) <= (stage, step)]
            if len(kept) < len(rows):
                self._write(name, "".join(files.dumps(row) + "\n" for row in kept))

    # rollouts and items

    def write_step(self, stage: int, step: int, groups: Sequence[Group]) -> Path:
        """All groups of a step, whole or not at all; returns the file. Raises DataError for a task that is not JSON."""
        path = self._rollouts(stage) / f"step_{step:05d}.jsonl.zst"
        content = files.pack([codec.line_of(codec.group(g)) for g in groups])
        self._write(str(path.relative_to(self.folder)), content)
        return path

    def read_step(self, stage: int, step: int) -> list[Group]:
        """A step's groups exactly as written. Raises VerigradError where the step is not there or damaged."""
        path = self._rollouts(stage) / f"step_{step:05d}.jsonl.zst"
        try:
            return [codec.to_group(v) for v in files.unpack(path)]
        except FileNotFoundError:
            raise VerigradError(f"{self.folder} has no rollouts of step {step} of stage {stage}") from None

    def steps(self, stage: int) -> list[int]:
        """Steps whose rollouts are stored, ascending."""
        return _numbers(self._rollouts(stage))

    def write_items(self, items: Sequence[Item]) -> None:
        """items.jsonl.zst: every held-out item with every answer, before and after."""
        self._write("items.jsonl.zst", files.pack([codec.line_of(codec.item(i)) for i in items]))

    def read_items(self) -> list[Item]:
        """The items exactly as written; [] where there are none yet."""
        try:
            return [codec.to_item(v) for v in files.unpack(self.folder / "items.jsonl.zst")]
        except FileNotFoundError:
            return []

    # folders

    def stages(self) -> dict[int, str]:
        """Kind of each stage by its number, from 1."""
        return {int(m[1]): m[2] for p in sorted(self.folder.iterdir()) if (m := _STAGE.match(p.name)) and p.is_dir()}

    def stage_folder(self, stage: int) -> Path:
        """01_rl. Raises VerigradError where the run has no such stage."""
        kind = self.stages().get(stage)
        if kind is None:
            raise VerigradError(f"{self.folder} has no stage {stage}; it has {len(self.stages())}")
        return self.folder / f"{stage:02d}_{kind}"

    def checkpoint_path(self, stage: int, step: int) -> Path:
        """The folder of a checkpoint, whether it is there or not: NN_kind/checkpoints/step_00040."""
        return self.stage_folder(stage) / "checkpoints" / f"step_{step:05d}"

    def checkpoints(self, stage: int) -> list[int]:
        """Steps with a whole checkpoint, ascending."""
        return _numbers(self.stage_folder(stage) / "checkpoints")

    def remove(self, name: str) -> None:
        """Take a file or folder below the run away; a folder is never seen half deleted. Nothing there is fine."""
        self._must_write()
        path = self.folder / self._relative(name)
        with files.one_line(path, doing="remove"):
            if path.is_dir():
                files.remove(path)
            else:
                path.unlink(missing_ok=True)

    def drop_old(self, stage: int, keep_last: int, best: int | None = None) -> list[int]:
        """Remove all checkpoints of a stage but the last `keep_last` and the best; returns the removed steps."""
        there = self.checkpoints(stage)
        kept = {*there[max(0, len(there) - keep_last) :], best}
        gone = [step for step in there if step not in kept]
        for step in gone:
            with files.one_line(self.checkpoint_path(stage, step), doing="remove"):
                files.remove(self.checkpoint_path(stage, step))
        return gone

    @contextlib.contextmanager
    def staged(self, relative: Path | str) -> Iterator[Path]:
        """An empty folder that takes the place of `relative` when the block ends well, and vanishes when it does not.

        `relative` is a path below the run, or one that starts with its folder (`checkpoint_path`).

        A full disk raises VerigradError in one line, whoever of torch, safetensors or the system reported it.
        """
        self._must_write()
        target = self.folder / self._relative(str(relative))
        aside = files.beside(target)
        try:
            shutil.rmtree(aside, ignore_errors=True)
            aside.mkdir(parents=True)
            yield aside
            files.replace_folder(aside, target)
        except BaseException as error:
            full = isinstance(error, Exception) and _disk_is_full(error, target.parent)
            shutil.rmtree(aside, ignore_errors=True)
            if full:
                raise VerigradError(
                    f"cannot write {target}: No space left on device; free some disk, or lower train.keep_last"
                ) from error
            if isinstance(error, OSError):
                raise VerigradError(files.reason(target, error)) from error
            raise

    # inside

    def _append(self, name: str, stage: int, step: int, values: Mapping[str, float]) -> None:
        self._must_write()
        row = {"stage": stage, "step": step, **{k: _number(values[k]) for k in sorted(values)}}
        with files.one_line(self.folder / name):
            files.append_line(self.folder / name, files.dumps(row))

    def _write(self, name: str, content: str | bytes) -> None:
        self._must_write()
        path = self.folder / self._relative(name)
        with files.one_line(path):
            files.write_bytes(path, content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)

    def _rollouts(self, stage: int) -> Path:
        return self.stage_folder(stage) / "rollouts"

    def _relative(self, name: str) -> Path:
        path = Path(name)
        if path.is_relative_to(self.folder):
            path = path.relative_to(self.folder)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise ValueError(f"{name!r} is no path inside the run")
        return path

    def _must_write(self) -> None:
        if self._release is None or not self._release.alive:
            raise ValueError(f"{self.folder} is open for reading only, or closed")


def taken(folder: Path) -> str:
    """The line for a run that is already there: what it is, and the two ways on."""
    if not RunDirectory.exists(folder):
        return f"{folder} exists and is no run of verigrad's: move it away, or choose another run.name"
    status = RunDirectory.read(folder).status()
    stage, step, decision = status.get("stage"), status.get("step") or 0, status.get("decision")
    steps = f"{step} step{'' if step == 1 else 's'}"
    where = f"stage {stage}, {steps}" if isinstance(stage, int) and stage > 1 else steps
    words = str(decision or status.get("phase", "unknown")).replace("_", " ")
    stem, n = folder.name, 2
    if match := re.fullmatch(r"(.+)-(\d+)", stem):
        stem, n = match[1], int(match[2]) + 1
    while folder.with_name(f"{stem}-{n}").exists():
        n += 1
    return f"{folder} exists ({where}, {words}): --resume {folder}, or --set run.name={stem}-{n}"


def _must_be_run(folder: Path) -> None:
    if not folder.is_dir():
        raise Refused(f"{folder} is not there; runs are folders such as runs/quickstart")
    if not RunDirectory.exists(folder):
        raise Refused(f"{folder} is no run: it has no STATUS")


def _fill(
    folder: Path, recipe_text: str, resolved: Mapping[str, Any], stages: Sequence[str], user_files: Mapping[str, Path]
) -> None:
    (folder / "recipe.toml").write_text(recipe_text, encoding="utf-8")
    (folder / "resolved.json").write_text(files.dumps(resolved, indent=1) + "\n", encoding="utf-8")
    for n, kind in enumerate(stages, 1):
        (folder / f"{n:02d}_{kind}").mkdir()
    sums = []
    for name, source in sorted(user_files.items()):
        target = Path(name)
        if target.is_absolute() or ".." in target.parts:
            raise ValueError(f"{name!r} is no path inside user/")
        with files.one_line(source, error=Refused, doing="read"):
            content = source.read_bytes()
        (folder / "user" / target).parent.mkdir(parents=True, exist_ok=True)
        (folder / "user" / target).write_bytes(content)
        sums.append(f"{hashlib.sha256(content).hexdigest()}  {target.as_posix()}\n")
    if sums:
        (folder / "user" / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    (folder / "STATUS").write_text(files.dumps({"phase": "created"}) + "\n", encoding="utf-8")
    (folder / "LOCK").write_bytes(lock.content())


def _sweep_siblings(folder: Path) -> None:
    for path in folder.parent.glob(f".{folder.name}.tmp-*"):
        pid = path.name.rsplit("-", 1)[1]
        if pid.isdigit() and (int(pid) == os.getpid() or lock.started(int(pid)) is None):
            shutil.rmtree(path, ignore_errors=True)


def _number(value: Any) -> int | float:
    return value if type(value) is int else float(value)


def _numbers(folder: Path) -> list[int]:
    try:
        return sorted(int(m[1]) for name in os.listdir(folder) if (m := _STEP.match(name)))
    except FileNotFoundError:
        return []


def _disk_is_full(error: Exception, folder: Path) -> bool:
    if "No space left" in str(error):
        return True
    with contextlib.suppress(OSError):
        return not isinstance(error, OSError | VerigradError) and shutil.disk_usage(folder).free < 1 << 20
    return False
