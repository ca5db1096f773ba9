"""GSM8K: {"question": "Ann has 3 apples and buys 4. How many?", "answer": "3 + 4 = <<3+4=7>>7 (new line) #### 7"}."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verigrad.data.formats import texts

NAME = "GSM8K"
SAYS = "prompt = question, gold = what follows the last #### of answer; for number or math"


def fits(row: Mapping[str, Any]) -> bool:
    """A question and a worked answer that ends in "#### number"."""
    return texts(row, "question", "answer") and "####" in row["answer"] and "choices" not in row


def prompt(row: Mapping[str, Any]) -> str:
    """The question."""
    return str(row["question"])


def columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """The final answer as gold."""
    return {"gold": row["answer"].rpartition("####")[2].strip()}
