"""What runs in the solver's process: z3 on a script we wrote ourselves. Imported nowhere else.

Left out: the clock that counts (the caller's; z3's own only ends it politely) and the memory limit (the process's).
"""

from __future__ import annotations


def solve(gold: str, more: str, seconds: float) -> dict[str, str]:
    """{status: sat | unsat | unknown}; {gold: why} or {bad: why} for the part that z3 cannot read.

    `more` is further assertions.
    """
    import z3

    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", max(1, int(1000 * seconds)))
    try:
        solver.from_string(f"{gold}\n{more}")
    except z3.Z3Exception as error:
        try:
            z3.Solver(ctx=z3.Context()).from_string(gold)
        except z3.Z3Exception as fault:
            return {"gold": _line(fault)}
        return {"bad": _line(error)}
    status = str(solver.check())
    return {"status": status, "why": solver.reason_unknown() if status == "unknown" else ""}


def model(gold: str, seconds: float) -> dict[str, dict[str, str]]:
    """{values: constant -> SMT-LIB value} of one model; {} where there is none."""
    import z3

    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", max(1, int(1000 * seconds)))
    try:
        solver.from_string(gold)
        if str(solver.check()) != "sat":
            return {}
    except z3.Z3Exception:
        return {}
    found = solver.model()
    return {"values": {str(d.name()): found[d].sexpr() for d in found.decls() if d.arity() == 0}}


def _line(error: Exception) -> str:
    value = error.args[0] if error.args else error
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return " ".join(text.split())[:160]
