"""What is asked and what would be right."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict


class Message(TypedDict):
    """One turn of a prompt."""

    role: str
    content: str


@dataclass(frozen=True, kw_only=True)
class Task:
    """One question with its gold. The gold never reaches a sampler nor the process that runs a candidate.

    >>> t = Task.make(prompt="What is 7 * 8?", gold=56, family="7x8", source="times_table")
    >>> t.prompt
    ({'role': 'user', 'content': 'What is 7 * 8?'},)
    """

    key: str
    """Hash of prompt, gold and columns: 16 hex digits. The task's identity everywhere."""
    family: str
    """What a split keeps on one side: items of one family are never divided."""
    prompt: tuple[Message, ...]
    """The turns as sent to the model, system first; the chat template is applied later."""
    gold: Any
    """The right answer as the data gives it: any JSON value, or None where the check needs none."""
    columns: Mapping[str, Any] = field(default_factory=dict)
    """The row's other columns under our names."""
    source: str
    """The source's name: its file stem, or what follows its prefix."""

    @staticmethod
    def make(
        *,
        prompt: str | tuple[Message, ...] | list[Message],
        gold: Any = None,
        family: str | None = None,
        columns: Mapping[str, Any] | None = None,
        source: str = "python",
    ) -> Task:
        """A task with its key computed. A text prompt is one user turn; without a family the prompt is its own."""
        turns: tuple[Message, ...]
        turns = ({"role": "user", "content": prompt},) if isinstance(prompt, str) else tuple(prompt)
        columns = dict(columns or {})
        text = json.dumps([list(turns), gold, columns], sort_keys=True, ensure_ascii=False, default=str)
        key = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        return Task(
            key=key,
            family=family if family is not None else " ".join(m["content"] for m in turns).casefold(),
            prompt=turns,
            gold=gold,
            columns=columns,
            source=source,
        )
