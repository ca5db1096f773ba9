"""What lies outside a box in these tests: a secret, sockets that listen, a process to signal. And the other user."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import verigrad
from tests.sandbox import escapes
from verigrad.sandbox import kernel, seccomp

ROOT = Path(verigrad.__file__).resolve().parents[1]
TOKEN = "never-to-be-seen-inside"
WORDS = {
    "ptrace": [16, 1, 0, 0], "process_vm_readv": [0, 0, 0, 0, 0, 0], "keyctl": [0, -3, 0], "mincore": [0, 0, 0],
    "flock": [0, 8], "clone": [0x10000011, 0, 0, 0, 0], "personality": [0x0040000],
}  # fmt: skip
"""Arguments with which a call that is not refused does no harm; the rest get -1, which no call likes."""


def calls():
    """{name: [number, arguments]} of every call the filter refuses whatever its arguments are."""
    column = ("x86_64", "aarch64").index(kernel.MACHINE)
    named = {**seccomp.REFUSED, **seccomp.ABSENT, **seccomp.NO_XATTR}
    named |= {"flock": seccomp.FLOCK, "clone": seccomp.CLONE, "personality": seccomp.PERSONALITY}
    found = {name: [numbers[column], WORDS.get(name, [-1] * 6)] for name, numbers in named.items()}
    found["a number of tomorrow"] = [1000, [0]]
    if kernel.MACHINE == "x86_64":
        found["x32"] = [0x40000000 | 39, [0]]
    return {name: one for name, one in found.items() if one[0] >= 0}


@contextlib.contextmanager
def facts():
    """The facts an attack gets; everything in them is there, and open to everybody, while this lasts."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="verigrad-outside-")))
        folder.chmod(0o755)
        (folder / "secret").write_text(TOKEN)
        (folder / "link").symlink_to("secret")
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=64))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        named, abstract = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        datagram = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        named.bind(str(folder / "socket"))
        (folder / "socket").chmod(0o777)
        abstract.bind(f"\0verigrad-{os.getpid()}")
        datagram.bind(f"\0verigrad-datagram-{os.getpid()}")
        for one in (named, abstract):
            one.listen(64)
        victim = stack.enter_context(
            subprocess.Popen(["sleep", "600"], env={"SECRET": TOKEN, "PATH": os.environ["PATH"]})
        )
        stack.callback(victim.kill)
        yield {
            "secret": str(folder / "secret"),
            "source": str(ROOT / "verigrad/errors.py"),
            "link": str(folder / "link"),
            "token": TOKEN,
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "unix": str(folder / "socket"),
            "abstract": f"verigrad-{os.getpid()}",
            "datagram": f"verigrad-datagram-{os.getpid()}",
            "victim": victim.pid,
            "host": os.uname().nodename,
            "calls": calls(),
            "ioprio": seccomp.ON_ITSELF["ioprio_set"][0][kernel.MACHINE == "aarch64"],
            "walks": False,
        }


def unboxed(attacks, given):
    """The same attacks in no box, as we are: {name: what was said}."""
    with tempfile.TemporaryDirectory(prefix="verigrad-unboxed-") as folder:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", "import os\nos.dup2(1, 3)\n" + escapes.PROGRAM],
            input=escapes.order(attacks, given),
            capture_output=True,
            timeout=60,
            cwd=folder,
            start_new_session=True,
            env={"SECRET": TOKEN, "PATH": os.environ["PATH"], "TMPDIR": folder},
            check=True,
        )
    return escapes.outcomes(done.stdout, attacks)


@contextlib.contextmanager
def copy():
    """A copy of what an ordinary user needs to try the attacks, where it can read it."""
    with tempfile.TemporaryDirectory(prefix="verigrad-copy-") as name:
        folder = Path(name)
        (folder / "verigrad").mkdir()
        for path in ("__init__.py", "errors.py"):
            shutil.copy(ROOT / "verigrad" / path, folder / "verigrad" / path)
        shutil.copytree(
            ROOT / "verigrad/sandbox", folder / "verigrad/sandbox", ignore=shutil.ignore_patterns("__pycache__")
        )
        for name in ("escapes.py", "bombs.py", "places.py"):
            shutil.copy(Path(escapes.__file__).with_name(name), folder / name)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
        yield folder


def as_ordinary(folder, program, given):
    """What `program` (a file in `folder`) prints when an ordinary user runs it with the system's own Python."""
    command = ["/usr/bin/python3", "-B", str(folder / program)]
    if os.geteuid() == 0:
        command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *command]
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, timeout=600, cwd="/",
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "SECRET": TOKEN, "PYTHONPATH": str(folder)}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)
