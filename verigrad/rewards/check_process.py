"""What runs inside the worker process for a function of the user's: load it, say how it is called, call it.

Everything here gives back plain JSON values. Left out: what a fault means for the answer (user).
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import traceback
import types
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from verigrad.errors import nearest
from verigrad.records import Task, Verdict

_loaded: dict[str, Any] = {}
_GOLD_NAMES = (
    *("gold", "answer", "answers", "solution", "solutions", "ground_truth", "label", "target", "reference"),
    *("truth", "expected", "correct_answer", "reference_answer", "gold_answer", "y_true"),
)
_ANSWER_NAMES = (
    *("completion", "response", "output", "prediction", "pred", "solution_str", "text", "generation", "model_output"),
    *("answer", "completion_text", "response_str", "predict_str", "y_pred"),
)
_PROMPT_NAMES = ("prompt", "question", "problem", "query")


def describe(spec: Mapping[str, str]) -> dict[str, Any]:
    """How the function is called and where it comes from: {signature, file, source, sha256}, or {refused: one line}."""
    try:
        function, file, source = _load(spec)
        signature = _signature(function)
    except _Refusal as refusal:
        return {"refused": str(refusal)}
    digest = hashlib.sha256(source.encode()).hexdigest()
    return {"signature": signature, "file": file, "source": source, "sha256": digest}


def judge(spec: Mapping[str, str], answer: str, task: Mapping[str, Any]) -> dict[str, Any]:
    """Calls it on one answer: {value} (bool, number or None), {verdict: fields} or {fault: one line}."""
    function, file, _ = _load(spec)
    try:
        value = _CALLS[_signature(function)](function, answer, _task(task))
    except Exception as error:
        return {"fault": f"raised {type(error).__name__}: {' '.join(str(error).split())[:300]}{_place(error, file)}"}
    return _plain(value)


def judge_together(spec: Mapping[str, str], answers: list[str], tasks: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Calls a batched function (TRL's) once on all answers; what `judge` gives, one each."""
    function, file, _ = _load(spec)
    try:
        values = _together(function, answers, [_task(t) for t in tasks], chat=_signature(function) == "trl chat")
    except Exception as error:
        fault = f"raised {type(error).__name__}: {' '.join(str(error).split())[:300]}{_place(error, file)}"
        return [{"fault": fault}] * len(answers)
    return [_plain(value) for value in values]


def forget() -> None:
    """The next call loads the function's file anew."""
    _loaded.clear()


def _task(fields: Mapping[str, Any]) -> Task:
    return Task(**{**fields, "prompt": tuple(fields["prompt"])})


def _plain(value: Any) -> dict[str, Any]:
    if isinstance(value, Verdict):
        return {"verdict": asdict(value)}
    if hasattr(value, "item") and getattr(value, "size", 1) == 1:
        value = value.item()
    if value is None or isinstance(value, (bool, int, float)):
        return {"value": value}
    return {"fault": f"returned {type(value).__name__}, not bool, a number in [0, 1], None or Verdict"}


def matches(pattern: str, answer: str) -> bool:
    """The whole answer, white space around it aside, has the form of the pattern. Here because it may never end."""
    return re.fullmatch(pattern, answer.strip(), re.DOTALL) is not None


class _Refusal(Exception):
    """One line for a person."""


def _load(spec: Mapping[str, str]) -> tuple[Callable[..., Any], str, str]:
    key = repr(sorted(spec.items()))
    if key not in _loaded:
        _loaded[key] = _find(spec)
    found: tuple[Callable[..., Any], str, str] = _loaded[key]
    return found


def _find(spec: Mapping[str, str]) -> tuple[Callable[..., Any], str, str]:
    where = spec.get("file") or spec.get("module") or "the notebook"
    try:
        if "file" in spec:
            module = _module_of_file(Path(spec["file"]).resolve())
        elif "source" in spec:
            module = types.ModuleType("verigrad_given_function")
            exec(compile(spec["source"], "<given function>", "exec"), module.__dict__)  # noqa: S102 - the user's own code
        else:
            module = importlib.import_module(spec["module"])
    except FileNotFoundError:
        raise _Refusal(f"{where} is not there") from None
    except SyntaxError as error:
        raise _Refusal(f"{where}:{error.lineno}: {error.msg}") from None
    except ModuleNotFoundError as error:
        if spec.get("module", "").split(".")[0] == (error.name or "?").split(".")[0]:
            raise _Refusal(f"there is no module {error.name}") from None
        raise _Refusal(f"{where} needs {error.name}, which is not installed") from None
    except Exception as error:
        raise _Refusal(
            f"{where} cannot be loaded: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
        ) from None
    function: Any = module
    for part in spec["name"].split("."):
        if not hasattr(function, part):
            names = [n for n, v in vars(function).items() if callable(v) and not n.startswith("_")]
            raise _Refusal(f"{where} has no {spec['name']}{nearest(part, names)}")
        function = getattr(function, part)
    if not callable(function):
        raise _Refusal(f"{where}:{spec['name']} is no function")
    file = getattr(module, "__file__", None) or ""
    source = spec.get("source") or (Path(file).read_text(encoding="utf-8") if file.endswith(".py") else "")
    return function, Path(file).name, source


def _module_of_file(path: Path) -> types.ModuleType:
    if not path.is_file():
        raise FileNotFoundError(path)
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    loader = importlib.util.spec_from_file_location(path.stem, path)
    assert loader is not None
    assert loader.loader is not None
    module = importlib.util.module_from_spec(loader)
    sys.modules[path.stem] = module
    loader.loader.exec_module(module)
    return module


def _signature(function: Callable[..., Any]) -> str:
    """task, gold, named, trl text, trl chat or verl, by the parameters' names."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return "task"
    if "completions" in parameters:
        source = ""
        with contextlib.suppress(OSError, TypeError):
            source = inspect.getsource(function)
        chat = re.search(r"\[\s*[\"']content[\"']\s*\]|\.get\(\s*[\"']content[\"']", source)
        return "trl chat" if chat else "trl text"
    if {"solution_str", "ground_truth"} <= set(parameters):
        return "verl"
    placed = [p for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    wanted = [p for p in placed if p.default is p.empty]
    names = [p.name for p in wanted]
    second = placed[1] if len(wanted) <= 2 <= len(placed) else None
    if second is not None and second.name in _GOLD_NAMES and "Task" not in str(second.annotation):
        return "gold"
    known = {*_GOLD_NAMES, *_ANSWER_NAMES, *_PROMPT_NAMES, "task"}
    if (len(wanted) > 2 or names[:1] in (["prompt"], ["question"])) and set(names) <= known:
        return "named"
    try:
        inspect.signature(function).bind("", None)
    except TypeError:
        raise _Refusal(
            f"{_name(function)}({', '.join(parameters)}) wants to be {_name(function)}(answer, task)"
        ) from None
    return "task"


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "it")


def _call_trl(function: Callable[..., Any], answer: str, task: Task, *, chat: bool) -> Any:
    """TRL's reward function on a batch of one."""
    return _together(function, [answer], [task], chat=chat)[0]


def _together(function: Callable[..., Any], answers: list[str], tasks: list[Task], *, chat: bool) -> list[Any]:
    """TRL's reward function on a batch: completions and every column as a list."""
    turns = [[{"role": "assistant", "content": answer}] for answer in answers]
    prompts = [list(t.prompt) if chat else "\n".join(m["content"] for m in t.prompt) for t in tasks]
    named: dict[str, Any] = {"completions": turns if chat else answers, "prompts": prompts}
    named |= {name: [t.columns.get(name) for t in tasks] for task in tasks for name in task.columns}
    named |= {name: [t.gold for t in tasks] for name in _GOLD_NAMES if name not in named}
    parameters = inspect.signature(function).parameters
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        named = {name: value for name, value in named.items() if name in parameters}
    values = _awaited(function(**named))
    if not isinstance(values, (list, tuple)) or len(values) != len(answers):
        raise TypeError(f"a TRL reward function returns one reward per completion, not {type(values).__name__}")
    return [_reward(value) for value in values]


def _call_named(function: Callable[..., Any], answer: str, task: Task) -> Any:
    """A function that takes what it needs by name: prompt, completion, answer (the gold), columns."""
    parameters = inspect.signature(function).parameters
    said = next((n for n in _ANSWER_NAMES if n in parameters), None)
    prompt = "\n".join(m["content"] for m in task.prompt)
    named: dict[str, Any] = {**task.columns, "task": task}
    named |= dict.fromkeys(_PROMPT_NAMES, prompt) | dict.fromkeys(_GOLD_NAMES, task.gold)
    if said is not None:
        named[said] = answer
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        named = {name: value for name, value in named.items() if name in parameters}
    return _reward(_awaited(function(**named)))


def _awaited(value: Any) -> Any:
    """The value of an async function."""
    return asyncio.run(value) if inspect.iscoroutine(value) else value


def _call_verl(function: Callable[..., Any], answer: str, task: Task) -> Any:
    """The compute_score of verl; a dict's `score` counts."""
    named = {
        "data_source": task.source,
        "solution_str": answer,
        "ground_truth": task.gold,
        "extra_info": dict(task.columns),
    }
    parameters = inspect.signature(function).parameters
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        named = {name: value for name, value in named.items() if name in parameters}
    value = _awaited(function(**named))
    return _reward(value["score"] if isinstance(value, dict) else value)


def _reward(value: Any) -> Any:
    """Their rewards may be negative for a wrong answer; ours are scores in [0, 1]."""
    if hasattr(value, "item"):
        value = value.item()
    return 0.0 if isinstance(value, (int, float)) and -float("inf") < value < 0 else value


_CALLS: Mapping[str, Callable[[Callable[..., Any], str, Task], Any]] = {
    "task": lambda function, answer, task: _awaited(function(answer, task)),
    "gold": lambda function, answer, task: _awaited(function(answer, task.gold)),
    "named": _call_named,
    "trl text": lambda function, answer, task: _call_trl(function, answer, task, chat=False),
    "trl chat": lambda function, answer, task: _call_trl(function, answer, task, chat=True),
    "verl": _call_verl,
}


def _place(error: BaseException, file: str) -> str:
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).name == file]
    return f" ({file}:{lines[-1]})" if lines else ""
