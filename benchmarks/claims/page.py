"""Tables and pictures again from the results that are there: after a change of how they are told, nothing is measured.

python -m benchmarks.claims.page
"""

from __future__ import annotations

import importlib
import json
import sys

from benchmarks.claims import claim


def main() -> int:
    """Every claim with a result."""
    for file in sorted(claim.RESULTS.glob("*.json")):
        told = importlib.import_module(f"benchmarks.claims.{file.stem}")
        result = json.loads(file.read_text(encoding="utf-8"))
        claim.write(told.NAME, told.table(result))
        (claim.PICTURES / f"{told.NAME}.svg").write_text(told.draw(result), encoding="utf-8")
        print(told.NAME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
