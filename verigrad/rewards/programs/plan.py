"""What a program is put through: the tests of a gold, as records. Left out: reading golds (truth), running (calls)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from verigrad.rewards.programs.languages import LANGUAGES, Language
from verigrad.rewards.programs.typed import Rule, Wire
from verigrad.sandbox import Limits, Ran

WALL = 2.0
"""Wall time of a box, in units of its CPU time."""


class Unjudged(ValueError):
    """A gold from which no test can be made: nobody could be judged by it."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """One program in one box."""

    command: tuple[str, ...]
    """What is run, in the folder of the box."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files of the folder, the candidate's own."""
    locked: Mapping[str, bytes] = field(default_factory=dict)
    """Files laid over them that the program cannot change."""
    stdin: bytes = b""
    """What it may read."""
    keep: tuple[str, ...] = ()
    """Files read back."""
    reads: tuple[str, ...] = ()
    """Folders of the host it may read beside the system's."""
    limits: Limits
    """What it may use."""
    nonce: str = ""
    """What a frame on descriptor 3 must start with."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the recipe says of running."""

    seconds: float
    """CPU time of one test; WALL times that of wall time."""
    memory_bytes: int
    """Address space of one process."""
    command: tuple[str, ...] = ()
    """Run this instead of what the language says."""
    compile: tuple[str, ...] = ()
    """Compile by this instead of what the language says."""
    shared: bool = False
    """Tests that must share the candidate's process are allowed."""

    def limits(self, language: Language, *, seconds: float | None = None) -> Limits:
        """Of one box. More wall time than CPU time, so that a busy machine takes nothing from a program."""
        cpu, memory = seconds or self.seconds, max(self.memory_bytes, language.memory_bytes)
        return Limits(seconds=WALL * cpu, cpu_seconds=cpu, memory_bytes=memory)


class Test(Protocol):
    """One test: what goes into a box, and what its end means."""

    @property
    def visible(self) -> bool:
        """The prompt shows it."""
        ...

    def box(self, program: Mapping[str, bytes], plan: Plan, settings: Settings) -> Box:
        """The box of one fresh run. No expected value goes in."""
        ...

    def judge(self, ran: Ran, box: Box) -> str:
        """Empty where it passes, else why not; starts with `broke_check` where the program made the test fail."""
        ...


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All tests of a gold."""

    type: str
    """The gold's type, for the verdict's rule."""
    tests: tuple[Test, ...]
    """In the order of the data; they are run in another."""
    entry: str = ""
    """The function asked for; empty where the program is run as a whole."""
    prefix: str = ""
    """Code of the prompt that an answer may go on from."""
    language: str = "python"
    """A key of LANGUAGES."""
    builds: bool = False
    """What is run is first made by a compiler, where the language has one."""
    shared: str = ""
    """Why its tests share the candidate's process; empty where they do not."""
    base: Mapping[str, bytes] = field(default_factory=dict)
    """Files the answer changes: repository tests."""
    lookup: Mapping[str, tuple[Wire, Rule]] = field(default_factory=dict)
    """Call -> value wanted, where every test is of that form: what a table for a program is made of."""

    @property
    def runs_as(self) -> Language:
        """The language's entry."""
        return LANGUAGES[self.language]
