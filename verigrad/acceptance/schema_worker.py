"""What runs in the killable process of the grader `schema`: jsonschema-rs, libyaml, tomllib. Imported nowhere else.

References are never fetched, patterns run in an engine of linear time where it can. Left out: deadlines.
"""

from __future__ import annotations

import json
import re
from typing import Any


def valid(schema: str, document: str, strict: bool) -> str:
    """`valid`, `invalid: ...`, or `schema: ...` for a schema that cannot be used. Documents as JSON text."""
    import jsonschema_rs as engine

    value = json.loads(document)
    try:
        validator = _validator(engine, schema)
    except (ValueError, engine.ValidationError, engine.ReferencingError) as error:
        return f"schema: {' '.join(str(error).split())[:120]}"
    found = next(iter(validator.iter_errors(value)), None)
    if found is not None:
        return f"invalid: {found.message}"[:200]
    # a decimal that is a whole number is nudged either way: only a demand for an integer fails both times
    loose = not strict or not _has_whole(value)
    if loose or any(validator.is_valid(_nudged(value, by)) for by in (1e-9, -1e-9)):
        return "valid"
    return "invalid: a decimal where an integer is wanted"


def yaml(text: str) -> str:
    """The document as JSON text, or `no: ...`. Read by libyaml's composer and YAML 1.2's core types."""
    import yaml as module

    loader = getattr(module, "CSafeLoader", module.SafeLoader)
    try:
        if any(isinstance(e, module.AliasEvent) or getattr(e, "tag", None) for e in module.parse(text, Loader=loader)):
            return "no: an alias or a tag"
        node = module.compose(text, Loader=loader)
        return "no: empty" if node is None else json.dumps(_node(module, node, 0), allow_nan=False)
    except (module.YAMLError, ValueError, RecursionError) as error:
        return f"no: {' '.join(str(error).split())[:100]}"


def toml(text: str) -> str:
    """The document as JSON text, or `no: ...`. The parser is the verifier's too: Python's own."""
    import tomllib

    try:
        found = tomllib.loads(text)
        return json.dumps(found, default=lambda x: x.isoformat(), allow_nan=False) if found else "no: empty"
    except (ValueError, RecursionError, AttributeError) as error:
        return f"no: {' '.join(str(error).split())[:100]}"


def _validator(engine: Any, schema: str) -> Any:
    def fetch(uri: str) -> Any:
        raise ValueError(f"{uri} is not fetched")

    for options in (engine.RegexOptions(), engine.FancyRegexOptions(backtrack_limit=100_000)):
        try:
            return engine.validator_for(json.loads(schema), retriever=fetch, pattern_options=options)
        except engine.ValidationError as error:
            last = error
    raise last


def _has_whole(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_whole, value.values()))
    if isinstance(value, list):
        return any(map(_has_whole, value))
    return isinstance(value, float) and value.is_integer()


def _nudged(value: Any, by: float) -> Any:
    if isinstance(value, dict):
        return {k: _nudged(v, by) for k, v in value.items()}
    if isinstance(value, list):
        return [_nudged(v, by) for v in value]
    return value + max(1.0, abs(value)) * by if isinstance(value, float) and value.is_integer() else value


def _node(module: Any, node: Any, level: int) -> Any:
    if level > 64:
        raise ValueError("too deep")
    if isinstance(node, module.SequenceNode):
        return [_node(module, child, level + 1) for child in node.value]
    if isinstance(node, module.MappingNode):
        pairs = [(_node(module, k, level + 1), _node(module, v, level + 1)) for k, v in node.value]
        if len({k for k, _ in pairs if isinstance(k, str)}) != len(pairs):
            raise ValueError("a key twice, or one that is no text")
        return dict(pairs)
    text = node.value
    if node.style:
        return text
    if re.fullmatch(r"|~|null|Null|NULL", text):
        return None
    if re.fullmatch(r"(?i:true|false)", text) and text in (text.lower(), text.upper(), text.title()):
        return text.lower() == "true"
    if re.fullmatch(r"[-+]?[0-9]{1,128}", text):
        return int(text)
    if re.fullmatch(r"0x[0-9a-fA-F]{1,100}|0o[0-7]{1,120}", text):
        return int(text, 0)
    if re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", text):
        return float(text)
    if re.fullmatch(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", text):
        raise ValueError("not finite")
    return text
