r"""JSON from a sentence about what json_extraction has not: authors, books, years. A second suite for acceptance.

{"prompt": "...\nText: In 1987 Silas wrote Wild Rivers.\nKeys: title, author, year\nJSON:", "gold": {"schema": {...},
"value": {"title": "Wild Rivers", "author": "Silas", "year": 1987}}, "family": "Silas"}. Other keys, other names, titles
of two words, wordings of its own. The solved examples before it are json_extraction's.
"""

from __future__ import annotations

from typing import Any

from verigrad.data.builtin.json_extraction import EXAMPLES, row
from verigrad.records import seed

NAME = "json_extraction_new"
AUTHORS = """
Adrian Beatrice Caleb Celia Daphne Edmund Eugene Faye Gideon Gloria Harold Imogen Jerome Joyce Kendra Leonard Lorna
Malcolm Mabel Nigel Opal Percy Quentin Rhoda Roland Selma Silas Tabitha Trevor Una Verity Wilfred
"""
FIRST = "Wild Quiet Golden Broken Silver Distant Hidden Winter Paper Empty"
SECOND = "Rivers Gardens Letters Mirrors Harbours Bridges Mountains Shadows Stations Orchards"
SENTENCES = (
    "In {year} {author} wrote {title}.",
    "{title} is a novel that {author} published in {year}.",
    "{author} is the author of {title}.",
    "Everybody read {title} by {author} in {year}.",
    "A film of {title} came out in {year}; the book is by {author}.",
    "Nobody knows who wrote {title}, which appeared in {year}.",
)


def rows() -> list[dict[str, Any]]:
    """Two rows an author, with two titles."""
    return [_row(author, which) for author in AUTHORS.split() for which in range(2)]


def _row(author: str, which: int) -> dict[str, Any]:
    title = (words.split()[seed(NAME, words, author, which) % 10] for words in (FIRST, SECOND))
    facts = {"title": " ".join(title), "author": author, "year": 1900 + seed(NAME, "year", author, which) % 120}
    sentence = SENTENCES[seed(NAME, "sentence", author, which) % len(SENTENCES)]
    return row(sentence, facts, family=author, examples=EXAMPLES)
