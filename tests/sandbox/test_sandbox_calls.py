"""call() and its workers against functions that hang, crash, exit, print, fork, leak and return nonsense."""

import gc
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from verigrad.sandbox import Pool, Worker, call, level

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def worker():
    sys.path.insert(0, str(HERE))
    held = Worker()
    yield held
    held.close()
    sys.path.remove(str(HERE))


def ask(worker, name, *args, seconds=5.0, folder=None):
    return worker.call(f"sandbox_targets:{name}", args, seconds=seconds, folder=folder)


def fds():
    return len(os.listdir("/proc/self/fd"))


def gone(pid):
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.02)
    return False


def test_a_value_comes_back(worker, tmp_path):
    assert ask(worker, "add", 2, 3).value == 5
    assert ask(worker, "add", [1], ["é"]).value == [1, "é"]
    folder, pid, session = ask(worker, "where", folder=tmp_path).value
    assert folder == str(tmp_path)
    assert pid == session != os.getpid()


@pytest.mark.parametrize(
    ("name", "args", "kind", "says"),
    [
        ("raises", (), "raised", "ValueError: line one line two"),
        ("raises_what_has_no_text", (), "raised", "Odd"),
        ("leave_politely", (), "raised", "SystemExit"),
        ("leave", (0,), "died", "exited with status 0"),
        ("leave", (7,), "died", "exited with status 7"),
        ("segfault", (), "died", "SIGSEGV"),
        ("huge", (), "raised", "bytes, more than"),
        ("no_plain_value", (), "raised", "no plain value"),
        ("memory", (), "raised", "MemoryError"),
        ("recurse", (0,), "raised", "RecursionError"),
        ("nothing_of_the_name", (), "raised", "AttributeError"),
    ],
)
def test_every_fault_is_an_outcome_and_the_next_call_works(worker, name, args, kind, says):
    outcome = ask(worker, name, *args)
    assert outcome.kind == kind
    assert says in outcome.error
    assert "\n" not in outcome.error
    assert ask(worker, "add", 1, 1).value == 2


@pytest.mark.parametrize(("name", "args"), [("hang", (60,)), ("hang_deaf", ()), ("hang_in_c", ())])
def test_a_hang_is_ended_from_outside(worker, name, args):
    ask(worker, "add", 1, 1)
    begun = time.perf_counter()
    assert ask(worker, name, *args, seconds=0.3).kind == "timed_out"
    assert time.perf_counter() - begun < 2
    assert ask(worker, "add", 1, 1).value == 2


def test_what_it_prints_is_drained_and_cut_and_is_not_the_result(worker):
    outcome = ask(worker, "shout", 8)
    assert outcome.value == "heard"
    assert outcome.log.endswith("the end")
    assert len(outcome.log) <= 8 << 10
    assert ask(worker, "talk_in_background").value == "started"
    assert ask(worker, "add", 1, 1).value == 2
    assert len(ask(worker, "big").value) == 1 << 19


def test_a_fork_does_not_answer_twice(worker):
    assert ask(worker, "fork_and_return").value == "parent"
    assert [ask(worker, "add", n, 1).value for n in range(5)] == [1, 2, 3, 4, 5]
    assert ask(worker, "fork_and_hang").value == "parent"
    assert ask(worker, "add", 1, 1).value == 2


def test_writing_to_foreign_pipes_spoils_at_most_this_call(worker):
    outcome = ask(worker, "write_to_every_pipe")
    assert outcome.value == "done" or outcome.kind != "value"
    worker.restart()
    assert ask(worker, "add", 1, 1).value == 2


@pytest.mark.parametrize("then", ["hang", "exit", "return"])
def test_who_left_the_session_dies_with_the_worker(worker, tmp_path, then):
    noted = tmp_path / "pid"
    ask(worker, "leave_a_daemon", str(noted), then, seconds=3.0)
    worker.restart()
    assert gone(int(noted.read_text()))


def test_a_worker_that_died_is_not_reaped_before_its_group_was_ended(worker):
    ask(worker, "add", 1, 1)
    process = worker._process
    os.kill(process.pid, 9)
    while worker.running:
        time.sleep(0.01)
    assert process.returncode is None
    worker.restart()
    assert process.returncode == -9


def test_children_die_with_the_hung_call(worker, tmp_path):
    noted = tmp_path / "pid"
    assert ask(worker, "spawn_and_hang", str(noted), seconds=1.5).kind == "timed_out"
    assert gone(int(noted.read_text()))


def test_a_killed_worker_is_replaced(worker):
    _, pid, _ = ask(worker, "where").value
    os.kill(pid, 9)
    assert gone(pid)
    assert ask(worker, "add", 1, 1).value == 2
    assert ask(worker, "where").value[1] != pid


def test_killed_in_the_middle_of_a_call(worker):
    _, pid, _ = ask(worker, "where").value
    threading.Timer(0.3, os.kill, (pid, 9)).start()
    outcome = ask(worker, "hang", 30)
    assert (outcome.kind, "SIGKILL" in outcome.error) == ("died", True)


def test_large_arguments_pass_and_too_large_ones_are_said(worker):
    assert ask(worker, "add", "x" * (4 << 20), "").kind == "raised"  # the result is too large, not the arguments
    assert "arguments" in ask(worker, "add", "x" * (65 << 20), "").error


def test_a_pool_works_from_many_threads_in_order():
    with Pool(2) as pool, ThreadPoolExecutor(8) as threads:
        direct = threads.map(lambda n: pool.call("operator:add", [n, 1], seconds=10).value, range(40))
        assert list(direct) == list(range(1, 41))
        mapped = pool.map(lambda worker, n: worker.call("operator:neg", [n], seconds=10).value, range(20))
        assert mapped == [-n for n in range(20)]


def test_no_descriptor_and_no_process_is_left():
    call("math:hypot", [3, 4], seconds=10)
    gc.collect()
    before = fds()
    pids = []
    for _ in range(3):
        with Pool(2) as pool:
            pids += pool.map(lambda worker, _: worker.call("os:getpid", [], seconds=10).value, range(4))
            assert pool.call("os:_exit", [1], seconds=10).kind == "died"
            assert pool.call("time:sleep", [9], seconds=0.1).kind == "timed_out"
    assert fds() == before
    assert all(gone(pid) for pid in pids)


def test_workers_end_with_the_program():
    program = "from verigrad.sandbox import Worker\nw = Worker()\nprint(w.call('os:getpid', [], seconds=10).value)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert gone(int(done.stdout))
    assert done.stderr == ""


def test_workers_end_when_the_program_is_killed():
    program = (
        "import os\nfrom verigrad.sandbox import Worker\nw = Worker()\n"
        "print(w.call('os:getpid', [], seconds=10).value, flush=True)\nos.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    assert gone(int(done.stdout))


def test_call_is_a_fresh_process_each_time():
    first, second = (call("os:getpid", [], seconds=10).value for _ in range(2))
    assert first != second
    assert call("math:hypot", [3, 4], seconds=10).value == 5.0


def test_the_level_of_a_call_is_said():
    assert level() == 1
