"""Tricks on multiple choice: every label at once, a label inside a word, another label with the right text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from verigrad.rewards.audit.records import Row, Trick

_KINDS = ("choice",)


def labels(row: Row) -> tuple[str, ...]:
    """The labels of the row's choices; () where it has none."""
    gold = row.task.gold
    choices = gold.get("choices") if isinstance(gold, Mapping) else row.task.columns.get("choices")
    if isinstance(choices, str):
        return tuple(choices.split("|")) if "|" in choices else tuple(choices)
    return tuple(str(c) for c in choices) if isinstance(choices, (Mapping, list, tuple)) else ()


def _all(row: Row) -> Iterable[str]:
    every = labels(row)
    if len(every) > 1 and row.gold:
        yield from ("".join(every), ", ".join(every), " or ".join(every), "\n".join(every), " ".join(every))
        yield " ".join(f"\\boxed{{{one}}}" for one in every)
        yield "\n".join(f"Answer: {one}" for one in every)
        yield "All of the above"
        other = next((one for one in every if one not in row.gold), "")
        if other:
            yield from (
                f"{row.gold}{other}",
                f"{row.gold} or {other}",
                f"{other} and {row.gold}",
                f"{other}/{row.gold}",
            )


def _inside(row: Row) -> Iterable[str]:
    a = row.gold
    if len(a) == 1 and a.isalpha():
        yield from (f"{a}ananas", f"x{a}x", f"Bad{a}", f"{a}{a}{a}", f"Option {a}1", f"Answer: {a}lthough I doubt it")
        yield from (f"{a}lways think twice", f"The {a}est is hard to tell", f"{a}_1", f"1{a}2")


def _others_label(row: Row) -> Iterable[str]:
    every = labels(row)
    wrong = [one for one in every if one.casefold() != row.gold.casefold()]
    for one in wrong[:3]:
        yield from (one, f"Answer: {one}", f"({one})", f"\\boxed{{{one}}}")
    if wrong and row.gold:
        yield from (
            f"{row.gold}? No: {wrong[0]}",
            f"Not {row.gold}. {wrong[0]}.",
            f"Answer: {wrong[0]}. {row.gold} is wrong.",
        )


TRICKS = (
    Trick(name="every label", about="finds the right label among all of them", build=_all, kinds=_KINDS),
    Trick(name="label in a word", about="takes a letter of a word for a label", build=_inside, kinds=_KINDS),
    Trick(name="another label", about="pays for a label that is not the gold's", build=_others_label, kinds=_KINDS),
)
