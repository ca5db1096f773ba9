r"""A gold as data sets give it, as the text of the answer alone: bare, GSM8K's "... #### 37", MATH's "... \boxed{37}".

Left out: what the text says (the kinds).
"""

from __future__ import annotations

from typing import Any

from verigrad.rewards import extract
from verigrad.rewards.tokens import TooBig, Unread


def gold_text(gold: Any) -> str:
    """The text; of an int or a float its shortest decimal. Raises Unread or TooBig."""
    if isinstance(gold, bool) or not isinstance(gold, (int, float, str)):
        raise Unread("neither a number nor a text")
    if isinstance(gold, int) and gold.bit_length() > 1400:
        raise TooBig("more than 400 digits")
    text = gold if isinstance(gold, str) else repr(gold)
    if len(text) > extract.MAX_TEXT:
        raise TooBig("a text too long")
    if "####" in text:
        text = text.rpartition("####")[2]
    elif "box" in text and (boxes := extract.marks(text)) and boxes[-1].boxed:
        text = boxes[-1].span
    return text.strip()
