r"""Grader `schema`: one JSON (YAML, TOML) document, read by an own parser and validated by jsonschema-rs.

Accepted for {"schema": {"type": "object", "required": ["age"]}}: '{"age": 4}', "```json\n{\"age\": 4}\n```". Not
accepted: '{"age": NaN}', '{"age": 1, "age": 4}', two documents that differ, "age is 4". Types are strict: 4.0 is no
integer (found by moving such decimals a little: only a demand for an integer fails for it), true is no number. Left
out: TOML by another parser (there is one in Python), `format` keywords (notes by the standard).
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from verigrad.acceptance.documents import NoDocument, candidates, equal, parse
from verigrad.acceptance.reading import MAX_ANSWER
from verigrad.acceptance.workers import Broke, Calling
from verigrad.records import BROKE_CHECK, Grade, Status, Task
from verigrad.sandbox import Worker

SECONDS = 10.0
_MARKS = {"json": ("json", "jsonc", "json5"), "yaml": ("yaml", "yml"), "toml": ("toml",)}
GOLD_OPTIONS = ("format", "gold_is", "strict_types")
"""Options of the verifier of this name that say how golds are written; a recipe's reach this grader too."""


def grade(answer: str, task: Task, *, format: str = "json", gold_is: str = "truth", strict_types: bool = True) -> Grade:
    """Strict by the one committed document, lenient by the last text in brackets anywhere."""
    gold = _gold(task, format, gold_is, strict_types)
    if isinstance(gold, str):
        return Grade(strict="ungraded", lenient="ungraded", reason=gold)
    try:
        if any(b in x for b in gold.get("raw_must_not_contain", ()) for x in (answer, _compat(answer))):
            return Grade(strict="wrong", lenient="wrong", reason="contains what it must not")
        strict, read, reason = _strict(answer, gold)
        if strict == "unreadable" and "schema" in gold:
            said = str(_process("valid")(json.dumps(gold["schema"]), "null", True))
            if said.startswith("schema:"):
                return Grade(strict="ungraded", lenient="ungraded", reason=said)
        lenient: Status = strict if strict in ("right", "ungraded") or gold["format"] != "json" else _last(answer, gold)
    except Broke as broke:
        return _broken(broke, gold)
    return Grade(strict=strict, lenient=lenient, read=read, reason=reason)


def gold_as(task: Task, format: str = "json", gold_is: str = "truth", strict_types: bool = True) -> list[str]:
    """The gold as an answer, where it states one."""
    gold = _gold(task, format, gold_is, strict_types)
    known = [] if isinstance(gold, str) else [gold[k] for k in ("value", "example") if k in gold]
    return [json.dumps(value, ensure_ascii=False) for value in known]


def _gold(task: Task, form: str, gold_is: str, strict: bool) -> dict[str, Any] | str:
    gold = task.gold
    try:
        gold = json.loads(gold) if isinstance(gold, str) else gold
        if gold_is == "value":
            gold = {"value": gold, **({"schema": task.columns["schema"]} if task.columns.get("schema") else {})}
        elif gold_is == "schema":
            gold = {"schema": gold}
        if not isinstance(gold, Mapping) or not {"schema", "value", "raw_must_not_contain"} & set(gold):
            return "the gold holds no schema and no value"
        out = {"format": form, "strict_types": strict, **gold}
        if isinstance(out.get("schema"), str):
            out["schema"] = json.loads(out["schema"])
        if isinstance(out.get("raw_must_not_contain"), str):
            out["raw_must_not_contain"] = [out["raw_must_not_contain"]]
        return out if out["format"] in _MARKS else f"no format {out['format']}"
    except (ValueError, RecursionError):
        return "the gold is no JSON"


def _strict(answer: str, gold: Mapping[str, Any]) -> tuple[Status, str | None, str]:
    if len(answer) > MAX_ANSWER:
        return "unreadable", None, f"longer than {MAX_ANSWER:,} characters"
    if "schema" not in gold and "value" not in gold:
        return ("right" if answer.strip() else "unreadable"), answer[:200], ""
    form = gold["format"]
    texts = candidates(answer, _MARKS[form], bare=form == "json")
    if isinstance(texts, str):
        return "unreadable", None, texts
    try:
        values = [_read(text, form, bool(gold.get("lenient"))) for text in texts]
    except NoDocument as error:
        return "unreadable", None, str(error)
    if not all(equal(values[0], v, strict=True) and equal(v, values[0], strict=True) for v in values):
        return "unreadable", None, "several documents that differ"
    status, why = _judge(values[0], gold)
    return status, json.dumps(values[0], ensure_ascii=False)[:200], why


def _judge(value: Any, gold: Mapping[str, Any]) -> tuple[Status, str]:
    strict = bool(gold["strict_types"])
    text = json.dumps(value, ensure_ascii=False)
    if any(b in text or b in _compat(text) for b in gold.get("raw_must_not_contain", ())):
        return "wrong", "contains what it must not"
    if "value" in gold and not equal(gold["value"], value, strict=strict):
        return "wrong", "another value"
    if "schema" not in gold:
        return "right", ""
    said = str(_process("valid")(json.dumps(gold["schema"]), json.dumps(value), strict))
    if said.startswith("schema:"):
        return "ungraded", said
    return ("right", "") if said == "valid" else ("wrong", said)


def _read(text: str, form: str, lenient: bool) -> Any:
    if form != "json":
        if len(text) > MAX_ANSWER:
            raise NoDocument("too long")
        said = str(_process(form)(text))
        if said.startswith("no: "):
            raise NoDocument(said)
        return parse(said)
    try:
        return parse(text)
    except NoDocument:
        if not lenient or '"' in text or "\\" in text:
            raise
    # single-quoted literals: the quotes and Python's words, nothing else, are rewritten; then it is JSON or it is not
    parts = text.replace("'", '"').split('"')
    for i in range(0, len(parts), 2):
        for python, word in (("True", "true"), ("False", "false"), ("None", "null")):
            parts[i] = re.sub(r",(\s*[}\]])", r"\1", parts[i].replace(python, word))
    return parse('"'.join(parts))


def _last(answer: str, gold: Mapping[str, Any]) -> Status:
    """The last text in brackets, one of at most a few dozen beginnings, that is a document."""
    tail = answer[-MAX_ANSWER:]
    end = max(tail.rfind("}"), tail.rfind("]"))
    starts = [i for i in range(end, -1, -1) if tail[i] in "{["][:50] if end >= 0 else []
    best: Any = None
    found = False
    for start in starts:
        try:
            best, found = parse(tail[start : end + 1]), True
        except NoDocument:
            continue
    return _judge(best, gold)[0] if found else "unreadable"


def _broken(broke: Broke, gold: Mapping[str, Any]) -> Grade:
    """Whose fault it was: a fresh process and the gold's own value, or null, through the same validation."""
    _process("valid").fresh()
    try:
        _process("valid")(
            json.dumps(gold.get("schema", True)), json.dumps(gold.get("value", gold.get("example"))), True
        )
    except Broke as probe:
        return Grade(strict="ungraded", lenient="ungraded", reason=f"the validation fails on the gold itself ({probe})")
    return Grade(strict="wrong", lenient="wrong", reason=f"{BROKE_CHECK}: {broke}")


def _compat(text: str) -> str:
    shown = unicodedata.normalize("NFKC", text)
    return "".join(c for c in shown if unicodedata.category(c) != "Cf")


@functools.cache
def _worker() -> Worker:
    return Worker()


@functools.cache
def _process(name: str) -> Calling:
    return Calling(_worker(), f"verigrad.acceptance.schema_worker:{name}", seconds=SECONDS)
