"""Programs that want too much or will not end, and what became of them and of what they started.

`python bombs.py` drops them all as whoever runs it. Standard library only. Left out: what should become of them
(test_escapes_limits).
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

MARK = "verigrad-bomb"
PROGRAMS = {
    "forks": """
n = 0
try:
    for _ in range(300):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        n += 1
except OSError:
    pass
os.write(3, str(n).encode())
""",
    "threads": """
import threading
n = 0
try:
    for _ in range(300):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        n += 1
except RuntimeError:
    pass
os.write(3, str(n).encode())
os._exit(0)
""",
    "comet": """
while True:
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.getpid() % 50 == 0:
        time.sleep(0.001)
""",
    "swarm": """
deadline = time.monotonic() + 5
while time.monotonic() < deadline:
    try:
        if os.fork() == 0:
            os.setsid()
    except OSError:
        time.sleep(0.01)
""",
    "memory": """
try:
    bytearray(2 << 30)
    os.write(3, b"got it")
except MemoryError:
    os.write(3, b"refused")
""",
    "memory of many": """
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(50 << 20)
        held[::4096] = b"x" * len(held[::4096])
        time.sleep(60)
        os._exit(0)
time.sleep(60)
""",
    "file": """
with open("big", "wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(1 << 20))
    except OSError:
        pass
    try:
        os.ftruncate(file.fileno(), 1 << 40)
    except OSError:
        pass
os.write(3, str(os.stat("big").st_size).encode())
""",
    "files": """
n = 0
for folder in (".", os.environ["TMPDIR"], "/dev/shm"):
    for i in range(20):
        try:
            with open(f"{folder}/{i}", "wb", buffering=0) as file:
                n += file.write(bytes(1 << 20))
        except OSError:
            break
os.write(3, str(n >> 20).encode())
""",
    "descriptors": """
n = 0
try:
    while n < 2000:
        os.dup(0)
        n += 1
except OSError:
    pass
os.write(3, str(n).encode())
""",
    "flood of 1": "while True: os.write(1, b'x' * 65536)",
    "flood of 2": "while True: os.write(2, b'x' * 65536)",
    "flood of 3": "while True: os.write(3, b'x' * 65536)",
    "flood by many": """
for _ in range(5):
    os.fork()
while True: os.write(1, b'x' * 65536)
""",
    "as much as may be": "os.write(1, b'x' * 100_000)",
    "sleeper": "time.sleep(60)",
    "deaf": """
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass
while True:
    try:
        time.sleep(60)
    except BaseException:
        pass
""",
    "stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    "busy": "while True: pass",
    "daemon": """
if os.fork():
    os.waitpid(-1, 0)
    os.write(1, b"done")
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
for fd in range(4):
    os.close(fd)
os.chdir("/")
time.sleep(60)
""",
    "pipes held open": """
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    time.sleep(60)
os.wait()
os.write(1, b"done")
""",
    "a chain of sessions": """
for depth in range(10):
    if os.fork():
        time.sleep(60 if depth % 2 else 0)
        os._exit(0)
    os.setsid()
time.sleep(60)
""",
    "deep folders": """
for _ in range(1500):
    os.mkdir("d")
    os.chdir("d")
open("x", "w").close()
""",
    "closed folders": """
os.mkdir("shut")
open("shut/file", "w").close()
os.symlink("/", "shut/root")
os.mkfifo("shut/pipe")
os.chmod("shut", 0)
os.mkdir("never", 0)
open("odd \\n\\xff \\u2022 name", "w").close()
os.chmod(".", 0)
""",
    "locked": """
try:
    with open("locked", "w") as file:
        file.write("changed")
    os.write(3, b"written")
except OSError:
    os.write(3, b"refused")
""",
    "killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "crash": "import ctypes; ctypes.string_at(0)",
    "exit": "os._exit(3)",
    "odd exit": "os._exit(250)",
}
LIMITS = {
    "forks": {"processes": 16}, "threads": {"processes": 16, "memory_bytes": 4 << 30}, "comet": {"seconds": 0.7},
    "swarm": {"seconds": 0.7}, "memory of many": {"memory_bytes": 96 << 20, "tmp_bytes": 1 << 20},
    "file": {"file_bytes": 4 << 20}, "files": {"tmp_bytes": 8 << 20, "file_bytes": 2 << 20},
    "sleeper": {"seconds": 0.4}, "deaf": {"seconds": 0.4}, "stopped": {"seconds": 0.4},
    "busy": {"cpu_seconds": 0.5, "seconds": 90},
    "as much as may be": {"output_bytes": 100_000},
}  # fmt: skip


def drop(level):
    """{name: what became of it, how long it took, and the processes of it that are left}, four at a time.

    Under "" the folders that are left of all of them.
    """
    from verigrad import sandbox
    from verigrad.sandbox import launchers

    def one(name):
        limits = sandbox.Limits(**{"output_bytes": 1 << 20, "seconds": 20, **LIMITS.get(name, {})})
        mark = f"{MARK}-{os.getpid()}-{level}-{list(PROGRAMS).index(name)}-"
        code = f"# {mark}\nimport os, signal, sys, time\n{PROGRAMS[name]}"
        ran = sandbox.run(
            [sandbox.python(), "-I", "-S", "-c", code], limits=limits, level=level, locked={"locked": "as it was"}
        )
        return {
            "kind": ran.kind,
            "status": ran.status,
            "stdout": len(ran.stdout),
            "stderr": len(ran.stderr),
            "result": ran.result.decode() if len(ran.result) < 100 else len(ran.result),
            "seconds": ran.seconds,
            "error": ran.error,
            "left": left(mark),
        }

    hungry = ("forks", "threads", "swarm", "comet")
    found = {name: one(name) for name in hungry}  # alone: where boxes run as one user they share its processes
    others = [name for name in PROGRAMS if name not in hungry]
    with ThreadPoolExecutor(4) as threads:
        found |= dict(zip(others, threads.map(one, others), strict=True))
    return found | {"": os.listdir(launchers.launcher(level).base)}


def left(mark):
    """Processes with `mark` in their command line."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and name != str(os.getpid()):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if mark.encode() in file.read():
                        found.append(int(name))
            except OSError:
                continue
    return found


if __name__ == "__main__":
    print(json.dumps({level: drop(level) for level in json.loads(sys.stdin.read())["levels"]}))
