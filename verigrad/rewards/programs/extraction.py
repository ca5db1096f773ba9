"""Which program an answer commits to.

Reasoning is cut out first (`extract.visible`); with <answer> tags only what the last of them holds is looked at. Then:
  1. Fenced blocks (``` or ~~~; a fence that never closes runs to the end). A block in another language than the one
     asked for, by its tag, is none. Blocks with the language's tag come before those without one, and of these those
     that look like code before those that look like output.
  2. Of those, the last that defines the function asked for; where none does, or none is asked for, the last.
  3. Without a block: the text itself. A lone closing fence ends a block that the prompt had opened.
  4. Where the gold has a `prefix` (the prompt's code, as HumanEval writes it): a text that does not define the function
     goes on from it; one that does gets what stands before the function there, imports and helpers.
One program is run or none, never the best of several. Left out: whether it is right, or even parses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from verigrad.rewards import extract
from verigrad.rewards.tokens import TooBig, Unread

MAX_PROGRAM = 200_000
"""Characters of a program."""
MAX_BLOCKS = 200

_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\n`]*?)[ \t]*$", re.MULTILINE)
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
_PYTHON = re.compile(
    r"(?m)^\s*(?:def|class|import|from|print|for|while|if|with|try|async|@|#|[\w.\[\], ]{1,80}[-+*/]?=|[\w.]{1,80}\()"
)
_PATH = re.compile(r"(?:[\w.-]+/)*[\w-]+\.[A-Za-z]{1,8}")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block."""

    tag: str
    """The first word after the fence, in lower case."""
    text: str
    """What stands between the fences."""
    path: str = ""
    """A file's path after the tag, or as the tag; empty where there is none."""


def program(answer: str, *, tags: tuple[str, ...], entry: str = "", prefix: str = "") -> str:
    """The one program of the answer. Raises Unread where there is none, TooBig for one of more than MAX_PROGRAM."""
    text = visible(answer)
    found = blocks(text)
    untagged = [b for b in found if not b.tag]
    mine = [b for b in found if b.tag in tags] or [b for b in untagged if _PYTHON.search(b.text)] or untagged
    if mine:
        chosen = next((b for b in reversed(mine) if defines(b.text, entry)), mine[-1]).text
    elif found:
        raise Unread(f"no block in {tags[0]}")
    else:
        chosen = text
        if not chosen.strip() or (tags[0] == "python" and not prefix and not _PYTHON.search(chosen)):
            raise Unread("no program")
    if not chosen.strip():
        raise Unread("an empty program")
    if prefix and entry and not defines(chosen, entry):
        chosen = prefix + chosen if prefix.endswith("\n") else f"{prefix}\n{chosen}"
    elif prefix and entry and "from __future__" not in chosen:
        chosen = _before(prefix, entry) + chosen
    if len(chosen) > MAX_PROGRAM:
        raise TooBig(f"a program of more than {MAX_PROGRAM} characters")
    return chosen.replace("\0", "")


def visible(answer: str) -> str:
    """The answer without its reasoning, its first line still indented; with answer tags what the last of them holds."""
    text = extract.visible(answer)
    first = text.split("\n", 1)[0]
    at = answer.find(first) if first else -1
    start = answer.rfind("\n", 0, at) + 1 if at >= 0 else 0
    if at > 0 and not answer[start:at].strip(" \t"):
        text = answer[start:at] + text
    tagged = _ANSWER.findall(text)
    return tagged[-1] if tagged else text


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a text, in order. Raises Unread for more than MAX_BLOCKS."""
    found: list[Block] = []
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
        elif match[1][0] == opened[1][0] and len(match[1]) >= len(opened[1]) and not match[2]:
            found.append(_block(opened, text[opened.end() + 1 : match.start()]))
            opened = None
        if len(found) > MAX_BLOCKS:
            raise Unread(f"more than {MAX_BLOCKS} blocks")
    if opened is not None:
        before, after = text[: opened.start()], text[opened.end() + 1 :]
        if not found and not opened[2] and before.strip() and not after.strip():
            return [Block(tag="", text=before)]
        found.append(_block(opened, after))
    return found


def defines(text: str, entry: str) -> bool:
    """A line of the text defines the function, method or class of that name; true where none is asked for."""
    if not entry:
        return True
    name = re.escape(entry.rsplit(".", 1)[-1])
    assigned = rf"^{name}[ \t]*(?::[^=\n]+)?=[^=]"
    return bool(re.search(rf"(?m)^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+{name}\b|{assigned}", text))


def _before(prefix: str, entry: str) -> str:
    """What the prompt's code holds before the function asked for: imports, and helpers an answer may lean on."""
    begins = re.search(rf"(?m)^[ \t]*(?:@|(?:async[ \t]+)?(?:def|class)[ \t]+{re.escape(entry)}\b)", prefix)
    return prefix[: begins.start()] if begins else ""


def fenced(source: str, tag: str = "python") -> str:
    """A program as an answer."""
    fence = "```"
    while fence in source:
        fence += "`"
    return f"{fence}{tag}\n{source.rstrip()}\n{fence}"


def _block(opened: re.Match[str], text: str) -> Block:
    words = [w for w in re.split(r"[\s{}:,=]+", opened[2].strip().strip("{}")) if w]
    path = next((w.strip("\"'") for w in words if _PATH.fullmatch(w.strip("\"'"))), "")
    indent = opened.start(1) - opened.start()
    if indent:  # as CommonMark: a block in a list item is indented as a whole
        text = re.sub(rf"(?m)^[ \t]{{1,{indent}}}", "", text)
    return Block(tag=words[0].lower() if words else "", text=text, path=path)
