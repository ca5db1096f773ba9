r"""Conversations as data sets write them: lists of turns under several names, and dialogues in one text.

Read are { role, content } (keys beside them only where they are null), { from, value } with human and gpt, and texts
"\n\nHuman: ... \n\nAssistant: ..." (HH-RLHF, arXiv:2204.05862). Left out: turns of tools, images, lists as content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from verigrad.data.template import ROLES
from verigrad.data.text import one_line
from verigrad.records import Message

Turns = tuple[Message, ...]

_ROLE_OF = {"human": "user", "gpt": "assistant"}
_SPEAKER = re.compile(r"\n\n(Human|Assistant):")


def turns_of(value: Any, column: str) -> Turns:
    """The turns a list is. ValueError, in a few words with the column's name, where it is none.

    >>> turns_of([{"from": "human", "value": "Hi"}], "chosen")
    ({'role': 'user', 'content': 'Hi'},)
    """
    if isinstance(value, Mapping):
        value = [value]  # one turn without its list
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        raise ValueError(f"column {column} is neither a text nor a list of {{ role, content }}")
    turns = []
    for i, turn in enumerate(value, 1):
        said = {k: v for k, v in turn.items() if v is not None} if isinstance(turn, Mapping) else {}
        if set(said) == {"from", "value"}:
            said = {"role": said["from"], "content": said["value"]}
        if set(said) != {"role", "content"}:
            raise ValueError(f"column {column}: turn {i} is not {{ role, content }} alone: {one_line(turn)}")
        role = _ROLE_OF.get(str(said["role"]), said["role"])
        if role not in ROLES:
            raise ValueError(f"column {column}: turn {i} has the role {one_line(repr(role))}")
        if not isinstance(said["content"], str) or not said["content"].strip():
            raise ValueError(f"column {column}: turn {i} is empty or no text")
        turns.append(Message(role=role, content=said["content"]))
    return tuple(turns)


def is_dialogue(value: Any) -> bool:
    """Whether a text is a whole dialogue of Human and Assistant."""
    return isinstance(value, str) and bool(re.match(r"\s*Human:", value)) and "\n\nAssistant:" in value


def dialogue(text: str, column: str) -> Turns:
    r"""The turns of such a text, blanks around each taken away. ValueError where one is empty.

    >>> [t["role"] for t in dialogue("Human: Hi\n\nAssistant: Hello.", "chosen")]
    ['user', 'assistant']
    """
    parts = _SPEAKER.split("\n\n" + text.strip())[1:]
    roles = {"Human": "user", "Assistant": "assistant"}
    turns = [{"role": roles[who], "content": said.strip()} for who, said in zip(parts[::2], parts[1::2], strict=True)]
    return turns_of(turns, column)


def ends_in_answer(value: Any) -> bool:
    """Whether a list of turns ends in the assistant's."""
    last = value[-1] if isinstance(value, Sequence) and not isinstance(value, str) and value else None
    return isinstance(last, Mapping) and (last.get("role", last.get("from")) in ("assistant", "gpt"))


def answer_of(value: Any, prompt: Turns | None, column: str) -> tuple[Turns | None, str]:
    """(prompt, answer) of an answer's column: a text, one assistant's turn, or a conversation that ends in one.

    With a `prompt` given, a conversation must begin with it (its own system turn first is kept); without, all but the
    last turn is the prompt, and a text or single turn has none (None). ValueError in a few words.
    """
    if isinstance(value, str) and not (prompt is None and is_dialogue(value)):
        if not value.strip():
            raise ValueError(f"column {column} is empty: an answer says something")
        return prompt, value
    if value is None:
        raise ValueError(f"column {column} is null: an answer says something")
    turns = dialogue(value, column) if isinstance(value, str) else turns_of(value, column)
    if turns[-1]["role"] != "assistant":
        raise ValueError(f"column {column} ends in the {turns[-1]['role']}'s turn; an answer is the assistant's")
    before, answer = turns[:-1], turns[-1]["content"]
    if not before:
        return prompt, answer
    if prompt is not None and not _same(before, prompt) and not (_system(before) and _same(before[1:], prompt)):
        raise ValueError(f"column {column} does not begin with the prompt, or has several turns after it")
    return before, answer


def _system(turns: Turns) -> bool:
    return turns[0]["role"] == "system"


def _same(some: Turns, others: Turns) -> bool:
    return [(t["role"], t["content"].strip()) for t in some] == [(t["role"], t["content"].strip()) for t in others]
