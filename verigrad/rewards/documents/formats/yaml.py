"""YAML by the 1.2 core schema, which is JSON's types: a subset in which nothing surprises. Runs in a killable process.

`no`, `on`, `y`, 1:30 and 2024-01-01 are texts here and 012 is twelve (YAML 1.1: booleans, 90, a date, ten). Refused:
aliases (a few lines of them unfold to billions of values), tags, several documents, keys that are no text or stand
twice, .inf and .nan. Built from the parser's events, so nothing is constructed that was not asked for. Left out: a
document in prose without a block around it: every sentence with a colon is one.
"""

from __future__ import annotations

import json
import re
from typing import Any

from verigrad.rewards.documents.limits import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_NODES,
    Malformed,
    decimal,
    depth_fits,
    text_fits,
    value_fits,
)
from verigrad.rewards.tokens import TooBig

FENCES = frozenset(("yaml", "yml"))
BARE = False
SLOW = True

_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NULL = ("", "~", "null", "Null", "NULL")
_MISSING = object()


def read(text: str) -> Any:
    """The value. Raises Malformed or TooBig."""
    import yaml

    text_fits(text)
    depth_fits(re.sub(r'"(?:[^"\\]|\\.)*"', '""', text))
    try:
        value = _build(yaml.parse(text, Loader=yaml.SafeLoader), yaml)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Malformed(f"not YAML: {' '.join(str(error).split())[:100]}") from None
    value_fits(value)
    return value


def write(value: Any) -> str:
    """The value as YAML: JSON is YAML."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _build(events: Any, yaml: Any) -> Any:
    """The one document's value, without recursion: a stack of open collections, each with the key it waits to fill."""
    stack: list[tuple[Any, list[Any]]] = []
    done: Any = _MISSING
    documents = 0
    for nodes, event in enumerate(events):
        if nodes > 2 * MAX_NODES:
            raise TooBig(f"more than {MAX_NODES:,} values")
        if isinstance(event, yaml.AliasEvent):
            raise Malformed("an alias")
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise Malformed("several documents")
        elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            if event.tag is not None:
                raise Malformed("a tag")
            if len(stack) >= MAX_DEPTH:
                raise TooBig(f"nested more than {MAX_DEPTH} deep")
            stack.append(([] if isinstance(event, yaml.SequenceStartEvent) else {}, []))
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            value = stack.pop()[0]
            done = _put(stack, value) if stack else value
        elif isinstance(event, yaml.ScalarEvent):
            value = _scalar(event)
            done = _put(stack, value) if stack else value
    if done is _MISSING or not documents:
        raise Malformed("an empty document")
    return done


def _put(stack: list[tuple[Any, list[Any]]], value: Any) -> Any:
    holder, key = stack[-1]
    if isinstance(holder, list):
        holder.append(value)
    elif not key:
        if not isinstance(value, str):
            raise Malformed("a key that is no text")
        if value in holder:
            raise Malformed(f"the key {value[:40]!r} twice")
        key.append(value)
    else:
        holder[key.pop()] = value
    return _MISSING


def _scalar(event: Any) -> Any:
    if event.tag is not None:
        raise Malformed("a tag")
    text: str = event.value
    if event.style is not None:
        return text
    if text in _NULL:
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text[0] in "tT"
    if _NOT_FINITE.fullmatch(text):
        raise Malformed(f"{text} is no JSON value")
    if _INTEGER.fullmatch(text):
        if len(text) > MAX_DIGITS:
            raise TooBig(f"a number of more than {MAX_DIGITS} digits")
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    return decimal(text) if _DECIMAL.fullmatch(text) else text
