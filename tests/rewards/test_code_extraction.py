"""Which program an answer commits to: no box is started here."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigrad.rewards.programs import extraction
from verigrad.rewards.tokens import TooBig, Unread

PYTHON = ("python", "py", "python3")
GOOD = "def f(x):\n    return x"


def program(answer, *, entry="f", prefix="", tags=PYTHON):
    return extraction.program(answer, tags=tags, entry=entry, prefix=prefix).strip("\n")


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"```python\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"~~~py\n{GOOD}\n~~~",
        f"Here:\n\n```python\n{GOOD}\n```\nIt returns x.",
        f"```python\n{GOOD}\n```\nFor example:\n```python\nprint(f(1))\n```\nprints\n```\n1\n```",
        f"```python\n{GOOD}\n",
        f"{GOOD}\n```",
        f"<think>```python\ndef f(x): return 0\n```</think>\n```python\n{GOOD}\n```",
        f"<answer>\n{GOOD}\n</answer>",
        f"```python\ndef f(x): return 0\n```\nNo, better:\n```python\n{GOOD}\n```",
        f"````python\n{GOOD}\n````",
        f"```python\n{GOOD}\n```\n```bash\npython f.py\n```",
        f"```Python title='f.py'\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nThis prints:\n```\n6\n```",
        "1. The code:\n\n   ```python\n   def f(x):\n       return x\n   ```\n2. Done.",
        "- So:\n  ~~~\n  def f(x):\n      return x\n  ~~~",
    ],
)
def test_the_program_is_found(answer):
    assert program(answer) == GOOD


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I do not know.",
        "<think>def f(x): return x",
        f"<think>\n```python\n{GOOD}\n```",
        "```bash\nrm -rf x\n```",
        "```python\n```",
        "```python\n\n   \n```",
        "```c\nint main(){}\n```",
    ],
)
def test_no_program(answer):
    with pytest.raises(Unread):
        program(answer)


def test_a_body_goes_on_from_the_prefix():
    prefix = "def f(x):\n"
    assert program("    return x\n", prefix=prefix) == GOOD
    assert program(f"```python\n{GOOD}\n```", prefix=prefix) == GOOD
    helped = "import math\n\ndef helper(x):\n    return x\n\n\ndef f(x):\n"
    assert (
        program(f"```python\n{GOOD}\n```", prefix=helped) == f"import math\n\ndef helper(x):\n    return x\n\n\n{GOOD}"
    )


def test_without_a_function_asked_for_the_last_tagged_block_is_it():
    assert program("```python\nprint(1)\n```\n```python\nprint(2)\n```\n```\n2\n```", entry="") == "print(2)"


def test_bounds():
    with pytest.raises(TooBig):
        program("```python\n" + "x = 1\n" * 50_000 + "```")
    with pytest.raises(Unread):
        program("```python\nx\n```\n" * 500)


def test_a_program_with_fences_in_it_survives_being_an_answer():
    source = 'def f(x):\n    return """\n```\n"""'
    assert program(extraction.fenced(source)) == source


PIECES = (
    *("```", "```python", "~~~", "````", "<think>", "</think>", "<answer>", "</answer>", "\n", "\n"),
    *("def f(x):", "  return x", "x", "\0", "\ud800", "é"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@settings(deadline=None, max_examples=300)
def test_extraction_finds_one_program_or_says_why_not(answer):
    try:
        found = program(answer)
    except (Unread, TooBig):
        return
    assert "\0" not in found
