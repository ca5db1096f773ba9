"""Text to tokens and back: chat templates, the tokens that end an answer, decoding.

Left out: which prompt is asked (data), and the shift from tokens to predictions (padded).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import jinja2
import numpy as np
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from verigrad.errors import Refused
from verigrad.records import Message

_MARK = "verigrad answer mark"


@runtime_checkable
class Reader(Protocol):
    """What reads text: a LanguageModel, or a Scorer."""

    @property
    def tokenizer(self) -> PreTrainedTokenizerBase:
        """Its tokenizer."""
        ...

    @property
    def template(self) -> str | None:
        """Jinja text of its chat template."""
        ...

    @property
    def eos_ids(self) -> tuple[int, ...]:
        """Every token that ends an answer."""
        ...


def choose_template(tokenizer: PreTrainedTokenizerBase, word: str, folder: Path) -> str | None:
    """The Jinja text `model.template` asks for: the tokenizer's own, none, or a file's. Raises Refused."""
    if word == "none":
        return None
    if word == "auto":
        own = tokenizer.chat_template
        if isinstance(own, dict):
            own = own.get("default")
        if not own:
            raise Refused(
                'the tokenizer has no chat template: say model.template = "none" (plain text) or a file.jinja',
                key="model.template",
            )
        return str(own)
    path = folder / word
    if not path.is_file():
        raise Refused(f'model.template is "auto", "none" or a file; {path} is not there', key="model.template")
    text = path.read_text(encoding="utf-8")
    try:
        jinja2.Environment().parse(text)
    except jinja2.TemplateSyntaxError as error:
        raise Refused(f"{path}:{error.lineno}: {error.message}", key="model.template") from None
    return text


def encode(lm: Reader, messages: Sequence[Message]) -> np.ndarray:
    """The prompt's tokens [S] int64, ready for the answer's first token.

    With a template: rendered with its generation prompt, special tokens only where it writes them. Without: the
    contents joined by a blank line, special tokens as the tokenizer adds them. Raises Refused (key model.template)
    for turns the template cannot take and for an empty prompt.
    """
    if lm.template is None:
        text = "\n\n".join(message["content"] for message in messages)
        ids = lm.tokenizer(text)["input_ids"]
    else:
        ids = lm.tokenizer(_render(lm.tokenizer, lm.template, messages, True), add_special_tokens=False)["input_ids"]
    if not len(ids):
        raise Refused("a prompt without a single token: give it a text or a template", key="model.template")
    return np.asarray(ids, dtype=np.int64)


def encode_answer(lm: Reader, text: str) -> np.ndarray:
    """The answer's tokens [T] int64 as sampling produces them, its end token last.

    The text is tokenized alone, never together with its prompt: what stands before a sampled answer is fixed, so no
    token may reach over that border. A text that already ends in an end token gets no second one.
    """
    ids = lm.tokenizer(text, add_special_tokens=False)["input_ids"]
    if not len(ids) or int(ids[-1]) not in lm.eos_ids:
        ids = [*ids, answer_end(lm)]
    return np.asarray(ids, dtype=np.int64)


def answer_end(lm: Reader) -> int:
    """The token an answer is taught to end with: the template's end of turn, else the tokenizer's end of text."""
    turn = None if lm.template is None else end_of_turn(lm.tokenizer, lm.template)
    if turn is not None:
        return turn
    own = lm.tokenizer.eos_token_id
    return int(own) if isinstance(own, int) else lm.eos_ids[0]


def decode(lm: Reader, token_ids: Iterable[int] | np.ndarray) -> str:
    """Text of these tokens, without special tokens and with every space as it is."""
    ids = [int(i) for i in token_ids]
    text = lm.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return str(text)


def end_ids(module: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, template: str | None) -> tuple[int, ...]:
    """Every token that ends an answer, ascending: see LanguageModel.eos_ids. Raises Refused where there is none."""
    found: set[int] = set()
    for source in (
        getattr(module, "generation_config", None),
        module.config,
        module.config.get_text_config(),
        tokenizer,
    ):
        value = getattr(source, "eos_token_id", None)
        found.update(int(i) for i in (value if isinstance(value, (list, tuple)) else [value]) if i is not None)
    turn = None if template is None else end_of_turn(tokenizer, template)
    if turn is not None:
        found.add(turn)
    if not found:
        raise Refused(
            "no token ends an answer: neither generation_config.json, config.json nor the tokenizer names one",
            key="model.path",
        )
    return tuple(sorted(found))


def end_of_turn(tokenizer: PreTrainedTokenizerBase, template: str) -> int | None:
    """The special token the template writes straight after the assistant's answer, found by rendering one; or None.

    Templates disagree with `eos_token` in the wild (a base model's end of text, a chat model's <|im_end|>), and a
    model that has learned the template ends its turns as the template does.
    """
    turns: list[Message] = [{"role": "user", "content": "x"}, {"role": "assistant", "content": _MARK}]
    try:
        text = _render(tokenizer, template, turns, False)
    except Refused:
        return None
    _, mark, tail = text.rpartition(_MARK)
    ids = tokenizer(tail.lstrip(), add_special_tokens=False)["input_ids"] if mark and tail.strip() else []
    special = {i for i, token in tokenizer.added_tokens_decoder.items() if token.special}
    special.update(tokenizer.all_special_ids)
    return int(ids[0]) if ids and ids[0] in special else None


def _render(
    tokenizer: PreTrainedTokenizerBase, template: str, messages: Sequence[Message], generation_prompt: bool
) -> str:
    turns = [dict(message) for message in messages]
    try:
        text = tokenizer.apply_chat_template(
            turns, chat_template=template, add_generation_prompt=generation_prompt, tokenize=False
        )
    except (jinja2.TemplateError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        roles = ", ".join(message["role"] for message in messages)
        raise Refused(f"the chat template refuses turns of {roles}: {reason}", key="model.template") from None
    return str(text)
