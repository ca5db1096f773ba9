"""Files that are there whole or not at all: write aside, fsync, rename, fsync the folder.

A name that starts with a dot and ends in `.tmp-PID`, `.old-PID` or `.gone-PID` is unfinished business of the process
PID; `sweep` clears it up after a killed one. Left out: what the files mean (run_directory) and how records become
lines (codec).
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import zstandard

from verigrad.errors import VerigradError

_UNFINISHED = re.compile(r"^\.(?P<name>.+)\.(?P<kind>tmp|old|gone)-(?P<pid>\d+)$")


@contextlib.contextmanager
def one_line(path: Path, *, error: type[VerigradError] = VerigradError, doing: str = "write") -> Iterator[None]:
    """Turn any OSError inside into `error`: one line with the path, the cause and what to do about it."""
    try:
        yield
    except OSError as cause:
        raise error(reason(path, cause, doing=doing)) from cause


def reason(path: Path, cause: OSError, *, doing: str = "write") -> str:
    """`cannot write runs/sql/STATUS: No space left on device; free some disk, or lower train.keep_last`."""
    line = f"cannot {doing} {path}: {cause.strerror or cause}"
    if cause.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{line}; free some disk, or lower train.keep_last"
    if cause.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{line}; choose a folder you may write to"
    if cause.errno in (errno.ENOTDIR, errno.EEXIST):
        return f"{line}; a file stands where a folder should be"
    return line


def beside(path: Path, kind: str = "tmp") -> Path:
    """The unfinished name of `path` for this process, in the same folder so that a rename is atomic."""
    return path.with_name(f".{path.name}.{kind}-{os.getpid()}")


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that a rename in it survives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_tree(folder: Path) -> None:
    """Sync every file and folder below `folder`, the folder last."""
    for here, _, names in os.walk(folder, topdown=False):
        for name in names:
            handle = os.open(os.path.join(here, name), os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        sync_folder(Path(here))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all. Raises OSError, and then leaves neither a half file nor a temporary one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = beside(path)
    try:
        with open(aside, "wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise
    sync_folder(path.parent)


def replace_folder(new: Path, target: Path) -> None:
    """Put the finished folder `new` in `target`'s place; killed between the two renames, `sweep` undoes the first."""
    sync_tree(new)
    if target.exists():
        old = beside(target, "old")
        os.rename(target, old)
        os.rename(new, target)
        sync_folder(target.parent)
        remove(old)
    else:
        os.rename(new, target)
        sync_folder(target.parent)


def remove(folder: Path) -> None:
    """Delete a folder so that it is never seen half deleted: renamed away first."""
    gone = folder if _UNFINISHED.match(folder.name) else beside(folder, "gone")
    if gone != folder:
        os.rename(folder, gone)
        sync_folder(gone.parent)
    shutil.rmtree(gone, ignore_errors=True)


def sweep(folder: Path) -> list[str]:
    """Clear up below `folder` after a killed process; returns one note for each thing done. Call with the lock held."""
    notes = []
    for path in sorted(p for p in folder.rglob(".*") if _UNFINISHED.match(p.name)):
        match = _UNFINISHED.match(path.name)
        if match is None or not path.exists():
            continue
        target = path.with_name(match["name"])
        if match["kind"] == "old" and not target.exists():
            os.rename(path, target)
            notes.append(f"{target.relative_to(folder)}: put back; its replacement was not finished")
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        if match["kind"] == "tmp":
            notes.append(f"{target.relative_to(folder)}: unfinished, removed")
    return notes


def append_line(path: Path, line: str) -> None:
    """Add one line, flushed and synced; a write that fails half way is taken back. Raises OSError."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        before = os.fstat(handle).st_size
        rest = memoryview(line.encode("utf-8", "surrogatepass") + b"\n")
        try:
            while rest:
                rest = rest[os.write(handle, rest) :]
            os.fsync(handle)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, before)
            raise
    finally:
        os.close(handle)


def read_lines(path: Path) -> list[Any]:
    """The JSON values of all whole lines; [] without the file. A last line without its newline is not there yet."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    whole = content[: content.rfind(b"\n") + 1]
    return [_parse(path, n, line) for n, line in enumerate(whole.split(b"\n"), 1) if line.strip()]


def read_json(path: Path) -> Any:
    """A JSON file's value; None where there is no such file. Raises VerigradError where it is no JSON."""
    try:
        return json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise VerigradError(f"{path} is not JSON ({error}); was the file edited?") from error


def cut_torn_line(path: Path) -> bool:
    """Cut what follows the last newline; True if there was something. For the one writer of the file only."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return False
    whole = content.rfind(b"\n") + 1
    if whole == len(content):
        return False
    os.truncate(path, whole)
    return True


def dumps(value: Any, *, indent: int | None = None, sort_keys: bool = False) -> str:
    """Strict JSON text: a float that is not finite is null. Characters are kept as they are."""
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False, indent=indent, sort_keys=sort_keys)


def finite(value: Any) -> Any:
    """The value with nan and infinities as None, tuples as lists and other mappings as dicts."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(v) for v in value]
    return value


def pack(lines: list[str]) -> bytes:
    """Lines as one zstandard frame with a checksum; the same lines give the same bytes."""
    content = "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")
    return zstandard.ZstdCompressor(level=3, write_checksum=True, write_content_size=True).compress(content)


def unpack(path: Path) -> list[Any]:
    """The JSON values of a packed file. Raises VerigradError where it is damaged, FileNotFoundError without it."""
    try:
        content: bytes = zstandard.ZstdDecompressor().decompress(path.read_bytes())
    except zstandard.ZstdError as error:
        raise VerigradError(f"{path} is damaged ({error}); the run cannot be read there") from error
    return [_parse(path, n, line) for n, line in enumerate(content.split(b"\n"), 1) if line]


def _parse(path: Path, n: int, line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError as error:
        raise VerigradError(f"{path}:{n}: not a JSON line ({error}); was the file edited?") from error
