"""What runs in the killable process of the grader `pattern`: the engine of the module regex. Imported nowhere else."""

from __future__ import annotations


def matches(pattern: str, text: str, whole: bool, ignore_case: bool) -> str:
    """`yes`, `no`, or `pattern: ...` for one that is no regular expression."""
    import regex as engine

    flags = engine.ASCII | engine.V0 | (engine.IGNORECASE if ignore_case else 0)
    try:
        compiled = engine.compile(pattern, flags)
    except engine.error as error:
        return f"pattern: {error}"
    found = compiled.fullmatch(text) if whole else compiled.search(text)
    return "no" if found is None else "yes"
