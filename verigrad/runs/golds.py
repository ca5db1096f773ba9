"""Every gold of the data through its own verifier, every suite's through its grader, before anything is trained.

Left out: the verifiers (rewards), the graders and the spellings of a gold they are shown (acceptance).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

from verigrad.acceptance import Checked, Unaccepted
from verigrad.acceptance import check_golds as through_grader
from verigrad.errors import DataError, Refused
from verigrad.records import Task, Verdict
from verigrad.runs.prepare import Prepared, order_of
from verigrad.runs.suites import Judged

PROBE = 4
"""Golds tried first: a check that fails on all of them is not kept waiting for thousands more."""
GRADER_SECONDS = 120.0
"""For one suite's golds through its grader; a note says how many were seen by then. Without end where rows are left
out: a clock must not choose them."""


def check_golds(ready: Prepared, folder: Path, *, anyway: bool) -> tuple[Prepared, list[dict[str, str]]]:
    """Every gold through its own verifier and grader. Refused with their number, or with `anyway` rows are left out.

    What its verifier does not call right is left out everywhere, what its grader does not, of the suite. `folder` is
    the run's: a refusal leaves the list there, in golds.jsonl. Returns what is prepared without those rows, and their
    list.
    """
    ready, rows = _through_verifiers(ready, folder, anyway=anyway)
    suites = list(ready.suites)
    notes: list[str] = []
    for n, judged in enumerate(suites):
        if not judged.grader.independent:
            continue
        checked, tasks = _through_grader(judged, anyway=anyway)
        if checked.unaccepted and not anyway:
            raise _refused(judged, checked, tasks, n, _list(folder, _graded_rows(judged, checked.unaccepted)))
        if checked.seen < len(tasks):
            notes.append(
                f"{judged.name}: {checked.seen:,} of {len(tasks):,} golds went through grader {judged.grader.name} "
                f"in {GRADER_SECONDS:g} s; the rest was not looked at"
            )
        if checked.unaccepted:
            rows += _graded_rows(judged, checked.unaccepted)
            suites[n] = _without(judged, {u.task.key for u in checked.unaccepted})
            if not suites[n].tasks:
                raise DataError(
                    f"{judged.name}: no gold is accepted by grader {judged.grader.name} "
                    f"({_short(checked.unaccepted[0].reason)}), nothing is left",
                    key=f"acceptance.{n}.grader",
                )
            notes.append(
                f"{judged.name}: {len(checked.unaccepted):,} of {len(tasks):,} golds are not accepted by grader "
                f"{judged.grader.name} and are left out"
            )
    return replace(ready, suites=tuple(suites), notes=(*ready.notes, *notes)), rows


def _through_grader(judged: Judged, *, anyway: bool) -> tuple[Checked, tuple[Task, ...]]:
    """The suite's golds through its grader, and all that were to be seen; the first few alone where none passes."""
    tasks = (*judged.tasks, *judged.validation)
    if anyway:
        return through_grader(judged.grader.unaccepted, tasks), tasks
    first = through_grader(judged.grader.unaccepted, tasks[:PROBE], seconds=GRADER_SECONDS)
    if len(first.unaccepted) == PROBE:
        return first, tasks
    rest = through_grader(judged.grader.unaccepted, tasks[first.seen :], seconds=GRADER_SECONDS)
    return Checked(unaccepted=(*first.unaccepted, *rest.unaccepted), seen=first.seen + rest.seen), tasks


def _refused(judged: Judged, checked: Checked, tasks: Sequence[Task], n: int, listed: Path) -> Refused:
    first, name, num = checked.unaccepted[0], judged.grader.name, len(checked.unaccepted)
    mend = "mend them, or --anyway leaves those rows out of the suite and records it"
    many = f"{num:,} of {checked.seen:,} golds are not"
    if num == checked.seen:
        mend = "name another grader or mend the golds"
        many = "no gold is" if num == len(tasks) else f"none of the first {num} golds is"
    return Refused(
        f"{judged.name}: {many} accepted by grader {name} "
        f"(gold {_short(str(first.task.gold), 60)!r}: {_short(first.reason)}; list: {listed}); {mend}",
        key=f"acceptance.{n}.grader",
    )


def _through_verifiers(ready: Prepared, folder: Path, *, anyway: bool) -> tuple[Prepared, list[dict[str, str]]]:
    recipe, cut = ready.recipe, ready.split
    if ready.rewards is None or ready.kind != "rl":
        return ready, []
    # A stage with data of its own is held out from sources its verifier need not know.
    sides = (cut.train, cut.validation, {n: tasks for n, tasks in cut.held_out.items() if n in cut.train})
    everyone = [t for side in sides for tasks in side.values() for t in tasks]
    first = everyone[:PROBE]
    failed = ready.rewards.check_golds(first)
    hopeless = len(failed) == PROBE or (len(failed) > 1 and [t for t, _ in failed] == first[: len(failed)])
    if hopeless and len(everyone) > PROBE and not anyway:
        why = failed[0][1].reason or failed[0][1].status
        listed = _list(folder, _rows(failed))
        raise Refused(
            f"the first {len(failed)} golds are all wrong by their own verifier ({_short(why, 320)}; "
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
    suites = tuple(_without(j, bad) for j in ready.suites)
    return replace(ready, split=cut, order=order_of(recipe, cut), suites=suites), rows


def _rows(failed: Sequence[tuple[Task, Verdict]]) -> list[dict[str, str]]:
    return [
        {"source": t.source, "key": t.key, "gold": str(t.gold)[:200], "status": v.status, "reason": v.reason}
        for t, v in failed
    ]


def _graded_rows(judged: Judged, unaccepted: Sequence[Unaccepted]) -> list[dict[str, str]]:
    return [
        {
            "source": u.task.source,
            "key": u.task.key,
            "gold": str(u.task.gold)[:200],
            "status": "unaccepted",
            "reason": f"grader {judged.grader.name} of {judged.name}: {u.reason}",
        }
        for u in unaccepted
    ]


def _without(judged: Judged, keys: Set[str]) -> Judged:
    return replace(
        judged,
        tasks=tuple(t for t in judged.tasks if t.key not in keys),
        validation=tuple(t for t in judged.validation if t.key not in keys),
    )


def without_items(ready: Prepared, keys: Set[str]) -> Prepared:
    """The stage with suites that have none of these tasks. Raises DataError where a suite has nothing left."""
    suites = tuple(_without(j, keys) for j in ready.suites)
    if empty := [j.name for j in suites if not j.tasks]:
        raise DataError(f"acceptance: {empty[0]} has no item left whose gold passes", key="acceptance")
    return replace(ready, suites=suites)


def _short(text: str, most: int = 160) -> str:
    return " ".join(text.split())[:most]


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
