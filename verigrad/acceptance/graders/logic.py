r"""Grader `logic`: puzzles and formulas checked by evaluation, without a solver.

Accepted for {"type": "countdown", "numbers": [3, 7, 3], "target": 24}: "3 * 7 + 3", "\boxed{7 \times 3 + 3}". Not
accepted: "49/2" for 24, a number used twice, two candidates. Formulas are evaluated exactly: a model at its values;
the number of an `smt` gold together with values found for what is still open; equivalence and validity at thousands of
points, which refutes and does not prove. Left out: bit vectors, arrays, quantifiers (ungraded).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from verigrad.acceptance import formulas
from verigrad.acceptance.formulas import Node, Unreadable, Value
from verigrad.acceptance.literals import number
from verigrad.acceptance.puzzles import CHECKS
from verigrad.acceptance.reading import MAX_ANSWER, after_reasoning, committed, explicit
from verigrad.records import BROKE_CHECK, Grade, Status, Task

Said = tuple[Status, str | None, str]
_GYM: Mapping[str, Any] = {
    "countdown": lambda m: {"type": "countdown", "numbers": m["numbers"], "target": m["target"], "use_all": True},
    "puzzle24": lambda m: {"type": "countdown", "numbers": m["numbers"], "target": 24, "use_all": True},
    "cryptarithm": lambda m: {
        "type": "cryptarithm",
        "equation": "+".join(m["words_letters"]) + "=" + m["result_letters"],
        "allow_leading_zero": m.get("allow_leading_zero"),
    },
    "mini_sudoku": lambda m: {"type": "mini_sudoku", "puzzle": m["puzzle"]},
    "sudoku": lambda m: {"type": "sudoku", "puzzle": m["puzzle"]},
    "prime_factorization": lambda m: {"type": "prime_factorization", "n": m["number"]},
    "tower_of_hanoi": lambda m: {
        "type": "hanoi",
        "disks": m["num_disks"],
        "start": m["start_peg"],
        "goal": m["target_peg"],
    },
}
GOLD_OPTIONS = ("type",)
"""Options of the verifier of this name that say how golds are written; a recipe's reach this grader too."""

_FAULTS = (KeyError, TypeError, ValueError, RecursionError, ZeroDivisionError)
_NEEDS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "countdown": lambda t: "target" in t and isinstance(t["numbers"], (list, tuple)) and t["numbers"],
    "prime_factorization": lambda t: isinstance(t["n"], int) and t["n"] > 1,
    "one_of": lambda t: isinstance(t["answer"], str) and _fold(t["answer"]),
    "sat": lambda t: str(t["status"]).lower() in ("sat", "unsat"),
}
"""What a gold must hold before any answer is looked at."""


def grade(answer: str, task: Task, *, type: str = "") -> Grade:
    """Strict by the one committed answer, lenient by the last line that is not empty."""
    gold = task.gold
    try:
        gold = json.loads(gold) if isinstance(gold, str) and gold.lstrip().startswith("{") else gold
        truth = {"type": type, **gold} if isinstance(gold, Mapping) else {"type": type, "answer": gold}
        if truth["type"] == "gym" and truth.get("task") in _GYM:
            truth = _GYM[truth["task"]](truth["metadata"])
        if len(answer) > 3 * MAX_ANSWER:
            return Grade(strict="unreadable", lenient="unreadable", reason="too long")
        if not _NEEDS.get(truth["type"], bool)(truth):
            return Grade(strict="ungraded", lenient="ungraded", reason="the gold cannot be read")
        _judge("0", truth)  # what fails on this answer is the gold's fault
    except _FAULTS as error:
        return Grade(strict="ungraded", lenient="ungraded", reason=f"the gold cannot be read: {error}"[:200])
    try:
        strict, read, reason = _judge(answer, truth)
        lines = [line for line in answer[-MAX_ANSWER:].split("\n") if line.strip()]
        lenient = strict if strict in ("right", "ungraded") or not lines else _judge(lines[-1], truth)[0]
    except _FAULTS as error:
        return Grade(strict="wrong", lenient="wrong", reason=f"{BROKE_CHECK}: {error}"[:200])
    return Grade(strict=strict, lenient=lenient, read=read, reason=reason)


def gold_as(task: Task, **_: Any) -> list[str]:
    """The gold's own solution, where it has one."""
    gold = task.gold if isinstance(task.gold, Mapping) else {}
    known = [
        gold[key] for key in ("oracle", "answer", "value", "status", "formula", "example", "expression") if key in gold
    ]
    return [str(k) for k in known if isinstance(k, (str, int, float))]


def _judge(answer: str, truth: Mapping[str, Any]) -> Said:
    kind = truth["type"]
    if kind in ("one_of", "sat"):
        return _word(answer, truth)
    if kind == "smt":
        return _smt(answer, truth)
    if kind == "gym":
        return _gym(answer, truth)
    phrases = kind in ("countdown", "cryptarithm", "sat_assignment") or kind.startswith("smt_")
    text = _held(answer, phrases=phrases)
    if text is None:
        return "unreadable", None, "no single committed answer"
    if kind == "countdown":
        lines = text.strip().split("\n")
        bare = [x for x in lines[-50:] if re.fullmatch(r"[-0-9+*/()x×÷ .=]+", x.strip())]
        if len({CHECKS[kind](x, truth)[0] for x in bare}) > 1:
            return "unreadable", None, "several candidates"
        text = re.sub(r"(?i)^(?:so|thus|hence|therefore)\b[ ,:]*", "", lines[-1])
    if kind in CHECKS:
        status, reason = CHECKS[kind](text, truth)
        return status, text[:200], reason
    if kind in ("smt_model", "smt_equivalent", "smt_valid"):
        try:
            status, reason = _formula(text, truth)
        except Unreadable as error:
            status, reason = "unreadable", str(error)
        return status, text[:200], reason
    return "ungraded", None, f"no puzzle {kind}"


def _held(answer: str, *, phrases: bool) -> str | None:
    """The text of tags, boxes or (with `phrases`) "the answer is"; else of the code block; else all of it."""
    text = after_reasoning(answer)
    if text is None or not text.strip():
        return None
    found = explicit(text)
    if isinstance(found, str):
        return None
    segments = found[0] if phrases else []
    if not segments:
        segments = re.findall(r"(?is)<answer>(.*?)</answer>", text) or re.findall(r"\\boxed\{([^{}]*)\}", text)
    if not segments:
        segments = re.findall(r"(?ms)^```[^\n]*\n(.*?)^```", text) or [text]
    bare = {re.sub(r"^```\w*\n|```$", "", s.strip()).strip(" $`\n").rstrip("." if phrases else " ") for s in segments}
    return bare.pop() if len(bare) == 1 else None


def _word(answer: str, truth: Mapping[str, Any]) -> Said:
    if truth["type"] == "sat":
        gold = str(truth["status"]).lower()
        reading = committed(answer, _status, same=str, in_sentence=_status, speaks=lambda s: "sat" in s.lower())
    else:
        gold = _fold(str(truth["answer"]))
        size = len(gold.split())

        def words(text: str) -> str | None:
            bare = re.sub(r"^(?:(?:it|that|this)|the \w+(?: \w+){0,2}) (?:is|was) ", "", _fold(text))
            return bare if 0 < len(bare.split()) <= size and not re.search(r"[<>\\]", bare) else None

        reading = committed(answer, words, same=str, in_sentence=words, speaks=lambda s: True)
    if reading.value is None:
        return "unreadable", None, reading.reason
    return ("right" if reading.value == gold else "wrong"), reading.value, ""


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .!\"'*`“”$")


def _status(text: str) -> str | None:
    bare = _fold(text)
    match = re.fullmatch(
        r"(?:(?:it|the \w+|so it|result) (?:is|are) )?(?:(unsat|unsatisfiable|not satisfiable)|(sat|satisfiable))", bare
    )
    return None if match is None else "unsat" if match[1] else "sat"


def _gym(answer: str, truth: Mapping[str, Any]) -> Said:
    gold = str(truth["answer"])
    if (value := number(gold)) is not None:
        reading = committed(answer, number, same=lambda n: n.value)
        if reading.value is None:
            return "unreadable", None, reading.reason
        return ("right" if reading.value.value == value.value else "wrong"), reading.value.text, ""
    text = _held(answer, phrases="\n" not in gold)
    if text is None:
        return "unreadable", None, "no single committed answer"
    squeeze = [re.sub(r"[ \t]+", " ", re.sub(r" *\n *", "\n", x.strip(" $`\n").rstrip("."))) for x in (gold, text)]
    same = squeeze[0] == squeeze[1] or (squeeze[0].isalnum() and squeeze[0].lower() == squeeze[1].lower())
    if not same and gold.lstrip()[:1] in "[{":
        try:
            same = json.loads(gold) == json.loads(text[:MAX_ANSWER])
        except (ValueError, RecursionError):
            same = False
    return ("right" if same else "wrong"), text[:200], ""


def _smt(answer: str, truth: Mapping[str, Any]) -> Said:
    constraints, sorts = _script(truth["constraints"], truth)
    asked = truth["ask"] if truth["ask"] in sorts else formulas.formula(str(truth["ask"]))
    text = _held(answer, phrases=True) or ""
    said = _values(text, sorts)
    if not said or truth["ask"] not in said:
        if said:
            return "unreadable", None, f"no value for {truth['ask']}"
        reading = committed(answer, number, same=lambda n: n.value)
        if reading.value is None:
            return "unreadable", None, reading.reason
        if "/" in reading.value.text and reading.value.value.denominator == 1:
            return "unreadable", None, "an unevaluated division"
        wanted: list[Node] = [*constraints, ["=", asked, reading.value.value]]
        given: dict[str, Value] = {}
        read = reading.value.text
        if isinstance(asked, str):
            given, wanted = {asked: reading.value.value}, constraints
    else:
        given, wanted, read = said, constraints, ", ".join(f"{n}={v}" for n, v in said.items())
    if any(sorts.get(n) == "Int" and isinstance(v, Fraction) and v.denominator != 1 for n, v in given.items()):
        return "wrong", read, "no whole number"
    found = formulas.witness(wanted, given, sorts)
    return ("right", read, "") if found is not None else ("wrong", read, "no values satisfy the constraints with it")


def _formula(text: str, truth: Mapping[str, Any]) -> tuple[Status, str]:
    if truth["type"] == "smt_model":
        constraints, sorts = _script(truth["constraints"], truth)
        said = _values(text, sorts)
        if not said:
            return "unreadable", "no values"
        if set(said) != set(sorts):
            return "wrong", "a constant has no value"
        if any(sorts[n] == "Int" and isinstance(v, Fraction) and v.denominator != 1 for n, v in said.items()):
            return "wrong", "no whole number"
        fits = all(formulas.value(c, said) is True for c in constraints)
        return ("right", "") if fits else ("wrong", "a constraint fails")
    key = "formula" if truth["type"] == "smt_equivalent" else "conditions"
    wanted = [truth[key]] if isinstance(truth[key], str) else list(truth[key])
    given = [*_lines(truth.get("declarations")), *_lines(truth.get("assuming"))]
    assumed, sorts = _script(given or wanted, truth)
    assumed = assumed if given else []
    answer = formulas.formula(text)
    if not formulas.names(answer) <= set(sorts):
        raise Unreadable("a name that is not declared")
    golds = [formulas.formula(w.replace("{answer}", "the_answer")) for w in wanted]
    some = held = 0
    for point in formulas.points([*golds, *assumed, answer], sorts):
        if not all(formulas.value(a, point) for a in assumed):
            continue
        truth_value = formulas.value(answer, point)
        if not isinstance(truth_value, bool):
            raise Unreadable("no formula that is true or false")
        some += 1
        held += int(truth_value)
        if key == "formula" and formulas.value(golds[0], point) != truth_value:
            return "wrong", "differs at one point"
        if key == "conditions" and not all(formulas.value(g, {**point, "the_answer": truth_value}) for g in golds):
            return "wrong", "a condition fails at one point"
    if key == "conditions" and some and not held:
        return "wrong", "nothing tried satisfies it"
    return "right", f"at {some} points"


def _lines(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given or [])


def _script(given: Any, truth: Mapping[str, Any]) -> tuple[list[Node], dict[str, str]]:
    """Constraints, and every constant with its sort."""
    found: list[Node] = []
    sorts: dict[str, str] = {}
    told = truth.get("sorts") or {}
    for line in _lines(given):
        if re.match(r"\s*(?:;|\((?:declare|assert|set-|define))", line):
            for command in formulas.script(line):
                if command[0] in ("declare-const", "declare-fun"):
                    sorts[command[1]] = str(command[-1])
                elif command[0] == "assert":
                    found.append(command[1])
                elif command[0].startswith("def"):
                    raise ValueError("definitions are not evaluated")
        else:
            found += [formulas.formula(part) for part in re.split(r"[;\n]", line) if part.strip()]
    value = truth.get("value")
    real = isinstance(value, float) and not value.is_integer()
    loose = any(isinstance(n, Fraction) and n.denominator != 1 for f in found for n in _flat(f))
    for name in sorted({n for f in found for n in formulas.names(f)} - set(sorts)):
        usual = "Bool" if name in formulas.logical(found) else "Real" if real or loose else "Int"
        word = str(told if isinstance(told, str) else told.get(name, usual))
        sorts[name] = {"i": "Int", "r": "Real", "f": "Real", "b": "Bool"}[word.lower()[0]]
    if not set(sorts.values()) <= {"Int", "Real", "Bool"}:
        raise ValueError("a sort that is not evaluated")
    return found, sorts


def _flat(node: Node) -> list[Any]:
    return [x for part in node for x in _flat(part)] if isinstance(node, list) else [node]


def _values(text: str, sorts: Mapping[str, str]) -> dict[str, Value]:
    """Every name = value of the text; none where the text says more, or two values for a name."""
    simple = re.sub(r"\(- ([0-9./]+)\)", r"-\1", text)
    pattern = (
        r"[\"`*]{0,2}\b([^\W\d]\w*)[\"`*]{0,2}\s*(?::=|==?|:|\bis\b|\(\)\s*(?:Int|Real|Bool)|(?<=\w)\s)\s*"
        r"(-?[0-9]{1,60}(?:[./][0-9]{1,60})?|true|false)\b"
    )
    out: dict[str, Value] = {}
    for name, said in re.findall(pattern, simple, re.IGNORECASE):
        if name not in sorts:
            return {}
        value: Value = said.lower() == "true" if said.lower() in ("true", "false") else Fraction(said)
        if out.setdefault(name, value) != value:
            return {}
    rest = re.sub(pattern, "", simple, flags=re.IGNORECASE)
    rest = re.sub(
        r"\b(?:and|so|the|solution|is|are|we|get|have|thus|hence|sat|model|define-fun)\b", "", rest, flags=re.IGNORECASE
    )
    return {} if re.search(r"\w", rest) else out
