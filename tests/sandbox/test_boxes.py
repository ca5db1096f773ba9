"""run(): what goes in, what comes out, what is said when it does not start. Escapes are in test_escapes_*."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.sandbox import bombs
from verigrad import sandbox
from verigrad.errors import Refused
from verigrad.sandbox import Limits, launchers, probing
from verigrad.sandbox.boxes import plain


@pytest.fixture(params=[2, 3])
def level(request):
    return request.param


def python(code, level, **rest):
    return sandbox.run([sandbox.python(), "-I", "-S", "-c", code], level=level, **rest)


def test_everything_that_goes_in_and_comes_out(level):
    code = (
        "import os, sys\n"
        "print(open('a/b/c.txt').read(), sys.stdin.read(), sorted(os.listdir('.')), os.listdir(os.environ['TMPDIR']))\n"
        "print('err', file=sys.stderr)\n"
        "os.write(3, b'result')\n"
        "open('out', 'wb').write(b'\\xff')\n"
    )
    files = {"a/b/c.txt": "h\u00e9", "main.py": code, "raw": b"\x00"}
    ran = sandbox.run(
        [sandbox.python(), "-I", "-S", "main.py"], files=files, stdin=b"in", keep=["out", "raw", "none"], level=level
    )
    assert (ran.kind, ran.status, ran.level, ran.error, ran.ok) == ("exited", 0, level, "", True)
    assert ran.stdout.decode() == "h\u00e9 in ['a', 'main.py', 'raw'] []\n"
    assert (ran.stderr, ran.result) == (b"err\n", b"result")
    assert ran.files == {"out": b"\xff", "raw": b"\x00"}
    assert 0 < ran.seconds < 10


def test_the_best_level_is_the_default():
    assert python("pass", None).level == sandbox.best()


def test_locked_files_lie_over_the_others_and_cannot_be_changed(level):
    code = """
import os, shutil
said = []
for what in (lambda: open("tests/hidden.py", "w"), lambda: os.remove("tests/hidden.py"),
             lambda: os.rename("tests", "other"), lambda: os.rename("tests/hidden.py", "tests/old.py"),
             lambda: shutil.rmtree("tests"), lambda: os.replace("mine.py", "tests/hidden.py"),
             lambda: os.truncate("tests/hidden.py", 0)):
    try:
        what()
        said.append("done")
    except OSError:
        said.append("refused")
open("tests/new.py", "w").close()
open("free/new.py", "w").close()
print(said, open("tests/hidden.py").read())
"""
    files = {"mine.py": "mine", "tests/hidden.py": "theirs", "tests/__init__.py": "", "free/x": ""}
    ran = python(code, level, files=files, locked={"tests/hidden.py": "hidden"}, keep=["tests/new.py"])
    assert ran.stderr == b""
    if os.geteuid() != 0 and level == 2:  # the table's row
        assert ran.kind == "killed"
        return
    assert ran.stdout.decode().strip() == f"{['refused'] * 7} hidden"
    assert list(ran.files) == ["tests/new.py"]


def test_many_locked_files_and_small_limits(level):
    locked = {f"tests/a_rather_long_name_of_a_folder/test_number_{n}.py": str(n) for n in range(600)}
    code = "import os; print(len(os.listdir('tests/a_rather_long_name_of_a_folder')))"
    ran = python(code, level, locked=locked, limits=Limits(file_bytes=10, tmp_bytes=1 << 20, memory_bytes=64 << 20))
    assert ran.stdout == b"600\n" or (os.geteuid() != 0 and level == 2), ran


def test_what_cannot_be_read_back_is_not_there(level):
    code = """
import os
os.symlink("/usr/bin/env", "link")
os.symlink("/usr/bin", "folder")
os.mkfifo("pipe")
os.mkdir("dir")
open("small", "w").write("x")
"""
    names = ["link", "folder/env", "pipe", "dir", "big", "small", "small/x", "nothing"]
    files = {"big": bytes(3 << 20)}
    ran = python(code, level, files=files, keep=names, limits=Limits(file_bytes=3 << 20))
    assert sorted(ran.files) == ["big", "small"]
    ran = python(code, level, files=files, keep=names, limits=Limits(file_bytes=(3 << 20) - 1))
    assert sorted(ran.files) == ["small"]


def test_a_program_that_reads_nothing_of_much_input(level):
    ran = python("print('done')", level, stdin=bytes(5 << 20), files={"big": bytes(8 << 20)})
    assert (ran.kind, ran.stdout) == ("exited", b"done\n")


def test_input_arrives_whole(level):
    ran = python("import sys; print(len(sys.stdin.buffer.read()))", level, stdin=bytes(5 << 20))
    assert ran.stdout == b"5242880\n"


ODD_NAMES = ["", "/etc/x", "../x", "a/../b", "a//b", ".", "a/.", "n\0", "x" * 300, "a/" * 600 + "b"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_that_lead_out_are_refused(name):
    assert not plain(name)
    for files, keep in (({name: ""}, []), ({}, [name])):
        ran = sandbox.run(["/bin/true"], files=files, keep=keep)
        assert (ran.kind, ran.status) == ("exited", 127)
        assert "file name" in ran.error


def test_a_name_that_is_a_file_and_a_folder_is_refused(level):
    ran = sandbox.run(["/bin/true"], files={"a": "", "a/b": ""}, level=level)
    assert (ran.kind, ran.status, ran.error) == ("exited", 127, "both a file and a folder: 'a'")


def test_what_a_program_does_never_looks_like_our_fault(level):
    for command in (["./nothing"], ["/usr/bin"], [sandbox.python(), "a\0b"], ["/bin/echo", "x" * 200_000], ["./text"]):
        ran = sandbox.run(command, files={"text": "not a program"}, level=level)
        assert (ran.kind, ran.status) == ("exited", 127), (command[0], ran)
    assert python("\udc80\udcff'", level).kind == "exited"


def test_a_keeper_lost_after_the_start_is_the_programs_doing(level):
    assert python("pass", level).ok
    assert _soon_no_keepers(level)
    found = []
    limits = Limits(seconds=60)
    thread = threading.Thread(
        target=lambda: found.append(sandbox.run(["/bin/sleep", "61.5"], level=level, limits=limits))
    )
    thread.start()
    while not bombs.left("/bin/sleep\x0061.5"):
        time.sleep(0.01)
    time.sleep(0.5)
    keepers = _children(launchers.launcher(level).process)
    os.kill(keepers[0], signal.SIGKILL)
    thread.join(30)
    assert [(ran.kind, ran.status) for ran in found] == [("killed", None)]
    assert not bombs.left("/bin/sleep\x0061.5")
    assert python("pass", level).ok
    assert _soon_no_keepers(level)


def _soon_no_keepers(level):
    """The last one may be on its way out."""
    for _ in range(200):
        if not _children(launchers.launcher(level).process):
            return True
        time.sleep(0.02)
    return False


def _children(pid):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                if int(file.read().rpartition(b")")[2].split()[1]) == pid:
                    found.append(int(name))
    return found


def test_a_program_the_host_lacks_is_not_started(level):
    ran = sandbox.run(["no-such-compiler"], level=level)
    assert (ran.kind, ran.level) == ("not_started", 0)
    assert "no-such-compiler" in ran.error


def test_many_at_once_do_not_mix():
    def one(number):
        code = f"import os,sys; open('n','w').write('{number}'); print({number}, sys.stdin.read(), os.listdir('.'))"
        ran = python(code, 2 + number % 2, stdin=str(number).encode(), keep=["n"])
        return ran.stdout.decode(), ran.files.get("n")

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(one, range(24)))
    assert found == [(f"{n} {n} ['n']\n", str(n).encode()) for n in range(24)]


def test_a_killed_launcher_is_replaced(level):
    assert python("pass", level).ok
    os.kill(launchers.launcher(level).process, signal.SIGKILL)
    assert python("pass", level).ok


def test_a_fork_of_the_program_has_launchers_of_its_own(level):
    assert python("pass", level).ok
    before = launchers.launcher(level).process
    context = multiprocessing.get_context("fork" if threading.active_count() == 1 else "spawn")
    with context.Pool(1) as pool:
        assert pool.apply(_run_there, (level,))
    assert launchers.launcher(level).process == before
    assert python("pass", level).ok


def _run_there(level):
    try:
        return python("pass", level).ok
    finally:
        launchers.close()


def test_no_descriptor_is_left_open(level):
    assert python("pass", level).ok
    before = len(os.listdir("/proc/self/fd"))
    for code in ("pass", "while True: print('x' * 1000)", "import os; os.abort()"):
        python(code, level, limits=Limits(output_bytes=10_000))
    sandbox.run(["no-such-program"], level=level)
    assert len(os.listdir("/proc/self/fd")) == before


def test_compiled_programs_go_from_box_to_box(level):
    source = (
        '#include <stdio.h>\nint main(void) { int n; return scanf("%d", &n) == 1 ? printf("%d\\n", n * 2) < 0 : 1; }'
    )
    built = sandbox.run(
        ["gcc", "-O1", "-o", "program", "main.c"], files={"main.c": source}, keep=["program"], level=level,
        limits=Limits(seconds=60, memory_bytes=2 << 30),
    )  # fmt: skip
    assert built.ok, built.stderr
    ran = sandbox.run(["./program"], files={"program": built.files["program"]}, stdin=b"21", level=level)
    assert (ran.stdout, ran.status) == (b"42\n", 0)


def test_node_runs_where_it_gets_the_address_space_it_reserves(level):
    ran = sandbox.run(
        ["node", "main.js"], files={"main.js": "console.log([3, 1, 2].sort().join())"}, level=level,
        limits=Limits(seconds=60, memory_bytes=64 << 30, processes=64),
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == (b"1,2,3\n", b"")


def test_folders_the_caller_shows_can_be_read_and_not_written(level, tmp_path):
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    (tmp_path / "shown").write_text("shown")
    code = f"import os\nprint(open('{tmp_path}/shown').read())\nopen('{tmp_path}/new', 'w')"
    ran = python(code, level, reads=[str(tmp_path)])
    assert ran.stdout == b"shown\n"
    assert b"Permission denied" in ran.stderr or b"Read-only" in ran.stderr
    assert b"No such file" in python(code, level).stderr or b"Permission denied" in python(code, level).stderr


def test_a_shown_folder_in_a_closed_one_can_be_read(level, tmp_path):
    shown = tmp_path / "closed" / "shown"
    shown.mkdir(parents=True)
    (shown / "file").write_text("shown")
    (tmp_path / "closed").chmod(0o700)
    ran = python(f"print(open('{shown}/file').read())", level, reads=[str(shown)])
    assert ran.stdout == b"shown\n", ran.stderr
    ran = python(f"open('{tmp_path}/closed/shown/file')", level)
    assert b"Error" in ran.stderr


def test_asyncio_and_processes_of_its_own_work(level):
    code = """
import asyncio, subprocess, sys, tempfile, threading
async def main():
    await asyncio.sleep(0)
    return 1
print(asyncio.run(main()), subprocess.run([sys.executable, "-c", "print(2)"], capture_output=True).stdout)
with tempfile.NamedTemporaryFile() as file:
    file.write(b"x")
threads = [threading.Thread(target=print, args=(3,)) for _ in range(1)]
[t.start() for t in threads], [t.join() for t in threads]
"""
    ran = python(code, level)
    assert ran.stdout == b"1 b'2\\n'\n3\n", ran.stderr


def test_levels_say_what_is_missing(monkeypatch):
    monkeypatch.setattr(probing.shutil, "which", lambda name: None)
    assert probing._probe(3).why_not == "bubblewrap is not installed: apt-get install bubblewrap"
    monkeypatch.setattr(probing.platform, "system", lambda: "Darwin")
    assert "Linux only" in probing._probe(2).why_not


def test_a_host_that_forbids_namespaces_is_told_which_switch(monkeypatch):
    monkeypatch.setattr(probing.shutil, "which", lambda name: "/bin/false")
    launchers.close()
    try:
        found = probing._probe(3)
    finally:
        launchers.close()
    assert not found.available
    assert "sysctl kernel.unprivileged_userns_clone=1" in found.why_not
    assert "\n" not in found.why_not


def test_requiring_what_is_not_there(monkeypatch):
    lacking = sandbox.Level(number=3, available=False, why_not="not installed: apt-get install bubblewrap")
    monkeypatch.setattr(probing, "_found", (*sandbox.levels()[:2], lacking))
    assert sandbox.require(0, key="run.sandbox") == 2
    with pytest.raises(Refused, match="apt-get install bubblewrap") as refused:
        sandbox.require(3, key="run.sandbox")
    assert refused.value.key == "run.sandbox"
    with pytest.raises(Refused, match="level 3"):
        python("pass", 3)
    with pytest.raises(Refused, match="level 2 or 3, not 1"):
        python("pass", 1)
