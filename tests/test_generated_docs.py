"""What `make docs` writes is what is checked in; each key, metric, command, verifier and grader is on its page."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from verigrad.acceptance import grader_names
from verigrad.cli.main import app
from verigrad.losses import methods
from verigrad.recipe import grammar
from verigrad.rewards import kinds
from verigrad.training import NAMES, TIMINGS

ROOT = Path(__file__).parent.parent


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "scripts/generate_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["generate_docs"] = module
    spec.loader.exec_module(module)
    return module


generate_docs = load()
PAGES: dict[Path, str] = generate_docs.pages()


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_a_generated_page_is_what_would_be_generated_now(path: Path) -> None:
    written = (ROOT / path).read_text(encoding="utf-8")
    assert written == PAGES[path], f"{path} is stale: make docs"


def test_every_generated_page_is_compared() -> None:
    pages = [p for p in (ROOT / "docs").rglob("*.md") if "do not edit" in p.read_text(encoding="utf-8")]
    assert {p.relative_to(ROOT) for p in pages} == {p for p in PAGES if p.parts[0] == "docs"}


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("recipe_keys.md", {f"| `{key}` |" for key in grammar.KEYS}),
        ("metrics.md", {f"| `{name}` |" for name in NAMES | TIMINGS}),
        ("cli.md", {f"## verigrad {c.name}\n" for c in app.registered_commands}),
        ("verifiers.md", {f"## {name}\n" for name in kinds()}),
        ("graders.md", {f"## {name}\n" for name in grader_names()}),
        ("methods.md", {f"## {name}\n" for name in methods}),
    ],
)
def test_a_page_names_everything_there_is(page: str, names: set[str]) -> None:
    text = PAGES[Path("docs/reference") / page]
    assert not {name for name in names if name not in text}


def test_every_key_says_what_it_means() -> None:
    rows = [line for line in PAGES[Path("docs/reference/recipe_keys.md")].splitlines() if line.startswith("| `")]
    assert len(rows) > len(grammar.KEYS)
    assert not [row for row in rows if not row.split(" | ")[-1].strip(" |") or not row.split(" | ")[1].strip()]


@pytest.mark.parametrize("change", ["a name without a meaning", "a meaning without a name"])
def test_metrics_and_meanings_are_held_against_each_other_both_ways(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanings = generate_docs.metric_meanings
    names = NAMES | {"new/one"} if change == "a name without a meaning" else NAMES - {"lr"}
    monkeypatch.setattr(meanings, "NAMES", names)
    with pytest.raises(ValueError, match=r"new/one|lr"):
        meanings.check()


def test_only_the_marked_part_of_a_page_is_replaced() -> None:
    page = "before\n<!-- methods:begin -->\nold\n<!-- methods:end -->\nafter\n"
    assert generate_docs.with_block(page, "methods", "new") == page.replace("old", "new")
    for broken in ("no markers", page + page, page.replace("<!-- methods:end -->", "")):
        with pytest.raises(ValueError, match="README"):
            generate_docs.with_block(broken, "methods", "new")
