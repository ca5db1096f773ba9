r"""The outer form a task's answers have, told from its prompts, and whether some other text carries it.

A model that was trained on "#### 56" may put "####" under everything. Forms: boxed, hashes, tags, answer (an "Answer:"
or "the answer is"), json, code, bare. Left out: whether what stands in the form is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from verigrad.records import Task

_IN_PROMPT: Mapping[str, re.Pattern[str]] = {
    "boxed": re.compile(r"\\boxed"),
    "hashes": re.compile(r"####"),
    "tags": re.compile(r"<answer>", re.IGNORECASE),
    "answer": re.compile(r"\banswer(?:\s+is\b|\s*:)", re.IGNORECASE),
    "json": re.compile(r"\bjson\b", re.IGNORECASE),
    "code": re.compile(r"```|^\s*def \w+\(", re.MULTILINE),
}
_IN_ANSWER: Mapping[str, Callable[[str], bool]] = {
    "boxed": lambda text: r"\boxed{" in text,
    "hashes": lambda text: re.search(r"^\s*####\s*\S", text, re.MULTILINE) is not None,
    "tags": lambda text: re.search(r"<answer>", text, re.IGNORECASE) is not None,
    "answer": lambda text: re.search(r"\banswer(?:\s+is\b|\s*:)", text, re.IGNORECASE) is not None,
    "json": lambda text: _is_json(text),
    "code": lambda text: re.search(r"```|^\s*def \w+\(", text, re.MULTILINE) is not None,
    "bare": lambda text: bare(text),
}
BARE_WORDS = 4
"""Most words of an answer that is a label or a value and nothing else."""


@dataclass(frozen=True, kw_only=True)
class TaskFormat:
    """The forms a task's answers have."""

    forms: tuple[str, ...]
    """Any of these is the format."""

    def __call__(self, text: str) -> bool:
        """Whether this text carries it."""
        return any(_IN_ANSWER[form](text) for form in self.forms)


def task_format(tasks: Sequence[Task]) -> TaskFormat:
    """The forms that at least half of the prompts ask for or show; bare where there is none.

    A form the prompt itself ends with ("... Answer:") is not the model's to write: what follows it is bare.
    """
    counts: dict[str, int] = {}
    for task in tasks:
        text = "\n".join(m["content"] for m in task.prompt).rstrip()
        last = max((m.end() for p in _IN_PROMPT.values() for m in p.finditer(text)), default=-1)
        opened = last == len(text) or text.endswith((":", "="))
        for form, pattern in _IN_PROMPT.items():
            if pattern.search(text) and not (opened and form == "answer"):
                counts[form] = counts.get(form, 0) + 1
    forms = tuple(form for form in _IN_PROMPT if 2 * counts.get(form, 0) >= max(len(tasks), 1))
    return TaskFormat(forms=forms or ("bare",))


def bare(text: str) -> bool:
    """At most BARE_WORDS words once marks are taken away: a label, a number, nothing that explains. Empty is not."""
    kept = words(text)
    return bool(text.strip()) and len(kept) <= BARE_WORDS


def words(text: str) -> list[str]:
    r"""Words with a letter, without what only marks an answer: #### , \boxed, <tags>, "the answer is"."""
    left = re.sub(r"<[^<>]{1,40}>|\\boxed|####|```\w*", " ", text)
    left = re.sub(r"\b(?:the\s+)?(?:final\s+|correct\s+)?answer(?:\s+is\b|\s*:)", " ", left, flags=re.IGNORECASE)
    return [w for w in re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", left) if any(c.isalpha() for c in w)]


def _is_json(text: str) -> bool:
    found = re.search(r"```(?:json)?\s*(.*?)```", text, re.DOTALL | re.IGNORECASE)
    try:
        return isinstance(json.loads(found[1] if found else text), dict | list)
    except (ValueError, RecursionError):
        return False
