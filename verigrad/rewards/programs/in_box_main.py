"""Runs inside the box: the program as a script, its stdin the test's, with the exit() and quit() that -S leaves out.

It is the module `__main__`, as a script is: pickle, typing and multiprocessing look its classes up there.
"""

import builtins
import sys


def leave(code: object = None) -> None:
    """What site's exit() does."""
    raise SystemExit(code)


def main() -> None:
    """Runs the program under the name a script has."""
    vars(builtins).update(exit=leave, quit=leave)
    sys.argv = ["solution.py"]
    with open("solution.py", "rb") as file:
        program = compile(file.read(), "solution.py", "exec")
    module = sys.modules["__main__"] = type(sys)("__main__")
    vars(module).update(__file__="solution.py", __builtins__=builtins)
    exec(program, vars(module))  # noqa: S102


if __name__ == "__main__":
    main()
