"""The line scanner against tomllib: on documents written by hand and on documents made by hypothesis."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.recipe.lines import key_lines

HAND = '''# a comment with [brackets] = and "quotes"
top = 1
"quoted key" = 'a # no comment'
[model]
path = "x" # path = 2
a.b.c = 1
a.'b'."d e" = 2
text = """
[not.a.table]
lr = 3 \\""" still
"""""
raw = \'\'\'
it's = "here"
\'\'\'
list = [
  1, # one
  [ 2, 3 ],
  { x = 1, "y.z" = [ 4,
    5 ] },
]
[[reward]]
weight = 1
[reward.options]
seconds = 2
[[reward]] # second
weight = 2
when = 1979-05-27 07:32:00Z
[[stage]]
[stage.train]
lr = 1
[[stage.data]]
source = "a"
[[stage.data]]
source = "b"
[[stage]]
[ stage . train ]
lr = 2
'''


def test_lines_of_a_document_written_by_hand() -> None:
    tomllib.loads(HAND)
    lines = key_lines(HAND)
    expected = {
        ("top",): 2,
        ("quoted key",): 3,
        ("model",): 4,
        ("model", "path"): 5,
        ("model", "a"): 6,
        ("model", "a", "b", "c"): 6,
        ("model", "a", "b", "d e"): 7,
        ("model", "text"): 8,
        ("model", "raw"): 12,
        ("model", "list"): 15,
        ("model", "list", 0): 16,
        ("model", "list", 1, 1): 17,
        ("model", "list", 2, "y.z"): 18,
        ("model", "list", 2, "y.z", 1): 19,
        ("reward", 0): 21,
        ("reward", 0, "options", "seconds"): 24,
        ("reward", 1): 25,
        ("reward", 1, "weight"): 26,
        ("stage", 0, "train", "lr"): 30,
        ("stage", 0, "data", 1, "source"): 34,
        ("stage", 1): 35,
        ("stage", 1, "train", "lr"): 37,
    }
    assert {path: lines.get(path) for path in expected} == expected
    assert ("not",) not in lines


@pytest.mark.parametrize("text", ["", "\n\n", "# only this", "a = 1", "a = 1\r\nb = 2\r\n", "a=[]", "a={}", "a=''''''"])
def test_short_documents(text: str) -> None:
    assert set(key_lines(text)) == set(_paths(tomllib.loads(text)))


def _paths(value: Any, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [p for k, v in items for p in [(*above, k), *_paths(v, (*above, k))]]


keys = st.text("abz_-09.# =[]\"'\\é\t", min_size=1, max_size=5)
texts = st.text("ab\"'\\\n#[]{}=, é", max_size=12)
scalars = st.one_of(st.integers(-9, 9), st.booleans(), st.floats(allow_nan=False, allow_infinity=False), texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=6,
)
documents = st.dictionaries(keys, values, max_size=5)


@st.composite
def written(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """A document and one of the many ways to write it."""
    document = draw(documents)
    style = draw(st.randoms(use_true_random=False))

    def blank() -> str:
        return style.choice(["", " ", "\t", "  "])

    def line_end() -> str:
        return style.choice(["", " # [c] \"x' = 1"]) + "\n" + style.choice(["", "\n", "# d = 2\n"])

    def key(name: str) -> str:
        ways = [json.dumps(name, ensure_ascii=False)]
        if all(c.isascii() and (c.isalnum() or c in "_-") for c in name):
            ways.append(name)
        if "'" not in name:
            ways.append(f"'{name}'")
        return style.choice(ways)

    def text(value: str) -> str:
        ways = [json.dumps(value, ensure_ascii=False)]
        escaped = value.replace("\\", "\\\\").replace('"""', '""\\"')
        if not escaped.endswith('"') or not value.endswith('"""'):
            ways.append(f'"""\n{escaped}"""')
        if "'" not in value:
            ways.append(f"'''\n{value}'''")
            if "\n" not in value:
                ways.append(f"'{value}'")
        return style.choice(ways)

    def inline(value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str):
            return text(value)
        if isinstance(value, list):
            gaps = ["", " ", "\n", "# ] }\n"]
            items = [style.choice(gaps[:3]) + inline(v) + style.choice(["", " ", "\n"]) for v in value]
            tail = style.choice(["", ","]) if items else ""
            return "[" + ",".join(items) + tail + style.choice(["", " ", "\n# ]\n"]) + "]"
        if isinstance(value, dict):
            pairs = [f"{blank()}{key(k)}{blank()}={blank()}{inline(v)}{blank()}" for k, v in value.items()]
            return "{" + ",".join(pairs) + "}"
        return repr(value)

    def body(table: dict[str, Any], above: str) -> str:
        """Simple keys first, then tables under headers; some tables as inline or dotted keys."""
        out, later = "", ""
        for name, value in table.items():
            full = f"{above}{blank()}.{blank()}{key(name)}" if above else key(name)
            tables = isinstance(value, list) and value and all(isinstance(v, dict) for v in value)
            way = style.random()
            if isinstance(value, dict) and way < 0.5:
                later += f"[{blank()}{full}{blank()}]{line_end()}" + body(value, full)
            elif tables and way < 0.7:
                for row in value:
                    later += f"{blank()}[[{full}]]{line_end()}" + body(row, full)
            elif isinstance(value, dict) and len(value) == 1 and way < 0.8:
                ((inner, held),) = value.items()
                out += f"{key(name)}{blank()}.{blank()}{key(inner)}{blank()}={blank()}{inline(held)}{line_end()}"
            else:
                out += f"{blank()}{key(name)}{blank()}={blank()}{inline(value)}{line_end()}"
        return out + later

    return document, body(document, "")


@settings(max_examples=200, deadline=None)
@given(written())
def test_every_key_that_tomllib_finds_has_a_line_and_stands_in_it(made: tuple[dict[str, Any], str]) -> None:
    document, text = made
    assert tomllib.loads(text) == document
    lines = key_lines(text)
    assert set(lines) >= set(_paths(document))
    rows = text.split("\n")
    for path in _paths(document):
        if isinstance(path[-1], str):
            row = rows[lines[path] - 1]
            assert path[-1] in row or json.dumps(path[-1], ensure_ascii=False) in row


@settings(max_examples=60, deadline=None)
@given(written())
def test_the_line_is_the_first_of_its_key(made: tuple[dict[str, Any], str]) -> None:
    """Cutting the text before a top-level key's line leaves a text that does not have the key."""
    document, text = made
    lines = key_lines(text)
    rows = text.split("\n")
    for name in document:
        before = "\n".join(rows[: lines[(name,)] - 1])
        assert name not in tomllib.loads(before)
        assert tomllib.loads("\n".join(rows[lines[(name,)] - 1 :])).keys() >= {name}
