"""What runs in the killable process: math_verify on two bounded strings. Imported nowhere else (sympy costs a second).

Left out: deadlines. math_verify's own are SIGALRM, which cannot stop a call that never returns to bytecode; the process
is killed from outside.
"""

from __future__ import annotations


def equal(gold: str, answer: str) -> str:
    """`equal`, `different`, or `gold` / `answer` for the side that math_verify could not read."""
    import logging

    from math_verify import parse, verify

    logging.disable(logging.CRITICAL)

    def read(text: str) -> list[object]:
        for form in (f"${text}$", text):
            found = [x for x in parse(form, parsing_timeout=None) if not isinstance(x, str)]
            if found:
                return list(found)
        return []

    left, right = read(gold), read(answer)
    if not left:
        return "gold"
    if not right:
        return "answer"
    return "equal" if verify(left, right, timeout_seconds=None) else "different"
