"""The comparison of preference losses with TRL: every method is in it, either way round is noticed. No peer needed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.peers import preference_peers as peers
from verigrad.losses import preferences


def test_every_method_is_compared_or_has_no_peer() -> None:
    compared = {case.ours for case in peers.CASES if not case.deviation}
    differing = {case.ours for case in peers.CASES if case.deviation}
    # cdpo and ipo are no loss of TRL's: their only cases name what it computes in their place.
    assert compared | {"cdpo", "ipo"} | set(peers.ABSENT) == {*preferences, "bradley_terry"}
    assert {"cdpo", "ipo"} <= differing
    assert len({case.name for case in peers.CASES}) == len(peers.CASES)


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """A peer that computes what we do, but for a factor on the losses named here."""
    factors: dict[str, float] = {}

    def run(command: list[str], **_: Any) -> None:
        folder = Path(command[-1])
        given = dict(np.load(folder / "inputs.npz"))
        answers = {}
        for case in peers.CASES:
            loss, gradient = peers.ours(case, given)
            answers |= {f"{case.name}.loss": loss, f"{case.name}.gradient": gradient * factors.get(case.name, 1)}
        np.savez(folder / "outputs.npz", **answers)
        (folder / "versions.json").write_text(json.dumps({"trl": "none"}))

    monkeypatch.setattr(subprocess, "run", run)
    return factors


def test_a_gradient_that_is_a_little_off_is_noticed(peer: dict[str, float]) -> None:
    peer["kto"] = 1 + 1e-9
    rows, _ = peers.compare(pairs=6)
    assert [row["loss"] for row in rows if not row["agrees"]] == ["kto"]
    assert peers.main(["--smoke"]) == 1


def test_agreement_where_a_deviation_is_named_is_noticed(
    peer: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    assert peers.main(["--smoke"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"not as said: {', '.join(case.name for case in peers.CASES if case.deviation)}"
    peer |= {case.name: 1.5 for case in peers.CASES if case.deviation}
    assert peers.main(["--smoke"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"{len(peers.CASES)} cases, all as said"
