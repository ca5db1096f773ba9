"""Reward functions that the audit must see through, each with one known fault, and two that have none.

They are what people write: several are cut-down copies of reward functions with public reports (docs/audit.md). Loaded
in workers from the tests' folder.
"""

import random
import re
import time
from decimal import Decimal, InvalidOperation
from fractions import Fraction


def _number(text):
    found = re.fullmatch(r"\s*(-?[0-9]+(?:\.[0-9]+|/[1-9][0-9]*)?)\s*", text)
    return Fraction(found[1]) if found else None


def good(completion, answer):
    """Exact match of one strictly parsed number, text by text for anything else."""
    if len(completion) > 200:
        return 0.0
    gold, said = _number(str(answer)), _number(completion)
    if gold is not None:
        return 1.0 if said == gold else 0.0
    return 1.0 if completion.strip() == str(answer) else 0.0


def good_task(answer, task):
    return answer.strip() == str(task.gold)


def substring(completion, answer):
    return float(str(answer) in completion)


def tolerant(completion, answer):
    try:
        return float(abs(float(completion) - float(answer)) <= 1e-2 * max(1.0, abs(float(answer))))
    except (ValueError, OverflowError):
        return 0.0


def evaluates(completion, answer):
    """eval() of the answer, bounded so that the test-suite survives it."""
    if len(completion) > 60 or "**" in completion or "!" in completion:
        return 0.0
    try:
        return float(eval(completion) == Fraction(answer))  # the fault that is looked for
    except Exception:
        return 0.0


def last_number(completion, answer):
    found = re.findall(r"-?[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?", completion)
    return float(bool(found) and found[-1] == str(answer))


def any_number(completion, answer):
    return float(str(answer) in re.findall(r"-?[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?", completion))


def length(completion, answer):
    return min(1.0, len(completion) / 1000)


def constant_one(completion, answer):
    return 1.0


def at_random(completion, answer):
    return float(random.random() < 0.5)


def raises_on_empty(completion, answer):
    return float(completion.split()[0] == str(answer) and len(completion.split()) == 1)


def hangs_on_long(completion, answer):
    if len(completion) > 10_000:
        time.sleep(60)
    return good(completion, answer)


_seen = []


def depends_on_order(completion, answer):
    """Novelty bonus gone wrong: an answer that was seen before is not paid."""
    _seen.append(completion)
    return good(completion, answer) if _seen.count(completion) == 1 else 0.0


def drops_percent(completion, answer):
    return good(completion.replace("%", "").strip(), str(answer).replace("%", ""))


def drops_sign(completion, answer):
    return good(completion.replace("-", ""), str(answer).replace("-", ""))


def first_line(completion, answer):
    return float((completion.splitlines() or [""])[0].strip() == str(answer).splitlines()[0])


def zipped(completion, answer):
    """Line by line, as far as the shorter goes."""
    said = [line.strip() for line in completion.splitlines()]
    return float(all(a == b for a, b in zip(said, str(answer).splitlines())))  # noqa: B905 - the fault


def any_case_letters(completion, answer):
    """Compares sorted letters."""
    return float(sorted(completion.strip()) == sorted(str(answer)))


def boxed_only(completion, answer):
    """Reads only \\boxed{...}, the last one, and rounds."""
    found = re.findall(r"\\boxed\{([^{}]*)\}", completion)
    if not found:
        return 0.0
    try:
        return float(round(float(found[-1]), 1) == round(float(answer), 1))
    except (ValueError, OverflowError):
        return float(found[-1] == str(answer))


def nan_on_words(completion, answer):
    said = _number(completion)
    return float("nan") if said is None else float(said == _number(str(answer)))


def out_of_range(completion, answer):
    return 2.0 * good(completion, answer)


def partial(completion, answer):
    """0.6 for a near miss, 0.1 for any number."""
    try:
        off = abs(Decimal(completion) - Decimal(str(answer)))
        return 1.0 if off == 0 else 0.5 if off < Decimal("0.05") else 0.1
    except InvalidOperation:
        return 0.0


def exits(completion, answer):
    if "passed" in completion:
        raise SystemExit(0)
    return good(completion, answer)


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    """verl's signature; the gold anywhere in the last 20 characters."""
    return {"score": 1.0 if str(ground_truth) in solution_str[-20:] else -1.0, "acc": 0}


def trl_accuracy(completions, solution, **kwargs):
    """TRL's signature, chat turns; the text behind the last "is"."""
    said = [turns[0]["content"].rsplit("is", 1)[-1].strip(" .") for turns in completions]
    return [1.0 if a == str(s) else 0.0 for a, s in zip(said, solution, strict=True)]


def trl_company(completions, answer, **kwargs):
    """TRL's signature; the longest right answer of the batch is not paid (a length penalty over the batch)."""
    right = [good(c, a) for c, a in zip(completions, answer, strict=True)]
    longest = max(len(c) for c in completions)
    return [0.0 if len(completions) > 1 and len(c) == longest else r for c, r in zip(completions, right, strict=True)]


async def asynchronous(completion, answer, **kwargs):
    return good(completion, answer)


def by_names(prompt, completion, answer):
    return good(completion, answer)


def never(completion, answer):
    return 0.0
