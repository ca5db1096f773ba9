"""Which levels this host gives: found once, by running a tiny program in each and seeing what it is refused.

Left out: the boxes themselves.
"""

from __future__ import annotations

import platform
import shutil
import tempfile
import threading

from verigrad.errors import Refused
from verigrad.sandbox import interpreter
from verigrad.sandbox.records import Level, Limits

_PROBE = """
import os, socket
def refused(what):
    try:
        what()
    except OSError:
        return True
    return False
tries = [lambda: socket.socket(), lambda: socket.socket(socket.AF_UNIX), lambda: open("/etc/hostname"),
         lambda: open("/var/tmp/verigrad-probe", "x"), lambda: open({outside!r})]
os.write(3, bytes(map(refused, tries)))
"""
_lock = threading.Lock()
_found: tuple[Level, ...] = ()


def levels() -> tuple[Level, ...]:
    """Levels 1 to 3 on this host; found on the first call, the same from then on. Any thread."""
    global _found
    with _lock:
        if not _found:
            _found = (Level(number=1, available=True, layers=("own process", "limits")), _probe(2), _probe(3))
        return _found


def best() -> int:
    """The highest level available for programs nobody trusts: 3 or 2; 0 where there is neither."""
    return max((one.number for one in levels() if one.available and one.number >= 2), default=0)


def require(least: int, *, key: str) -> int:
    """The best level, which is at least `least` (2 where less is asked). Raises Refused, one line, what would give it.

    `key` is the recipe's key that asks for it.
    """
    here = best()
    if here >= max(2, least):
        return here
    raise Refused(_lacking(max(2, least)), key=key)


def chosen(level: int | None) -> int:
    """The level to run at; None: the best. Raises Refused."""
    if level is None:
        return require(2, key="run.sandbox")
    if level not in (2, 3):
        raise Refused(f"programs run at sandbox level 2 or 3, not {level}", key="run.sandbox")
    if not levels()[level - 1].available:
        raise Refused(_lacking(level), key="run.sandbox")
    return level


def _lacking(level: int) -> str:
    return f"sandbox level {level} is not to be had here: {levels()[level - 1].why_not}"


def _probe(number: int) -> Level:
    if (why := _missing(number)) is not None:
        return Level(number=number, available=False, why_not=why)
    from verigrad.sandbox import boxes

    with tempfile.NamedTemporaryFile(prefix="verigrad-probe-") as outside:
        command = [interpreter.python(), "-I", "-S", "-c", _PROBE.format(outside=outside.name)]
        ran = boxes.at(number, command, limits=Limits(seconds=60))
    if ran.kind == "exited" and ran.status == 0 and ran.result == b"\x01" * 5:
        return Level(number=number, available=True, layers=_layers(number))
    said = (
        ran.error
        or ran.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        or f"a probe was not refused: {list(ran.result)}"
    )
    return Level(number=number, available=False, why_not=_advice(number, said))


def _missing(number: int) -> str | None:
    """What is plainly not there, before anything is started."""
    if platform.system() != "Linux":
        return "programs the model wrote run on Linux only"
    from verigrad.sandbox import kernel, landlock

    if not kernel.AUDIT_ARCH:
        return f"seccomp's filter is written for x86_64 and aarch64, not {kernel.MACHINE}"
    if number == 2 and not landlock.abi():
        return "this kernel has no Landlock: Linux 5.13 or newer, with lsm=landlock among its boot parameters"
    if number == 3 and shutil.which("bwrap") is None:
        return "bubblewrap is not installed: apt-get install bubblewrap"
    return None


def _advice(number: int, said: str) -> str:
    said = " ".join(said.split())[:200]
    if number == 2:
        return f"a probe failed in it: {said}"
    return (
        f"bubblewrap cannot make namespaces ({said}): allow them with `sysctl kernel.unprivileged_userns_clone=1` and "
        "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`; in a container, start it with user namespaces allowed"
    )


def _layers(number: int) -> tuple[str, ...]:
    from verigrad.sandbox import landlock

    inner = (f"Landlock {landlock.abi()}", "seccomp", "limits")
    return inner if number == 2 else ("bubblewrap", *inner)
