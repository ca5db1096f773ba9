"""A test that runs nothing of the program: whether it compiles, by Python's own compile(), gcc, node or coqc."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from verigrad import sandbox
from verigrad.rewards.programs.calls import stopped
from verigrad.rewards.programs.plan import Box, Plan, Settings

_PYTHON = """
import posix
nonce = posix.read(0, 100)
with open("solution.py", "rb") as file:
    compile(file.read(), "solution.py", "exec")
posix.write(3, nonce)
"""


@dataclass(frozen=True, kw_only=True)
class CompileTest:
    """One compilation."""

    visible: bool = False

    def box(self, program: Mapping[str, bytes], plan: Plan, settings: Settings) -> Box:
        """The language's compiler on the program's file."""
        language = plan.runs_as
        nonce = "" if language.checks else os.urandom(16).hex()
        return Box(
            command=language.checks or (sandbox.python(), "-I", "-S", "-c", _PYTHON),
            files=program,
            locked=language.beside,
            stdin=nonce.encode(),
            keep=(language.checked,) if language.checked else (),
            limits=settings.limits(language),
            nonce=nonce,
        )

    def judge(self, ran: sandbox.Ran, box: Box) -> str:
        """By exit status and what it left; see `plan.Test`."""
        if why := stopped(ran, box):
            return why
        left = all(ran.files.get(name) for name in box.keep) and ran.result == box.nonce.encode()
        return "" if ran.status == 0 and left else "does not compile"
