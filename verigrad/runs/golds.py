"""Every gold of the data through its own verifier, before anything is trained. Left out: the verifiers (rewards)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from verigrad.errors import DataError, Refused
from verigrad.records import Task, Verdict
from verigrad.runs.prepare import Prepared, order_of

PROBE = 4
"""Golds tried first: a check that fails on all of them is not kept waiting for thousands more."""


def check_golds(ready: Prepared, folder: Path, *, anyway: bool) -> tuple[Prepared, list[dict[str, str]]]:
    """Every gold through its own verifier. Refused with their number, or with `anyway` the rows are left out.

    `folder` is the run's: a refusal leaves the list there, in golds.jsonl. Returns what is prepared without those
    rows, and their list.
    """
    recipe, cut = ready.recipe, ready.split
    everyone = [t for side in (cut.train, cut.validation, cut.held_out) for tasks in side.values() for t in tasks]
    first = everyone[:PROBE]
    failed = ready.rewards.check_golds(first)
    hopeless = len(failed) == PROBE or (len(failed) > 1 and [t for t, _ in failed] == first[: len(failed)])
    if hopeless and len(everyone) > PROBE and not anyway:
        why = failed[0][1].reason or failed[0][1].status
        listed = _list(folder, _rows(failed))
        raise Refused(
            f"the first {len(failed)} golds are all wrong by their own verifier ({' '.join(why.split())[:160]}; "
            f"list: {listed}); mend the check or the golds"
        )
    failed += ready.rewards.check_golds(everyone[PROBE:])
    rows = _rows(failed)
    if not failed:
        return ready, []
    if not anyway:
        listed = _list(folder, rows)
        raise Refused(
            f"{len(failed):,} of {len(everyone):,} golds are wrong by their own verifier (list: {listed}); "
            "mend them, or --anyway leaves those rows out and records it"
        )
    bad = {t.key for t, _ in failed}

    def without(side: Mapping[str, tuple[Task, ...]]) -> dict[str, tuple[Task, ...]]:
        return {source: tuple(t for t in tasks if t.key not in bad) for source, tasks in side.items()}

    cut = replace(cut, train=without(cut.train), validation=without(cut.validation), held_out=without(cut.held_out))
    empty = [source for side in (cut.train, cut.held_out) for source, tasks in side.items() if not tasks]
    if empty:
        raise DataError(f"{empty[0]}: no gold passes its own verifier, nothing is left", key="reward.verifier")
    suites = tuple(
        replace(
            j,
            tasks=tuple(t for t in j.tasks if t.key not in bad),
            validation=tuple(t for t in j.validation if t.key not in bad),
        )
        for j in ready.suites
    )
    return replace(ready, split=cut, order=order_of(recipe, cut), suites=suites), rows


def _rows(failed: Sequence[tuple[Task, Verdict]]) -> list[dict[str, str]]:
    return [
        {"source": t.source, "key": t.key, "gold": str(t.gold)[:200], "status": v.status, "reason": v.reason}
        for t, v in failed
    ]


def _list(folder: Path, rows: list[dict[str, str]]) -> Path:
    path = folder / "golds.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}") from None
    return path


def forget_refusal(folder: Path) -> None:
    """Remove what a refused start left: a folder with nothing but its list of golds."""
    if folder.is_dir() and [p.name for p in folder.iterdir()] == ["golds.jsonl"]:
        shutil.rmtree(folder)
