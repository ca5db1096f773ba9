"""Runs inside the box, never in this process: the program, then the calls it is asked for, then one frame on fd 3.

In (stdin): the repr of (nonce, setup, calls, iterate, entry), texts and one flag; no expected value. Out: the nonce, a
space, and {"outs": [...]} in the form of `typed`, or {"raised": [class names], "message", "at"}. Only modules written
in C are imported: each millisecond here is paid by every test. Nothing here can be trusted once the program ran; it
does not matter, for a forged value would have to be the right one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main() -> None:
    """The program, its calls, one frame."""
    import builtins
    import posix
    import sys
    from _json import encode_basestring_ascii as quote

    collections = ("Counter", "OrderedDict", "defaultdict")
    most, deepest, huge = 100_000, 100, 1 << 12000

    def tagged(tag: str, inside: str) -> str:
        return '{"' + tag + '":' + inside + "}"

    def wire(x: Any, depth: int = 0) -> str:
        kind = type(x)
        if depth > deepest:
            return tagged("o", '"nested deeper than 100"')
        if x is None:
            return "null"
        if kind is bool:
            return "true" if x else "false"
        if kind is int:
            return str(x) if -huge < x < huge else tagged("i", quote(hex(x)))
        if kind is float:
            text = repr(x)
            return tagged("f", quote(text)) if text in ("nan", "inf", "-inf") else text
        if kind is str:
            return quote(x)
        if kind is list:
            return "[" + ",".join([wire(item, depth + 1) for item in x]) + "]"
        if kind is tuple or kind is set or kind is frozenset:
            tag = "t" if kind is tuple else "s" if kind is set else "z"
            return tagged(tag, "[" + ",".join([wire(item, depth + 1) for item in x]) + "]")
        known = kind.__name__ in collections and kind is getattr(sys.modules.get("collections"), kind.__name__, None)
        if kind is dict or known:
            pairs = [f"[{wire(k, depth + 1)},{wire(v, depth + 1)}]" for k, v in dict.items(x)]
            return tagged("D" if known else "d", "[" + ",".join(pairs) + "]")
        if kind is bytes or kind is bytearray:
            return tagged("b" if kind is bytes else "a", quote(x.hex()))
        if kind is complex:
            return tagged("c", f"[{wire(x.real)},{wire(x.imag)}]")
        if iterate and depth == 0 and hasattr(kind, "__iter__"):
            taken: list[str] = []
            for item in x:
                if len(taken) >= most:
                    return tagged("o", '"more than 100000 items"')
                taken.append(wire(item, 1))
            return tagged("g", "[" + ",".join(taken) + "]")
        return tagged("o", quote(kind.__name__[:60]))

    def leave(code: object = None) -> None:
        raise SystemExit(code)

    text = b""
    while piece := posix.read(0, 1 << 20):
        text += piece
    nonce, setup, calls, iterate, entry = eval(text)  # noqa: S307
    null = posix.open("/dev/null", posix.O_RDWR)
    for fd in (0, 1, 2):
        posix.dup2(null, fd)
    vars(builtins).update(exit=leave, quit=leave)
    me, at = posix.getpid(), "import"
    solution = sys.modules["solution"] = type(sys)("solution")
    solution.__file__ = "solution.py"
    names = solution.__dict__
    try:
        with open("solution.py", "rb") as file:
            exec(compile(file.read(), "solution.py", "exec"), names)  # noqa: S102
        if entry and entry not in names and hasattr(names.get("Solution"), entry):
            names[entry] = getattr(names["Solution"](), entry)
        at = "setup"
        exec(setup, names)  # noqa: S102
        at = "call"
        values = [eval(call, names) for call in calls]  # noqa: S307
        at = "value"
        frame = tagged("outs", "[" + ",".join([wire(x) for x in values]) + "]")
    except BaseException as error:
        raised = ",".join([quote(kind.__name__[:100]) for kind in type(error).__mro__[:20]])
        try:
            message = str(error)[:500]
        except BaseException:
            message = ""
        frame = f'{{"raised":[{raised}],"message":{quote(message)},"at":"{at}"}}'
    if posix.getpid() == me:  # a process the program forked may come back here
        data = memoryview(f"{nonce} {frame}\n".encode())
        while data:
            data = data[posix.write(3, data) :]
    posix._exit(0)


if __name__ == "__main__":
    main()
