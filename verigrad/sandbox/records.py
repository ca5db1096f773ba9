"""What a box may use, what became of the program in it, and what a level is. Left out: how any of it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one run may use. All of it depends on the program, so a run that meets a limit was the program's doing.

    >>> Limits(seconds=2).memory_bytes
    536870912
    """

    seconds: float = 10.0
    """Wall time, measured outside the box from the moment the program starts."""
    cpu_seconds: float | None = None
    """CPU time of each process; None: as many as `seconds`."""
    memory_bytes: int = 512 << 20
    """Address space of each process, and memory of the whole box where the host has control groups for it."""
    processes: int = 32
    """Processes and threads at once."""
    file_bytes: int = 16 << 20
    """Size of any one file, and of each file read back."""
    tmp_bytes: int = 64 << 20
    """The folder, and /tmp, each (level 3)."""
    output_bytes: int = 1 << 20
    """Of stdout, stderr and the result, each."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    r"""What became of one program.

    >>> Ran(kind="exited", status=0, stdout=b"3\n", level=3).ok
    True
    """

    kind: Literal["exited", "timed_out", "flooded", "killed", "not_started"]
    """exited: by itself, see status; timed_out: killed by the outer clock; flooded: wrote more than output_bytes;
    killed: by a signal, or for memory or processes; not_started: the sandbox itself failed, see error."""
    status: int | None = None
    """Exit status; minus the signal where one ended it; None where there is none."""
    stdout: bytes = b""
    """At most output_bytes of it."""
    stderr: bytes = b""
    """At most output_bytes of it."""
    result: bytes = b""
    """What was written to file descriptor 3, at most output_bytes."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """The files asked for with `keep` that were there, regular, and no larger than file_bytes."""
    level: int = 0
    """The isolation it ran at: 2 or 3; 0 where it did not start."""
    seconds: float = 0.0
    """Wall time from the program's start to the end of everything it had started."""
    error: str = ""
    """One line: the limit it met, or why it did not start."""

    @property
    def ok(self) -> bool:
        """It ended by itself with status 0."""
        return self.kind == "exited" and self.status == 0


@dataclass(frozen=True, kw_only=True)
class Level:
    """One level of isolation on this host."""

    number: int
    """1: own process with limits; 2: Landlock, seccomp, limits; 3: bubblewrap's namespaces around all of that."""
    available: bool
    """A tiny program ran in it, and was refused the network and the host's files."""
    why_not: str = ""
    """One line: the package or the host's switch that would give it."""
    layers: tuple[str, ...] = ()
    """What is at work in it here, for a person."""
