"""Functions that misbehave, called in a worker process."""

import os
import signal
import sys
import threading
import time


def add(a, b):
    return a + b


def where():
    return [os.getcwd(), os.getpid(), os.getsid(0)]


def hang(seconds):
    time.sleep(seconds)


def hang_deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True:
        try:
            time.sleep(1)
        except BaseException:
            continue


def hang_in_c():
    import re

    re.fullmatch(r"(a+)+b", "a" * 60)


def leave(status):
    os._exit(status)


def leave_politely():
    sys.exit(3)


def segfault():
    os.kill(os.getpid(), signal.SIGSEGV)


def shout(megabytes):
    for _ in range(megabytes):
        os.write(1, b"x" * (1 << 20))
    sys.stderr.write("the end")
    return "heard"


def fork_and_return():
    return "child" if os.fork() == 0 else "parent"


def fork_and_hang():
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    return "parent"


def spawn_and_hang(path):
    if os.fork() == 0:
        with open(path, "w") as file:
            file.write(str(os.getpid()))
        time.sleep(60)
        os._exit(0)
    time.sleep(60)


def raises():
    raise ValueError("line one\nline two")


def raises_what_has_no_text():
    class Odd(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    raise Odd


def huge():
    return "x" * (2 << 20)


def big():
    return "x" * (1 << 19)


def no_plain_value():
    return object()


def memory():
    return len(bytearray(64 << 30))


def talk_in_background():
    def talk():
        for _ in range(100):
            print("still here")
            time.sleep(0.01)

    threading.Thread(target=talk, daemon=True).start()
    return "started"


def write_to_every_pipe():
    for fd in range(3, 30):
        try:
            os.write(fd, b"\xff" * 64)
        except OSError:
            continue
    return "done"


def recurse(n):
    return recurse(n + 1)


def leave_a_daemon(path, then):
    """Double fork into a session of its own, its number in `path`; then hang, exit or return."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            with open(path, "w") as file:
                file.write(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    while not (os.path.exists(path) and os.path.getsize(path)):
        time.sleep(0.01)
    if then == "hang":
        time.sleep(600)
    if then == "exit":
        os._exit(1)
