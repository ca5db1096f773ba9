"""Policy losses beside their peers: what is asked of them, and that a case can come out wrong either way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.peers import policy_peers as peers
from benchmarks.peers.run import page

CASES = {f"{c.peer} {c.name}": c for c in peers.CASES}


def test_every_case_has_a_name_of_its_own_and_every_asked_method_is_compared() -> None:
    assert len(CASES) == len(peers.CASES)
    for peer in ("TRL", "verl"):
        agreeing = {c.ours for c in peers.CASES if c.peer == peer and not c.deviation}
        assert {"grpo", "dr_grpo", "dapo", "cispo", "rloo"} <= agreeing
        assert {"gspo", "gspo_token"} & agreeing


def test_inputs_hold_what_tells_losses_apart() -> None:
    given = peers.inputs(3, 0)
    real = given["real"]
    assert len(set(given["length"].tolist())) > 3
    assert not given["new"][~real].any()
    ratio = np.exp(given["new"] - given["old"])[real]
    assert ratio.max() > 3
    assert (ratio < 0.8).any()
    assert given["reward"][-peers.GROUP :].std() == 0
    assert len({int(given["length"][given["group"] == g].sum()) for g in range(3)}) == 3


@pytest.mark.parametrize("name", sorted(CASES))
def test_our_side_of_every_case(name: str) -> None:
    given = peers.inputs(2, 1)
    loss, gradient = peers.ours(CASES[name], given)
    assert np.isfinite(loss)
    assert np.isfinite(gradient).all()
    assert gradient.any()
    assert not gradient[~given["real"]].any()


def test_a_case_is_wrong_where_it_agrees_unexpectedly_as_where_it_does_not() -> None:
    case = CASES["TRL grpo"]
    given = peers.inputs(2, 0)
    own = peers.ours(case, given)
    same = {"grpo.loss": np.array(own[0]), "grpo.gradient": own[1]}
    off = {"grpo.loss": np.array(own[0] * 1.001), "grpo.gradient": own[1]}
    turned = {"grpo.loss": np.array(own[0]), "grpo.gradient": own[1] * 1.001}
    told = replace(case, deviation="it rounds")
    for answers, agrees in ((same, True), (off, False), (turned, False)):
        for asked, as_said in ((case, agrees), (told, not agrees)):
            row = peers._row(asked, own, answers)
            assert (row["agrees"], row["as_said"]) == (agrees, as_said)
    assert peers._row(replace(case, gradient_only=True), own, off)["agrees"]


def test_the_page_counts_and_names_what_differs() -> None:
    case = CASES["TRL grpo, our std"]
    own = peers.ours(case, peers.inputs(2, 0))
    theirs = {f"{case.name}.loss": np.array(own[0] * 2), f"{case.name}.gradient": own[1]}
    row = {**peers._row(case, own, theirs), "kind": "Policy losses"}
    text = page({"rows": [row], "peers": {"trl": "1"}, "commit": "abc", "clean": True, "date": "d"})
    assert "1 cases: 0 agree, 1 differ, all as said." in text
    assert case.deviation in text
