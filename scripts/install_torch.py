"""Install the pinned torch into this environment without gigabytes of CUDA where there is no NVIDIA driver.

    python scripts/install_torch.py 2.13.0

With a driver: plain pip. Without: what pip already finds first, if that brings no nvidia package; else PyTorch's
public CPU index; else plain pip, so that this never fails where a plain install would work. The CPU index itself was
not reached on the machines this was developed on; that branch is exercised by the tests with a fake pip only.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


def pip(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run this environment's pip."""
    return subprocess.run([sys.executable, "-m", "pip", *arguments], capture_output=True, text=True, check=False)


def plans(version: str, *, driver: bool, run: Run) -> list[list[str]]:
    """The pip argument lists to try, in order."""
    plain = ["install", f"torch=={version}"]
    if driver or not _brings_cuda(version, run):
        return [plain]
    return [["install", f"torch=={version}", "--index-url", CPU_INDEX], plain]


def _brings_cuda(version: str, run: Run) -> bool:
    """True if pip says a plain install would pull an nvidia package, or cannot say."""
    done = run(["install", "--dry-run", "--quiet", "--report", "-", f"torch=={version}"])
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        return True
    return any(item["metadata"]["name"].startswith("nvidia") for item in report["install"])


def main() -> int:
    """Try each plan until one works; print the last one's complaint if none did."""
    (version,) = sys.argv[1:]
    done = None
    for plan in plans(version, driver=shutil.which("nvidia-smi") is not None, run=pip):
        print("pip", *plan, file=sys.stderr)
        done = pip(plan)
        if done.returncode == 0:
            return 0
    print(done.stderr if done else "", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
