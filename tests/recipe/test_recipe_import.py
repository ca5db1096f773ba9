"""Reading a recipe needs no torch and little time."""

from __future__ import annotations

import subprocess
import sys

PROBE = """
import sys, time
start = time.process_time()
import verigrad.recipe
print(time.process_time() - start)
heavy = {"torch", "transformers", "numpy", "scipy", "datasets"} & set(sys.modules)
print(sorted(heavy))
"""


def test_importing_the_recipe_room_loads_nothing_heavy() -> None:
    runs = [subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True) for _ in range(3)]
    seconds, heavy = zip(*(r.stdout.split("\n", 1) for r in runs), strict=True)
    assert {h.strip() for h in heavy} == {"[]"}
    assert min(float(s) for s in seconds) < 1.0
