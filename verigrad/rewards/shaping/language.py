"""`language`: the share of an answer's words that are in the asked language, in [0, 1].

DeepSeek-R1's language consistency reward (arXiv:2501.12948, section 2.3.2): the proportion of target language words in
the reasoning. How words are told apart: rewards/language.py. An answer without any word (a bare number) mixes nothing
and is paid 1; a gate keeps that from paying where it is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.errors import RecipeError
from verigrad.rewards import language as reading
from verigrad.rewards.options import Option
from verigrad.rewards.reasoning import before_closing
from verigrad.rewards.shaping.setting import Pay, Setting

OPTIONS: Mapping[str, Option] = {
    "lang": Option(default="", type=str, meaning='the language, "en" or "English"; must be said'),
    "of": Option(default="answer", type=str, meaning='"answer", all of it, or "reasoning", what stands before </tag>'),
    "tag": Option(default="think", type=str, meaning="name of the reasoning's tag"),
}


def payer(values: Mapping[str, Any], setting: Setting) -> Pay:
    """By the answer's text. Raises RecipeError."""
    code = reading.code_of(values["lang"])
    if code is None:
        key = f"{setting.key}.lang"
        raise RecipeError(f'{key} = "{values["lang"]}": want one of {", ".join(reading.LANGUAGES)}', key=key)
    if values["of"] not in ("answer", "reasoning"):
        key = f"{setting.key}.of"
        raise RecipeError(f'{key} = "{values["of"]}": want "answer" or "reasoning"', key=key)

    def one(answer: str) -> float:
        text = answer if values["of"] == "answer" else before_closing(answer, tag=values["tag"])
        share = reading.share(text, code)
        return 1.0 if share is None else share

    return lambda rollouts, _: [one(r.answer) for r in rollouts]
