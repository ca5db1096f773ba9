"""The menu lists every target; no tracked file names a machine's own paths or a package registry."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = sorted(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
ALLOWED_HOST = "download.pytorch.org"


def tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def make(*words: str) -> "subprocess.CompletedProcess[str]":
    """make as from a shell: inside `make test` it would inherit the outer make's flags and say so in its output."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    return subprocess.run(["make", *words], cwd=ROOT, env=env, capture_output=True, text=True, check=True)


def test_help_lists_every_target_with_a_line() -> None:
    done = make("help")
    listed = dict(re.findall(r"^  make ([a-z-]+) +(\S.*)$", done.stdout, re.MULTILINE))
    assert sorted(listed) == TARGETS
    assert {"venv", "quickstart", "quickstart-proof", "test", "bench", "device-check", "docs"} <= set(listed)


def test_every_target_is_phony_and_help_comes_first() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert sorted(phony.split()) == TARGETS
    done = make("-n")
    assert "grep" in done.stdout


@pytest.mark.parametrize("target", sorted({*TARGETS} - {"help", "clean", "venv"}))
def test_every_other_target_sets_itself_up(target: str) -> None:
    done = make("-n", "-W", "requirements-dev.txt", target)
    assert "install_torch.py" in done.stdout, f"make {target} in a fresh clone would find no .venv"


@pytest.mark.parametrize("target", ["quickstart", "quickstart-proof", "drill", "docs"])
def test_what_a_target_runs_is_there(target: str) -> None:
    done = make("-n", target)
    named = re.findall(r"\S+/\S+\.(?:py|toml)\b", done.stdout.splitlines()[-1])
    assert named
    assert all((ROOT / name).is_file() for name in named), named


@pytest.mark.parametrize("target", [t for t in TARGETS if t.startswith("bench") or t == "device-check"])
def test_what_a_benchmark_runs_is_there(target: str) -> None:
    named = re.findall(r"-m (benchmarks[.\w]+)", make("-n", target).stdout)
    assert named
    assert all((ROOT / f"{name.replace('.', '/')}.py").is_file() for name in named), named


# Written in pieces, so that this file does not find itself.
MACHINE_PATHS = re.compile(
    "|".join(["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/[a-z]", "/Us" + "ers/[a-z]", "py" + "env"])
)
REGISTRIES = re.compile(
    r"(?:[a-z0-9-]+\.)*(?:py" + r"pi\.org|python" + r"hosted\.org|npm" + r"js\.org|crates" + r"\.io|pyto" + r"rch\.org)"
)


def clean(path: Path, text: str) -> list[str]:
    """The lines of a tracked file that name a machine's paths or a registry."""
    if path == ROOT / ".ci/run":
        # Where a runner keeps its Pythons is the runner's to say; the variable and its usual place may be named.
        text = re.sub("PYENV_ROOT|(py" + "env's)|\\.(py" + "env)", "", text)
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        hosts = [h for h in REGISTRIES.findall(line) if h not in (ALLOWED_HOST, "pyto" + "rch.org")]
        if MACHINE_PATHS.search(line) or hosts:
            found.append(f"{path.name}:{number}: {line.strip()[:120]}")
    return found


def test_no_tracked_file_names_this_machine_or_a_registry() -> None:
    found: list[str] = []
    for path in tracked():
        try:
            found += clean(path, path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("see /wo" + "rk/main/x", True),
        ("cd /ro" + "ot/x", True),
        ("~/.py" + "env/versions", True),
        ("--index-url https://py" + "pi.org/simple", True),
        ("https://files.python" + "hosted.org/x", True),
        ("https://download.pyto" + "rch.org/whl/cpu", False),
        ("the framework/library", False),
    ],
)
def test_the_search_finds_what_it_is_for(line: str, wrong: bool) -> None:
    assert bool(clean(ROOT / "README.md", line)) == wrong
