r"""JSON from a sentence: a person, an order or a visit, null for what the sentence does not say.

{"prompt": "...\nText: At 34 Omar moved to Lima.\nKeys: name, age, city\nJSON:", "gold": {"schema": {...}, "value":
{"name": "Omar", "age": 34, "city": "Lima"}}, "family": "Omar"}. The schema asks for exactly these keys, whole numbers
as numbers. A name stands in three sentences, one of each kind, and is one family; about one sentence in four leaves a
fact out. Two solved examples come first (for `model.template = "none"`, `sampling.stop = ["\n"]`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from verigrad.records import seed

NAME = "json_extraction"
NAMES = """
Abel Ada Agnes Aisha Alba Alma Amir Anita Anton Aron Asa Astrid Basil Bela Berta Bianca Boris Bruno Carla Carmen Cesar
Chloe Clara Claude Colin Cora Daisy Dana Dario Diego Dora Edgar Edith Elena Eli Elsa Emil Enzo Erik Esther Eva Fabio
Farid Felix Fiona Flora Frida Gavin Gemma George Gina Greta Hana Hassan Hector Heidi Helga Henry Hugo Ibrahim Ida Igor
Ines Irene Iris Isaac Ivan Jack Jana Jasper Joel Jonas Judith Julia Karim Karl Katja Kevin Klara Lars Laura Lena Leo
Lidia Linda Louis Lucia Luis Mara Marco Marta Maya Miguel Mila Mira Mona Nadia Naomi Nils Nina Noah Nora Oliver Olga
Oscar Otto Pablo Paula Pedro Petra Philip Ravi Rita Robert Rosa Ruben Ruth Samir Sara Sergio Silvia Simon Sofia Stella
Sven Tara Theo Thomas Tina Tomas Ursula Vera Victor Vito Walter Wanda Yara Yusuf Zara Zoe
"""
WORDS = {
    "city": "Athens Berlin Boston Cairo Dublin Geneva Hamburg Istanbul Lisbon London Madrid Milan Moscow Naples Oslo "
    "Paris Prague Rome Seattle Tokyo Vienna Warsaw Zurich",
    "item": "apples balls books bottles bowls boxes candles chairs clocks coats cups desks doors flags forks gloves "
    "hats keys knives lamps pans pens pillows plates ropes shirts shoes spoons tables towels",
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
}
NUMBERS = {"age": (18, 89), "count": (2, 99), "hour": (7, 19)}
SENTENCES: Mapping[tuple[str, ...], Sequence[str]] = {
    ("name", "age", "city"): (
        "{name} is {age} years old and lives in {city}.",
        "At {age} {name} moved to {city}.",
        "In {city} we met {name}, who is {age}.",
        "{name} lives in {city}.",
        "{name} turned {age} last week.",
        "Of all people in {city}, {name}, {age}, sings best.",
    ),
    ("buyer", "count", "item"): (
        "{buyer} ordered {count} {item}.",
        "{count} {item} were sent to {buyer}.",
        "A box with {count} {item} is waiting for {buyer}.",
        "{buyer} would like to buy some {item}.",
        "We owe {buyer} {count} {item}.",
        "The {item} are not for {buyer}'s sister: {buyer} bought all {count}.",
    ),
    ("guest", "day", "hour"): (
        "{guest} comes on {day} at {hour}.",
        "On {day} at {hour} o'clock we expect {guest}.",
        "Dinner on {day} is at {hour}, and {guest} will be there.",
        "{guest} wants to see us on {day}.",
        "At {hour} the train of {guest} arrives.",
        "The doctor can see {guest} at {hour} on {day}.",
    ),
}
EXAMPLES = (
    ("At 34 Omar moved to Lima.", {"name": "Omar", "age": 34, "city": "Lima"}),
    ("Lucas wants some spoons.", {"buyer": "Lucas", "count": None, "item": "spoons"}),
)


def rows() -> list[dict[str, Any]]:
    """Three rows a name: a person, an order, a visit."""
    return [_row(name, keys) for name in NAMES.split() for keys in SENTENCES]


def row(sentence: str, facts: Mapping[str, Any], *, family: str, examples: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """One row: a sentence with {key}s, filled with the facts; those it does not show are null in the gold."""
    value = {key: fact if f"{{{key}}}" in sentence else None for key, fact in facts.items()}
    shown = "".join(f"{_question(text, list(told))} {json.dumps(told)}\n\n" for text, told in examples)
    return {
        "prompt": shown + _question(sentence.format(**facts), list(facts)),
        "gold": {"schema": schema(facts), "value": value},
        "family": family,
    }


def schema(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of these facts: exactly these keys, a fact or null."""
    return {
        "type": "object",
        "properties": {
            key: {"type": ["integer" if isinstance(fact, int) else "string", "null"]} for key, fact in facts.items()
        },
        "required": list(facts),
        "additionalProperties": False,
    }


def _row(name: str, keys: tuple[str, ...]) -> dict[str, Any]:
    sentences = SENTENCES[keys]
    facts = {key: name if key in ("name", "buyer", "guest") else fact_of(key, name) for key in keys}
    return row(sentences[seed(NAME, keys, name) % len(sentences)], facts, family=name, examples=EXAMPLES)


def fact_of(key: str, name: str) -> Any:
    """A number or a word for that key, which depends on the name alone."""
    drawn = seed(NAME, key, name)
    if key in NUMBERS:
        low, high = NUMBERS[key]
        return low + drawn % (high - low + 1)
    words = WORDS[key].split()
    return words[drawn % len(words)]


def _question(text: str, keys: Sequence[str]) -> str:
    return f"Text: {text}\nKeys: {', '.join(keys)}\nJSON:"
