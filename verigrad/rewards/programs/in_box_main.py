"""Runs inside the box: the program as a script, its stdin the test's, with the exit() and quit() that -S leaves out."""

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
    exec(program, {"__name__": "__main__", "__file__": "solution.py", "__builtins__": builtins})  # noqa: S102


if __name__ == "__main__":
    main()
