"""How a verb tells what it does: phases with progress, and lines. The verbs know only this Protocol.

Left out: how it looks on a terminal (cli).
"""

from __future__ import annotations

from typing import Protocol


class Talk(Protocol):
    """What a verb says while it works."""

    def phase(self, name: str, total: int | None = None) -> None:
        """A new phase begins; the one before has ended. `total` counts its parts, if known."""
        ...

    def advance(self, done: int, note: str = "") -> None:
        """`done` parts of the phase are done; `note` is a few words on the last."""
        ...

    def line(self, text: str) -> None:
        """A line that stays."""
        ...


class Silent:
    """Says nothing: the default from Python."""

    def phase(self, name: str, total: int | None = None) -> None:
        """Nothing."""

    def advance(self, done: int, note: str = "") -> None:
        """Nothing."""

    def line(self, text: str) -> None:
        """Nothing."""
