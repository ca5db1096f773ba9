"""The command line: `verigrad COMMAND`. Data on stdout, talk on stderr; one file a command.

Exit: 0 done (and accepted), 1 the answer is no, 2 refused before starting, 3 failed while running, 130 interrupted and
saved. A command's own imports come when it is called, so that `--help` stays quick. Left out: the work itself.
"""

from __future__ import annotations

import sys
import traceback

import typer

from verigrad.cli import accept, audit, compare, doctor, init, list_, pilot, report, train, verify
from verigrad.errors import VerigradError

app = typer.Typer(
    name="verigrad",
    help="Post-train a language model on tasks whose answers a program can check, and accept the result independently.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in (init, list_, verify, audit, pilot, train, accept, compare, doctor, report):
    app.command(name=module.__name__.rsplit(".", 1)[1].rstrip("_"))(module.command)


def main() -> None:
    """The entry point: runs a command and turns errors into one line and an exit status."""
    try:
        app()
    except VerigradError as error:
        print(f"verigrad: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print("verigrad: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our stdout has gone (`verigrad list methods | head`): nothing is left to say, and to nobody.
        sys.stdout = None
        sys.exit(0)
    except Exception:
        # A fault of ours, never an answer: 1 would say "no".
        traceback.print_exc()
        print("verigrad: failed by a fault of its own; the lines above say where", file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
