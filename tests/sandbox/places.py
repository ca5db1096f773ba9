"""A counter handed from one run to the next: one program leaves a mark wherever it can, the next looks for it.

`python places.py` tries both as whoever runs it. Standard library only.
"""

import json
import os
import sys

COMMON = """
import ctypes, fcntl, json, os, socket, sys
MARK = "verigrad-counter"
libc = ctypes.CDLL(None, use_errno=True)
FOLDERS = ["/", ".", "..", "../..", "/tmp", "/var/tmp", "/dev/shm", "/dev", "/run", "/run/lock", "/run/user",
           "/var/lock", "/var/cache", "/var/lib", "/var/log", "/mnt", "/media", "/opt", "/srv", "/home", "/root",
           "/etc", "/usr", "/usr/local", "/usr/share", "/usr/lib", "/lib", "/box", "/proc", "/proc/sys/kernel", "/sys",
           "/dev/mqueue", "/dev/pts", os.environ["HOME"], os.environ["TMPDIR"], os.path.expanduser("~"), sys.prefix,
           os.path.dirname(os.__file__), *sys.path, *given["folders"]]
SHARED = ["/usr/bin/env", "/usr/lib", "/usr", "/", "/tmp", "/dev/null", sys.executable, os.__file__, "/.start",
          "/proc/self", *given["files"]]
def tried(what):
    try:
        return what()
    except (OSError, ValueError, AttributeError, TypeError):
        return None
"""
LEAVE = """
done = []
def note(name, what):
    if tried(what):
        done.append(name)
def write(path):
    with open(path, "w") as file:
        file.write(MARK)
    return True
for folder in FOLDERS:
    note(f"file in {folder}", lambda: write(f"{folder}/{MARK}"))
    note(f"folder in {folder}", lambda: os.mkdir(f"{folder}/{MARK}-folder") or True)
    note(f"link in {folder}", lambda: os.symlink("x", f"{folder}/{MARK}-link") or True)
    note(f"pipe in {folder}", lambda: os.mkfifo(f"{folder}/{MARK}-pipe") or True)
for path in SHARED:
    note(f"attribute of {path}", lambda: os.setxattr(path, "user.counter", MARK.encode()) or True)
    note(f"append to {path}", lambda: open(path, "a").write(MARK) and not path.startswith("/dev"))
for path in ("/proc/sys/kernel/hostname", "/proc/sys/kernel/domainname", "/proc/sys/kernel/ns_last_pid",
             "/proc/sys/user/max_user_namespaces", "/proc/sys/vm/swappiness", "/proc/sys/fs/mqueue/msg_max"):
    note(path, lambda: open(path, "w").write("77"))
note("shared memory", lambda: libc.shmget(0x7E57, 4096, 0o1666) >= 0)
note("semaphore", lambda: libc.semget(0x7E57, 1, 0o1666) >= 0)
note("message queue", lambda: libc.msgget(0x7E57, 0o1666) >= 0)
note("posix queue", lambda: ctypes.CDLL("librt.so.1").mq_open(b"/" + MARK.encode(), 0o102, 0o666, None) >= 0)
note("abstract socket", lambda: socket.socket(socket.AF_UNIX).bind("\\0" + MARK) is None)
note("key", lambda: libc.syscall(given["add_key"], b"user", MARK.encode(), MARK.encode(), 4, -4) > 0)
note("host name", lambda: libc.sethostname(MARK.encode(), 5) == 0)
note("lock", lambda: fcntl.flock(os.open("/usr/bin/env", os.O_RDONLY), fcntl.LOCK_EX) is None)
note("mode", lambda: [os.chmod(path, 0o777) for path in SHARED if os.stat(path).st_uid == os.getuid()] and False)
note("times", lambda: [os.utime(path, (7, 7)) for path in SHARED if os.stat(path).st_uid == os.getuid()] and False)
os.write(3, json.dumps(done).encode())
"""
LOOK = """
found = []
for folder in FOLDERS:
    for end in ("", "-folder", "-link", "-pipe"):
        if os.path.lexists(f"{folder}/{MARK}{end}"):
            found.append(f"{folder}/{MARK}{end}")
for path in SHARED:
    if tried(lambda: os.getxattr(path, "user.counter")):
        found.append(f"attribute of {path}")
    if tried(lambda: os.stat(path).st_mtime) == 7:
        found.append(f"time of {path}")
found += ["shared memory"] if libc.shmget(0x7E57, 0, 0) >= 0 else []
found += ["semaphore"] if libc.semget(0x7E57, 0, 0) >= 0 else []
found += ["message queue"] if libc.msgget(0x7E57, 0) >= 0 else []
found += ["host name"] if os.uname().nodename.startswith(MARK[:5]) else []
found += os.listdir(".") + os.listdir(os.environ["TMPDIR"])
os.write(3, json.dumps(found).encode())
"""
ADD_KEY = {"x86_64": 248, "aarch64": 217}


def hand_over(level, outside):
    """(places where a run could leave a mark, what the next run found, while the first was there and after)."""
    from verigrad import sandbox
    from verigrad.sandbox import kernel

    files = [f"{outside}/file"]
    given = {"folders": [outside], "files": files, "add_key": ADD_KEY[kernel.MACHINE]}
    head = f"given = {given!r}\n{COMMON}"
    said = []
    for program in (LEAVE, LOOK):
        ran = sandbox.run([sandbox.python(), "-I", "-S", "-c", head + program], level=level)
        assert ran.ok, (ran.kind, ran.status, ran.error, ran.stderr)
        said.append(json.loads(ran.result))
    return said


if __name__ == "__main__":
    order = json.loads(sys.stdin.read())
    mine = os.path.join(order["outside"], "mine")
    os.mkdir(mine)
    with open(os.path.join(mine, "file"), "w") as file:
        file.write("ours")
    said = {level: hand_over(level, mine) for level in order["levels"]}
    about = os.stat(os.path.join(mine, "file"))
    print(json.dumps({"said": said, "mode": about.st_mode & 0o777, "time": about.st_mtime, "names": os.listdir(mine)}))
