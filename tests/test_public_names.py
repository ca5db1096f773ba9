"""The public names are what can be imported, sorted; importing the package stays quick and brings no torch."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import verigrad


def in_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, each sorted: the order ruff keeps __all__ in."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


MODULES = sorted(m.name for m in pkgutil.walk_packages(verigrad.__path__, "verigrad."))


def test_every_public_name_is_importable_and_the_list_is_sorted() -> None:
    assert verigrad.__all__ == sorted(verigrad.__all__)
    assert set(verigrad.__all__) == {*verigrad._HOMES, "__version__"}
    for name in verigrad.__all__:
        assert getattr(verigrad, name) is not None


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="nothing_like_this"):
        verigrad.nothing_like_this  # noqa: B018


@pytest.mark.parametrize("module", MODULES)
def test_every_module_imports(module: str) -> None:
    importlib.import_module(module)


@pytest.mark.parametrize("package", sorted({m.split(".")[1] for m in MODULES if m.count(".") == 1} - {"errors"}))
def test_every_room_names_what_it_exposes_in_order(package: str) -> None:
    room = importlib.import_module(f"verigrad.{package}")
    names = getattr(room, "__all__", [])
    assert list(names) == sorted(names, key=in_order)
    for name in names:
        assert hasattr(room, name), name


@pytest.mark.parametrize("code", ["import verigrad", "import sys; sys.argv = ['verigrad', '--help']; import runpy"])
def test_importing_brings_no_torch(code: str) -> None:
    check = f"{code}\nimport sys\nassert not {{'torch', 'transformers', 'pydantic', 'sympy'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_help_of_the_command_line_brings_no_torch() -> None:
    check = (
        "import sys\nfrom verigrad.cli.main import main\n"
        "sys.argv = ['verigrad', '--help']\n"
        "try:\n    main()\nexcept SystemExit as e:\n    assert not e.code\n"
        "assert not {'torch', 'transformers', 'sympy'} & set(sys.modules), 'torch came with --help'"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "train" in done.stdout
