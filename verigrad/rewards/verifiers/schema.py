r"""`schema`: one JSON (YAML, TOML) document, valid under a JSON Schema, equal to a value, or both.

Right, for {"schema": {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}}:
'{"age": 4}', "Here it is:\n```json\n{\"age\": 4}\n```".
Refused: '{"age": 4.0}', '{"age": true}', '{"age": NaN}', '{"age": 1, "age": 4}', '{"age": 4} or {"age": 5}',
"The age is 4".

The gold is a mapping with `schema`, `value` (or both), `raw_must_not_contain` (texts that stand nowhere in the whole
output, reasoning and escapes included), and optionally `format`, `lenient`, `strict_types`, `example` (an answer for
the gold check where the schema alone gives none). Which document counts: `documents.committed`. Policies, each the
default: strict integers (option `strict_types`), `format` keywords of a schema are notes and not checked, references
are never fetched. Left out: what a schema does not ask for; a schema that accepts {} pays for {}.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verigrad.records import BROKE_CHECK, Task, Verdict, right, ungraded, unreadable, wrong
from verigrad.rewards import examples
from verigrad.rewards.documents import formats, literal
from verigrad.rewards.documents.committed import committed
from verigrad.rewards.documents.equal import same
from verigrad.rewards.documents.limits import Malformed, value_fits
from verigrad.rewards.killable import Killable, Said, shown
from verigrad.rewards.options import Option
from verigrad.rewards.tokens import TooBig, Unread

RULE = "schema"
OPTIONS: Mapping[str, Option] = {
    "format": Option(default="json", type=str, meaning="json, yaml or toml; the gold's own word wins"),
    "strict_types": Option(default=True, type=bool, meaning="4.0 is no integer; the gold's own word wins"),
    "gold_is": Option(
        default="truth", type=str, meaning="what the gold column holds: truth (a mapping as above), value or schema"
    ),
    "seconds": Option(default=5.0, type=float, meaning="an answer not validated by then breaks the check"),
}
_HOME = "verigrad.rewards.documents.process"
_KEYS = ("schema", "value", "raw_must_not_contain")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")


@dataclass(frozen=True, kw_only=True)
class _Gold:
    schema: str | None
    """As JSON text."""
    value: Any
    has_value: bool
    banned: tuple[str, ...]
    form: str
    lenient: bool
    strict_types: bool
    example: Any


class _Broke(Exception):
    """The killable process gave no value."""

    def __init__(self, said: Said) -> None:
        super().__init__(said.fault)
        self.said = said


def verify(
    answer: str,
    task: Task,
    *,
    format: str = "json",
    strict_types: bool = True,
    gold_is: str = "truth",
    seconds: float = 5.0,
) -> Verdict:
    """The verdict on the one document the answer commits itself to."""
    try:
        gold = _read_gold(task, format, strict_types, gold_is)
    except Unread as error:
        return ungraded(f"gold: {error}", rule=RULE)
    verdict = _judged(answer, gold, seconds)
    if verdict.status in ("wrong", "unreadable") and gold.schema is not None:
        try:
            if why := _schema_fault(gold.schema, gold.strict_types):
                return ungraded(f"gold: the schema: {why}", rule=RULE)
        except _Broke as broke:
            return broke.said.verdict(RULE)
    return verdict


def _judged(answer: str, gold: _Gold, seconds: float) -> Verdict:
    try:
        found = _leak(answer, gold.banned)
        if found:
            return wrong(rule=RULE, reason=f"contains {found[:40]!r}")
        if gold.schema is None and not gold.has_value:
            return right(shown(answer), rule=RULE) if answer.strip() else unreadable("empty", rule=RULE)
        value = _document(answer, gold, seconds)
        text = json.dumps(value, ensure_ascii=False)
        if found := _leak(" ".join(_texts(value)), gold.banned):
            return wrong(shown(text), rule=RULE, reason=f"contains {found[:40]!r}")
        if gold.schema is not None:
            said = _validated(gold.schema, value, gold, seconds)
            if "schema" in said:
                return ungraded(f"gold: the schema: {said['schema']}", rule=RULE)
            if said:
                return wrong(shown(text), rule=RULE, reason=said["why"])
    except Unread as error:
        return unreadable(str(error), rule=RULE)
    except Malformed as error:
        return wrong(rule=RULE, reason=str(error))
    except TooBig as error:
        return wrong(rule=RULE, reason=f"{BROKE_CHECK}: {error}")
    except _Broke as broke:
        return broke.said.verdict(RULE)
    if gold.has_value and not same(gold.value, value, strict_types=gold.strict_types):
        return wrong(shown(text), rule=RULE, reason="another value")
    return right(shown(text), rule=RULE)


def check_gold(
    task: Task,
    *,
    format: str = "json",
    strict_types: bool = True,
    gold_is: str = "truth",
    seconds: float = 5.0,
) -> str | None:
    """Why this task's gold cannot be read; None where it can."""
    try:
        gold = _read_gold(task, format, strict_types, gold_is)
        _example(gold)
        if gold.schema is not None and (why := _schema_fault(gold.schema, gold.strict_types)):
            return f"the schema: {why}"
    except (Unread, _Broke) as error:
        return str(error)
    return None


def gold_answer(
    task: Task, *, format: str = "json", strict_types: bool = True, gold_is: str = "truth", **_: Any
) -> str:
    """The answer that must be right for this task: the value, the example, or one made from the schema. Raises
    Unread.
    """
    gold = _read_gold(task, format, strict_types, gold_is)
    try:
        return formats.find(gold.form).write(_example(gold))
    except Malformed as error:
        raise Unread(str(error)) from None


def _example(gold: _Gold) -> Any:
    if gold.has_value:
        return gold.value
    if gold.example is not None:
        return gold.example
    if gold.schema is None:
        return {}
    try:
        return examples.of_schema(json.loads(gold.schema))
    except examples.NoExample as error:
        raise Unread(f"{error}; give the gold an `example`") from None
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError) as error:
        raise Unread(f"no example of the schema ({type(error).__name__}); give the gold an `example`") from None


def _read_gold(task: Task, form: str, strict_types: bool, gold_is: str) -> _Gold:
    gold = task.gold
    if isinstance(gold, str) and gold_is in ("truth", "schema", "value"):
        try:
            gold = json.loads(gold)
        except (ValueError, RecursionError):
            raise Unread("a text that is no JSON") from None
    if gold_is == "value":
        gold = {"value": gold, **({"schema": task.columns["schema"]} if task.columns.get("schema") else {})}
    elif gold_is == "schema":
        gold = {"schema": gold}
    elif gold_is != "truth":
        raise Unread(f"gold_is = {gold_is!r}: want truth, value or schema")
    if not isinstance(gold, Mapping) or not any(key in gold for key in _KEYS):
        raise Unread("want a mapping with schema, value or raw_must_not_contain")
    form = str(gold.get("format", form))
    if form not in formats.names():
        raise Unread(f"format {form!r}: want {', '.join(formats.names())}")
    schema = gold.get("schema")
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except (ValueError, RecursionError):
            raise Unread("a schema that is no JSON") from None
    if "schema" in gold and not isinstance(schema, (Mapping, bool)):
        raise Unread("a schema that is no object")
    banned = gold.get("raw_must_not_contain", [])
    banned = [banned] if isinstance(banned, str) else banned
    if not isinstance(banned, (list, tuple)) or not all(isinstance(b, str) and b for b in banned):
        raise Unread("raw_must_not_contain wants texts")
    value = gold.get("value")
    try:
        value_fits(value)
        text = None if "schema" not in gold else json.dumps(schema, sort_keys=True)
    except (Malformed, TooBig, TypeError, ValueError, RecursionError) as error:
        raise Unread(f"a value or schema that is no bounded JSON: {error}") from None
    return _Gold(
        schema=text,
        value=value,
        has_value="value" in gold,
        banned=tuple(banned),
        form=form,
        lenient=bool(gold.get("lenient", False)),
        strict_types=bool(gold.get("strict_types", strict_types)),
        example=gold.get("example"),
    )


def _document(answer: str, gold: _Gold, seconds: float) -> Any:
    form = formats.find(gold.form)

    def read(text: str) -> Any:
        if form.SLOW:
            return _read_slowly(text, gold.form, seconds)
        try:
            return form.read(text)
        except Malformed:
            if not gold.lenient:
                raise
        return literal.read(text)

    return committed(answer, form, read, lambda a, b: same(a, b) and same(b, a), lenient=gold.lenient)


def _read_slowly(text: str, form: str, seconds: float) -> Any:
    probe = [form, {"yaml": "a: 1", "toml": "a = 1"}.get(form, "1")]
    said = _processes().ask(f"{_HOME}:read", [form, text], probe=probe, passes=lambda v: "value" in v, seconds=seconds)
    if said.fault:
        raise _Broke(said)
    if "malformed" in said.value:
        raise Malformed(said.value["malformed"])
    if "big" in said.value:
        raise TooBig(said.value["big"])
    return said.value["value"]


def _validated(schema: str, value: Any, gold: _Gold, seconds: float) -> dict[str, str]:
    """{} where valid; else {why} or {schema: why}. Raises _Broke."""
    probe = [schema, gold.value if gold.has_value else gold.example, gold.strict_types]
    args = [schema, value, gold.strict_types]
    said = _processes().ask(f"{_HOME}:validate", args, probe=probe, seconds=seconds)
    if said.fault:
        raise _Broke(said)
    out: dict[str, str] = said.value
    return out


@functools.lru_cache(maxsize=4096)
def _schema_fault(schema: str, strict_types: bool) -> str:
    """What is wrong with the schema itself, whatever was answered; "" where nothing. Raises _Broke."""
    args = [schema, None, strict_types]
    said = _processes().ask(f"{_HOME}:validate", args, probe=["true", None, True], seconds=5.0)
    if said.fault:
        raise _Broke(said)
    return str(said.value.get("schema", ""))


def _leak(text: str, banned: tuple[str, ...]) -> str:
    """The first banned text that stands in it, also in other widths or with invisible characters between."""
    if not banned:
        return ""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return next((b for b in banned if b in text or _INVISIBLE.sub("", unicodedata.normalize("NFKC", b)) in plain), "")


def _texts(value: Any) -> list[str]:
    out, waiting = list[str](), [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            out += node.keys()
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
        elif node is not None:
            out.append(str(node))
    return out


@functools.cache
def _processes() -> Killable:
    return Killable()
