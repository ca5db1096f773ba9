"""pyproject.toml declares what the package imports and nothing else; the pins cover it; --help costs little."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

NOT_IMPORTED = {
    "reasoning-gym": "an extra: imported by name, and only where a recipe says gym:",
    "accelerate": "transformers' GGUF reader asks for it",
    "tensorboard": "torch.utils.tensorboard, which writes the run's log, imports it",
}
"""Declared and never imported here, with the reason."""
BROUGHT = {
    "pydantic-core": "pydantic",
    "tokenizers": "transformers",
    "huggingface-hub": "transformers",
    "referencing": "jsonschema",
    "jsonschema-specifications": "jsonschema",
}
"""Imported and not declared, because the package named pins its version."""
LOOKED_FOR = {"pytest"}
"""Imported in the box of repository tests alone; where it is missing their gold check says what to install."""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    return canonical(re.split(r"[\s<>=!~;\[]", requirement, maxsplit=1)[0])


EXTRAS = PROJECT["optional-dependencies"]
DECLARED = {name_of(r) for r in PROJECT["dependencies"]}
DECLARED |= {name_of(r) for extra, rows in EXTRAS.items() if extra != "dev" for r in rows}


def imported() -> set[str]:
    """Distributions the package imports, by the top-level module of every import statement."""
    modules: set[str] = set()
    for file in (ROOT / "verigrad").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.add(node.module.split(".")[0])
    homes = importlib.metadata.packages_distributions()
    third = modules - set(sys.stdlib_module_names) - {"verigrad"}
    missing = {module for module in third if module not in homes}
    assert not missing, f"imported, but no installed distribution has it: {missing}"
    return {canonical(homes[module][0]) for module in third}


def test_every_import_is_declared_or_brought_by_what_pins_it() -> None:
    assert imported() - DECLARED == {*BROUGHT, *LOOKED_FOR}
    for name, by in BROUGHT.items():
        needed = {name_of(r) for r in importlib.metadata.requires(by) or []}
        assert name in needed, f"{by} no longer brings {name}"


def test_everything_declared_is_imported_or_explained() -> None:
    assert DECLARED - imported() == set(NOT_IMPORTED)


def test_the_pins_cover_everything_declared() -> None:
    text = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)$", text, re.MULTILINE))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(pinned) == len(lines), "every line is name==version"
    everything = DECLARED | {name_of(r) for r in PROJECT["optional-dependencies"]["dev"]}
    # torch has a line of its own in the Makefile: which build depends on the machine.
    assert everything - {canonical(name) for name in pinned} == {"torch"}


def cpu_seconds(code: str) -> float:
    """Least user and system time of three runs: the machine's other work adds to some, never takes away."""
    import resource

    least = float("inf")
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def test_help_costs_a_small_multiple_of_python_itself() -> None:
    alone = cpu_seconds("pass")
    help_ = "import sys; sys.argv = ['verigrad', '--help']; from verigrad.cli.main import main; main()"
    # Measured: 0.02 s, 0.03 s and 0.09 s; a stray import of torch or pydantic's models makes it seconds.
    assert cpu_seconds("import verigrad") < 4 * alone + 0.1
    assert cpu_seconds(help_) < 12 * alone + 0.1
