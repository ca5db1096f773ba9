"""Attacks on a box, as programs: each reports over descriptor 3 whether it was stopped. Standard library only.

`python escapes.py` runs them all as whoever runs it, at the levels named, and prints what became of them: that is how
another user tries them. An attack gets FACTS (paths, ports and processes outside the box) and succeeds by returning
something true; OSError means that it was stopped. What level 2 does not stop says so in `level_2`, in the words of
docs/sandbox.md.
"""

import json
import sys
from dataclasses import dataclass

PROGRAM = """
import ctypes, json, os, socket, sys
given = json.loads(sys.stdin.read())
FACTS = given["facts"]
ABOVE = os.getppid()
libc = ctypes.CDLL(None, use_errno=True)
def syscall(*words):
    words = [w if isinstance(w, bytes) else ctypes.c_long(w) for w in words]
    got = libc.syscall(*words)
    if got < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got
def said_by(code):
    space = {"FACTS": FACTS, "ABOVE": ABOVE, "libc": libc, "syscall": syscall}
    space |= {"ctypes": ctypes, "os": os, "socket": socket, "sys": sys}
    try:
        exec(code, space)
        got = space["attack"]()
        return f"escaped: {got!r:.300}" if got else "stopped"
    except (OSError, MemoryError):
        return "stopped"
    except BaseException as error:
        return f"broken: {type(error).__name__}: {error}"
for name, code in given["attacks"].items():
    child = os.fork() if len(given["attacks"]) > 1 else 0
    if child == 0:
        os.write(3, (json.dumps([name, said_by(code)]) + "\\n").encode())
        os._exit(0)
    os.waitpid(child, 0)
"""

STAT = "That a path exists, where a link leads, size, owner and times, and how full the disk is (never what is in it)."
NAME = "The host's name."
NUMBERS = "How many processes the host has started, from the process numbers it sees."
DISK = "Many files of `file_bytes` each in its folder, until the clock ends it; they go with the box."
SHARED = (
    "Where the box runs as the user who started it: using up that user's processes, so that another box's fork fails."
)
LOCKED = "Where the box runs as the user who started it: writing to `locked` files; the run is then `killed`."


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One thing a program may not do."""

    code: str
    """The body of attack()."""
    level_2: str = ""
    """Empty where level 2 stops it, else its row in the table."""
    control: bool = True
    """Outside any box it succeeds, for every user: so being stopped means something."""

    alone: bool = False
    """It would end the others that share its box."""

    @property
    def function(self):
        return "def attack():\n" + "\n".join("    " + line for line in self.code.strip().splitlines())


def read(code, **rest):
    return Attack(code=code, **rest)


READING = {
    "a file": read("return open(FACTS['secret']).read()"),
    "a folder": read("return os.listdir(os.path.dirname(FACTS['secret']))"),
    "users": read("return open('/etc/passwd').read()"),
    "shadow": read("return open('/etc/shadow').read()", control=False),
    "this package": read("return open(FACTS['source']).read()"),
    "a way up": read("return open('../' * 20 + FACTS['secret']).read()"),
    "symlink": read("os.symlink(FACTS['secret'], 'link')\nreturn open('link').read()"),
    "symlink in tmp": read(
        "p = os.environ.get('TMPDIR', '/tmp') + '/link%d' % os.getpid()\nos.symlink(FACTS['secret'], p)\n"
        "return open(p).read()"
    ),
    "hard link": read("os.link(FACTS['secret'], 'hard')\nreturn open('hard').read()", control=False),
    "hard link to a system file": read("os.link('/usr/bin/env', 'hard')\nreturn True", control=False),
    "root by proc": read("return open('/proc/self/root' + FACTS['secret']).read()"),
    "root of the first process": read("return open('/proc/1/root' + FACTS['secret']).read()", control=False),
    "descriptors of the first process": read("return os.open('/proc/1/fd/0', os.O_RDONLY)", control=False),
    "memory of the first process": read("return open('/proc/1/mem', 'rb')", control=False),
    "environment of others": read(
        "for pid in os.listdir('/proc'):\n    if pid.isdigit() and pid != str(os.getpid()):\n"
        "        try:\n            return open(f'/proc/{pid}/environ').read() or 'empty'\n"
        "        except OSError:\n            pass"
    ),
    "command lines of others": read(
        "for pid in os.listdir('/proc'):\n    if pid.isdigit() and pid != str(os.getpid()):\n"
        "        try:\n            return open(f'/proc/{pid}/cmdline').read() or 'empty'\n"
        "        except OSError:\n            pass"
    ),
    "its environment": read("return [v for v in os.environ.values() if FACTS['token'] in v]"),
    "the environment of one": read("return open('/proc/%d/environ' % FACTS['victim']).read()"),
    "its command line": read("return sys.argv[1:]", control=False),
    "other descriptors": read(
        "found = []\nfor fd in range(4, 1024):\n    try:\n        os.fstat(fd)\n        found.append(fd)\n"
        "    except OSError:\n        pass\nreturn found",
        control=False,
    ),
    "devices": read(
        "return [d for d in ('/dev/vda', '/dev/sda', '/dev/mem', '/dev/kmsg', '/dev/fuse', '/dev/net/tun', '/dev/kvm',"
        " '/dev/tty', '/dev/ptmx') if os.path.exists(d) and os.open(d, os.O_RDONLY)]",
        control=False,
    ),
    "sysfs": read("return os.listdir('/sys')"),
    "kernel messages": read("return open('/proc/kmsg')", control=False),
    "stat": read("return os.stat(FACTS['secret']).st_size", level_2=STAT),
    "disk": read("return os.statvfs(FACTS['secret']).f_blocks", level_2=STAT),
    "a link": read("return os.readlink(FACTS['link'])", level_2=STAT),
    "host name": read("return os.uname().nodename == FACTS['host']", level_2=NAME),
    "process numbers": read("return ABOVE > 1", level_2=NUMBERS),
}

NETWORK = {
    "tcp": read("s = socket.create_connection(('127.0.0.1', FACTS['tcp']), 2)\nreturn True"),
    "udp": read("socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', FACTS['udp']))\nreturn 1"),
    "ipv6": read("return socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)", control=False),
    "unix": read("s = socket.socket(socket.AF_UNIX)\ns.connect(FACTS['unix'])\nreturn True"),
    "abstract": read("s = socket.socket(socket.AF_UNIX)\ns.connect('\\0' + FACTS['abstract'])\nreturn True"),
    "listen": read("s = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\nreturn True"),
    "netlink": read("return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)"),
    "raw": read("return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)", control=False),
    "packet": read("return socket.socket(socket.AF_PACKET, socket.SOCK_RAW)", control=False),
    "kernel crypto": read("return socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)", control=False),
    "vsock": read("return socket.socket(socket.AF_VSOCK)", control=False),
    "a pair turned elsewhere": read(
        "a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\na.connect('\\0' + FACTS['datagram'])\n"
        "a.send(b'x')\nreturn True"
    ),
    "a stream pair turned elsewhere": read(
        "a, b = socket.socketpair()\na.sendto(b'x', '\\0' + FACTS['abstract'])\nreturn True", control=False
    ),
    "names": read("return socket.getaddrinfo('localhost', 80)"),
}

OTHERS = {
    "signal": read("os.kill(FACTS['victim'], 0)\nreturn True"),
    "signal to its parent": read("os.kill(ABOVE, 0)\nreturn True"),
    "kill its parent": read("os.kill(ABOVE, 9)", control=False, alone=True),
    "kill all": read("os.kill(-1, 9)", control=False, alone=True),  # see test_nobody_was_hurt
    "kill its group's parents": read(
        "group = os.getpgid(ABOVE)\nif group != os.getpgrp():\n    os.killpg(group, 0)\n    return True"
    ),
    "signal by pidfd": read("import signal\nsignal.pidfd_send_signal(os.pidfd_open(FACTS['victim']), 0)\nreturn True"),
    "signal by fcntl": read(
        "import fcntl\nr, w = os.pipe()\nfcntl.fcntl(r, fcntl.F_SETOWN, FACTS['victim'])\nreturn True", control=False
    ),
    "limits of its parent": read("import resource\nreturn resource.prlimit(ABOVE, resource.RLIMIT_CPU)"),
    "limits of another": read("import resource\nreturn resource.prlimit(FACTS['victim'], resource.RLIMIT_CPU)"),
    "priority of another": read("os.setpriority(os.PRIO_PROCESS, FACTS['victim'], 1)\nreturn True"),
    "priority of all of this user": read(
        "os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_PROCESS, 0))\nreturn True"
    ),
    "priority of all of this user's disk": read("return syscall(FACTS['ioprio'], 3, 0, 2 << 13 | 4) == 0"),
    "processor of another": read("os.sched_setaffinity(FACTS['victim'], {0})\nreturn True"),
    "a set-user program": read(
        "return libc.prctl(39, 0, 0, 0, 0) != 1 and 'new privileges are possible'",  # PR_GET_NO_NEW_PRIVS
    ),
    "become root": read("os.setresuid(0, 0, 0)\nreturn True", control=False),
    "become another": read("os.setresuid(1, 1, 1)\nreturn True", control=False),
    "capabilities": read(
        "class H(ctypes.Structure): _fields_ = [('v', ctypes.c_uint32), ('p', ctypes.c_int)]\n"
        "data = (ctypes.c_uint32 * 6)()\nassert libc.capget(ctypes.byref(H(0x20080522, 0)), data) == 0\n"
        "allowed = 4 if FACTS['walks'] else 0\nreturn data[0] & ~allowed or data[1] & ~allowed or data[3] or data[4]",
        control=False,
    ),
    "a new user namespace": read("return libc.unshare(0x10000000) == 0", control=False),
    "a new mount namespace": read("return libc.unshare(0x00020000) == 0", control=False),
    "a clone in new namespaces": read(
        "got = syscall(FACTS['calls']['clone'][0], 0x10000011, 0, 0, 0, 0)\nif got == 0: os._exit(0)\nreturn got",
        control=False,
    ),
    "mount": read("return libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0", control=False),
    "chroot": read("os.chroot('.')\nreturn True", control=False),
    "a device": read("os.mknod('dev', 0o020600, os.makedev(1, 1))\nreturn True", control=False),
    "core dumps": read("import resource\nreturn resource.getrlimit(resource.RLIMIT_CORE)[1]", control=False),
    "raise its limits": read(
        "import resource\ntry:\n    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nexcept ValueError:\n"
        "    return None\nreturn True",
        control=False,
    ),
}

ALL = {"reading": READING, "network": NETWORK, "others": OTHERS}


def numbered(calls):
    """One attack per refused system call: it may fail in no other way than by being refused."""
    return {
        f"call {name}": Attack(
            code=f"number, words = {json.dumps([number, words])}\ntry:\n    syscall(number, *words)\n"
            "except OSError as error:\n    return error.errno not in (1, 37, 38, 95) and os.strerror(error.errno)\n"
            "return True",
            control=False,
        )
        for name, (number, words) in calls.items()
    }


def order(attacks, facts):
    """What PROGRAM reads."""
    return json.dumps({"facts": facts, "attacks": {name: one.function for name, one in attacks.items()}}).encode()


def outcomes(result, attacks):
    """{name: what was said}, of what PROGRAM wrote to descriptor 3."""
    said = dict(json.loads(line) for line in result.splitlines())
    return {name: said.get(name, "silent") for name in attacks}


def attempt(attacks, facts, level):
    """{name: "stopped", "escaped: ...", or what else became of it}: all in one box, but those to be alone."""
    from verigrad import sandbox

    alone = [{name: one} for name, one in attacks.items() if one.alone]
    found = {}
    for some in (*alone, {name: one for name, one in attacks.items() if not one.alone}):
        ran = sandbox.run(
            [sandbox.python(), "-I", "-S", "-c", PROGRAM],
            stdin=order(some, facts),
            level=level,
            limits=sandbox.Limits(seconds=60),
        )
        assert len(some) == 1 or ran.ok, (ran.kind, ran.status, ran.error, ran.stderr)
        found |= outcomes(ran.result, some)
    return found


def table(calls):
    """{name: attack}, all of them."""
    return {f"{kind}: {name}": one for kind, some in ALL.items() for name, one in some.items()} | numbered(calls)


if __name__ == "__main__":
    given = json.loads(sys.stdin.read())
    known = table(given["facts"]["calls"])
    print(json.dumps({level: attempt(known, given["facts"], level) for level in given["levels"]}))
