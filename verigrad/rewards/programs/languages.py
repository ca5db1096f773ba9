"""How programs of each language are run: data only. A recipe's `command` and `compile` win."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Language:
    """One language."""

    tags: tuple[str, ...]
    """What a fenced block of it is called."""
    file: str
    """Name of the program's file."""
    run: tuple[str, ...] = ()
    """The command that runs it; empty: Python of the sandbox."""
    compile: tuple[str, ...] = ()
    """The command that makes what `run` runs, in a box of its own."""
    makes: str = ""
    """The file that `compile` leaves."""
    checks: tuple[str, ...] = ()
    """The command whose exit status 0 says "it compiles"; empty: Python's own compile()."""
    beside: Mapping[str, bytes] = field(default_factory=dict)
    """Files the checker reads, which no program can change."""
    checked: str = ""
    """The file that `checks` must leave, where it leaves one."""
    memory_bytes: int = 64 << 20
    """Address space it needs to start at all, with room for a program."""


LANGUAGES: Mapping[str, Language] = {
    "python": Language(tags=("python", "py", "python3"), file="solution.py"),
    "c": Language(
        tags=("c",),
        file="main.c",
        run=("./program",),
        compile=("gcc", "-O1", "-std=gnu17", "-w", "-o", "program", "main.c", "-lm"),
        makes="program",
        checks=("gcc", "-std=gnu17", "-w", "-fsyntax-only", "main.c"),
    ),
    "javascript": Language(
        tags=("javascript", "js", "node", "mjs"),
        file="main.js",
        run=("node", "main.js"),
        checks=("node", "--check", "main.js"),
        memory_bytes=8 << 30,  # node reserves gigabytes of addresses that it never touches
    ),
    "coq": Language(
        tags=("coq", "v", "rocq"),
        file="main.v",
        checks=("/usr/bin/env", "OCAMLFIND_CONF=findlib.conf", "coqc", "-q", "main.v"),
        beside={"findlib.conf": b'path="/usr/lib/ocaml"\ndestdir="/usr/lib/ocaml"\nldconf="ignore"\n'},
        checked="main.vo",
        memory_bytes=2 << 30,
    ),
}
