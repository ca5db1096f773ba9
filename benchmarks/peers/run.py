"""Every loss beside its peers, in one go: results/peers.json and docs/peers.md.

    python -m benchmarks.peers.run [--smoke]

--smoke: few rows, nothing written. Exit 1 where a case does not come out as it says beforehand. Left out: the cases
themselves (policy_peers, preference_peers) and the peers' own sides.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.common import RESULTS, ROOT, facts
from benchmarks.peers import policy_peers, preference_peers

PAGE = ROOT / "docs/peers.md"
ABOUT = """# Losses beside their peers

Written by `make peers`. Identical inputs go through this package and through the libraries' own code,
each in an environment of its own: loss and gradient, by every log-prob (policy losses) or every parameter of a small
table of logits (preferences). Every case says beforehand whether the two must agree, and where not, why; coming out the
other way is a failure. Apart: relative to the larger loss, and to the largest entry of the gradient. Of policy losses
everything from rewards to the gradient is the peer's own (TRL's `_generate_and_score_completions` and `_compute_loss`,
verl's advantage estimators and registered losses); where our axes can say what the peer does, a second case does, and
agrees.
"""


def page(result: Mapping[str, Any]) -> str:
    """docs/peers.md."""
    versions = ", ".join(f"{name} {version}" for name, version in result["peers"].items())
    wrong = sum(not row["as_said"] for row in result["rows"])
    agree = sum(row["agrees"] for row in result["rows"])
    lines = [
        ABOUT,
        f"{versions}; commit `{result['commit'][:12]}`{'' if result['clean'] else ' with changes'}, {result['date']}.",
        f"{len(result['rows'])} cases: {agree} agree, {len(result['rows']) - agree} differ, "
        + ("all as said." if not wrong else f"{wrong} not as said."),
    ]
    for title, rows in _parts(result["rows"]):
        lines += ["", f"## {title}", "", preference_peers.table(rows)]
    return "\n".join(lines) + "\n"


def _parts(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        parts.setdefault(f"{row['kind']} beside {row['peer']}", []).append(row)
    return list(parts.items())


def main(given: Sequence[str] | None = None) -> int:
    """Run every case of every peer."""
    smoke = "--smoke" in (sys.argv[1:] if given is None else given)
    policies, versions = policy_peers.compare(groups=2 if smoke else 3)
    preferences, more = preference_peers.compare(pairs=6 if smoke else 12)
    rows = [{**row, "kind": "Policy losses"} for row in policies]
    rows += [{**row, "kind": "Preferences and reward model"} for row in preferences]
    peers = {name: version for asked in versions.values() for name, version in asked.items()} | dict(more)
    result = {**facts(), "peers": peers, "rows": rows}
    if not smoke:
        (RESULTS / "peers.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page(result), encoding="utf-8")
    print(page(result))
    return int(any(not row["as_said"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
