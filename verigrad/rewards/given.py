"""A function given in Python (a notebook, a script) as a text that a fresh process can run by itself.

The text is the function's source with the imports, plain constants and functions it names. What cannot be written
down (a lambda, a closure, an object with state) is refused with what to do instead.
"""

from __future__ import annotations

import builtins
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

from verigrad.errors import RecipeError

_PLAIN = (str, int, float, bool, bytes, type(None))


def source_of(function: Callable[..., Any], *, key: str) -> str:
    """The text. Raises RecipeError with `key`."""
    pieces: dict[str, str] = {}
    _collect(function, pieces, key)
    return "from __future__ import annotations\n\n" + "\n".join(pieces.values())


def _collect(function: Any, pieces: dict[str, str], key: str) -> None:
    name = getattr(function, "__name__", type(function).__name__)
    if name in pieces:
        return
    if not isinstance(function, types.FunctionType) or name == "<lambda>":
        raise RecipeError(
            f"{key}: {name} cannot be sent to a worker: put a def into a file and name it file.py:function", key=key
        )
    if function.__closure__:
        raise RecipeError(
            f"{key}: {name} uses variables of the function around it: define it at the top level", key=key
        )
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise RecipeError(
            f"{key}: the source of {name} is not to be had: put it into a file, file.py:function", key=key
        ) from None
    pieces[name] = ""  # recursion ends here; the text takes this place below
    for used in sorted(_names(function.__code__)):
        if used in function.__globals__ and not hasattr(builtins, used) and used not in pieces:
            _global(used, function.__globals__[used], pieces, key)
    del pieces[name]
    pieces[name] = text


def _global(name: str, value: Any, pieces: dict[str, str], key: str) -> None:
    home = getattr(value, "__module__", None)
    if isinstance(value, types.ModuleType):
        pieces[name] = f"import {value.__name__} as {name}"
    elif isinstance(value, types.FunctionType) and home in ("__main__", None):
        _collect(value, pieces, key)
    elif home and home != "__main__" and getattr(value, "__qualname__", "").isidentifier():
        pieces[name] = f"from {home} import {value.__qualname__} as {name}"
    elif _is_plain(value):
        pieces[name] = f"{name} = {value!r}"
    else:
        raise RecipeError(
            f"{key}: it uses {name}, which cannot be sent to a worker: put it into a file, file.py:function", key=key
        )


def _names(code: types.CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*(_names(c) for c in inner))


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(_is_plain(v) for v in value)
    if isinstance(value, dict):
        return all(_is_plain(k) and _is_plain(v) for k, v in value.items())
    return isinstance(value, _PLAIN)
