"""Which pip commands the torch installer tries, in which order, for every machine it may find; with a fake pip."""

import importlib.util
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).parents[2] / "scripts/install_torch.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("install_torch", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


install_torch = load()
PLAIN = ["install", "torch==2.13.0"]
CPU = [*PLAIN, "--index-url", "https://download.pytorch.org/whl/cpu"]


def report(*names: str) -> str:
    return json.dumps({"install": [{"metadata": {"name": name}} for name in names]})


class FakePip:
    """Answers the dry run with `said`, and installs with these exit statuses in order."""

    def __init__(self, said: str = "", installs: Sequence[int] = (0,)) -> None:
        self.said = said
        self.installs = list(installs)
        self.calls: list[list[str]] = []

    def __call__(self, arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        self.calls.append(list(arguments))
        if "--dry-run" in arguments:
            return subprocess.CompletedProcess(arguments, 0, stdout=self.said, stderr="")
        status = self.installs.pop(0)
        return subprocess.CompletedProcess(arguments, status, stdout="", stderr=f"complaint {len(self.installs)}")


@pytest.mark.parametrize(
    ("driver", "said", "wanted"),
    [
        (True, report("torch", "nvidia-cudnn-cu13"), [PLAIN]),
        (False, report("torch", "sympy"), [PLAIN]),
        (False, report("torch", "nvidia-cudnn-cu13"), [CPU, PLAIN]),
        (False, report(), [PLAIN]),
        (False, "no report: an old pip, or no network", [CPU, PLAIN]),
        (False, "", [CPU, PLAIN]),
    ],
    ids=["driver", "pip finds a CPU build", "pip finds CUDA", "torch is there already", "no report", "silence"],
)
def test_what_is_tried_in_order(driver: bool, said: str, wanted: list[list[str]]) -> None:
    pip = FakePip(said)
    assert install_torch.plans("2.13.0", driver=driver, run=pip) == wanted
    assert all("--dry-run" in call for call in pip.calls), "planning installs nothing"
    assert bool(pip.calls) != driver, "with a driver there is nothing to ask"


@pytest.mark.parametrize(
    ("driver", "installs", "wanted", "status"),
    [
        (False, [0], [CPU], 0),
        (False, [1, 0], [CPU, PLAIN], 0),
        (False, [1, 1], [CPU, PLAIN], 1),
        (True, [0], [PLAIN], 0),
        (True, [1], [PLAIN], 1),
    ],
    ids=["the CPU index works", "it does not, plain does", "nothing works", "driver", "driver, nothing works"],
)
def test_each_plan_is_tried_until_one_works(
    driver: bool,
    installs: list[int],
    wanted: list[list[str]],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pip = FakePip(report("torch", "nvidia-cublas"), installs)
    monkeypatch.setattr(install_torch, "pip", pip)
    monkeypatch.setattr(install_torch.shutil, "which", lambda name: "/usr/bin/nvidia-smi" if driver else None)
    monkeypatch.setattr(install_torch.sys, "argv", ["install_torch.py", "2.13.0"])
    assert install_torch.main() == status
    assert [call for call in pip.calls if "--dry-run" not in call] == wanted
    assert ("complaint 0" in capsys.readouterr().err) == bool(status), "the last complaint is shown, and only then"


def test_its_pip_is_this_environments() -> None:
    assert install_torch.pip(["--version"]).stdout.startswith("pip ")
