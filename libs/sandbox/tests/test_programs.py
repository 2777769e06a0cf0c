"""What a program of somebody else cannot do: each attempt gets through outside and is refused inside."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from libs.sandbox import bpf, isolation, program_calls
from libs.sandbox.launch import INTERPRETER, Program, program_command
from libs.sandbox.launcher import NOT_CONFINED, NOT_STARTED
from libs.sandbox.syscalls import ARCHITECTURES
from libs.sandbox.tests.blind import python_without_seccomp
from libs.sandbox.tests.test_filter import verdict
from libs.sandbox.tests.test_probe import MAY_BE_REFUSED_OUTSIDE

REFUSED = {"EPERM", "EACCES", "ENOSYS"}
AREAS = ["network", "files", "signals", "processes", "memory"]
BUBBLEWRAP = shutil.which("bwrap")


def works_here(bubblewrap):
    return isolation.measure_isolation(bubblewrap) is not None


TIERS = {"B": None, **({"A": BUBBLEWRAP} if BUBBLEWRAP and works_here(BUBBLEWRAP) else {})}
*others, best = TIERS


@pytest.fixture(scope="module")
def outside():
    return isolation.attempt_to_escape(None, sandboxed=False)


@pytest.fixture(scope="module", params=TIERS)
def tier(request):
    return request.param


@pytest.fixture(scope="module")
def inside(tier):
    return isolation.attempt_to_escape(TIERS[tier])


@pytest.mark.parametrize("area", AREAS)
def test_what_gets_through_outside_is_refused_inside(outside, inside, tier, area):
    refused = REFUSED | ({"ENOENT"} if (tier, area) == ("A", "files") else set())
    assert outside[area].keys() == inside[area].keys()
    through = {name for name, outcome in outside[area].items() if outcome not in REFUSED}
    assert outside[area].keys() - through <= MAY_BE_REFUSED_OUTSIDE | {"queue"}
    assert {name: outcome for name, outcome in inside[area].items() if outcome not in refused} == {}


def test_the_tier_is_what_was_measured(outside, inside, tier):
    found = isolation.isolation_from(inside, TIERS[tier])
    assert (found.tier, found.tree_hidden) == (tier, tier == "A")
    assert isolation.isolation_from(outside, None).tier == "C"
    assert isolation.isolation_from({}, TIERS[tier]).tier == "C"
    for area in AREAS:
        opened = {**inside, area: {**inside[area], "one more": "done"}}
        assert isolation.isolation_from(opened, TIERS[tier]).tier == "C"
    # What cannot be seen from outside is no proof that it is hidden.
    assert isolation.isolation_from({**inside, "tree": {"stat": "done"}}, TIERS[tier]).tier == "B"


async def test_the_best_tier_of_this_machine_is_used_and_measured_once(monkeypatch):
    monkeypatch.setattr(isolation, "_known", None)
    found = await isolation.measured_isolation()
    assert found.tier == ("A" if "A" in TIERS else "B")
    monkeypatch.setattr(isolation, "attempt_to_escape", None)
    assert await isolation.measured_isolation() is found


async def test_a_bubblewrap_that_does_not_work_is_not_used(monkeypatch, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(isolation, "_known", None)
    monkeypatch.setattr(isolation, "SEARCH_PATH", (str(tmp_path),))
    found = await isolation.measured_isolation()
    assert (found.tier, found.bubblewrap) == ("B", None)


def run(tier, folder, *command, **more):
    program = Program(folder=folder, command=command, **more)
    return subprocess.run(
        program_command(program, bubblewrap=TIERS[tier]),
        env={"SECRET": "of the server"},
        capture_output=True,
        text=True,
        timeout=60,
    )


def python(tier, folder, source, **more):
    (folder / "main.py").write_text(source)
    return run(tier, folder, str(INTERPRETER), "main.py", **more)


def test_a_program_reads_its_own_folder_and_has_no_environment_of_ours(tier, tmp_path):
    (tmp_path / "beside.txt").write_text("beside")
    source = "import os; print(open('beside.txt').read(), sorted(os.environ), os.getcwd())"
    done = python(tier, tmp_path, source)
    assert "beside" in done.stdout and str(tmp_path) in done.stdout, done
    assert "SECRET" not in done.stdout and "SERVICE" not in done.stdout


def test_a_program_writes_nowhere_not_even_beside_itself(tier, tmp_path):
    paths = [f"{tmp_path}/new", "/tmp/new", "/dev/shm/new", f"{tmp_path}/main.py"]
    source = f"""
for path in {paths}:
    try:
        open(path, "a").write("x")
        print("written", path)
    except OSError as error:
        print("refused", path)
"""
    assert python(tier, tmp_path, source).stdout.splitlines() == [f"refused {path}" for path in paths]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main.py"]


def test_a_program_reads_what_programs_are_made_of_and_nothing_else_of_the_system(tier, tmp_path):
    source = """
import os
for path in ("/usr/bin", "/usr/lib", "/usr/src", "/usr/include", "/var"):
    try:
        os.listdir(path)
        print(path)
    except OSError:
        pass
"""
    assert python(tier, tmp_path, source).stdout.split() == ["/usr/bin", "/usr/lib"]


def test_memory_is_bounded(tier, tmp_path):
    source = "print(len(bytearray(200 << 20)))"
    assert python(tier, tmp_path, source, memory_bytes=512 << 20).stdout == f"{200 << 20}\n"
    assert "MemoryError" in python(tier, tmp_path, source, memory_bytes=128 << 20).stderr


@pytest.mark.parametrize(
    "tier",
    [best, *(pytest.param(one, marks=pytest.mark.long_form) for one in others)],
    indirect=True,
    scope="module",
)
def test_what_a_program_uses_of_a_processor_is_bounded(tier, tmp_path):
    done = python(tier, tmp_path, "while True: pass", cpu_seconds=1)
    assert done.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU)


def test_a_program_that_is_not_there_says_so(tier, tmp_path):
    assert run(tier, tmp_path, "/no/such/program").returncode == NOT_STARTED


def test_a_kernel_without_filters_starts_no_program(tmp_path):
    (tmp_path / "main.py").write_text("print('runs')")
    source = """
import sys, subprocess
from pathlib import Path
from libs.sandbox import isolation
from libs.sandbox.launch import Program
found = isolation.measure_isolation(None)
program = Program(folder=Path(sys.argv[1]), command=[sys.executable, "main.py"])
for unconfined in (False, True):
    done = subprocess.run(found.command(program, unconfined=unconfined), capture_output=True, text=True)
    print(found.tier, done.returncode, done.stdout.strip())
"""
    done = python_without_seccomp("-c", source, str(tmp_path))
    assert done.stdout.splitlines() == [f"C {NOT_CONFINED} ", "C 0 runs"], done


RUNS = "import sys, time; print('runs', flush=True); time.sleep(600)"
# The second thread takes the place of the first, which the kernel would have signalled.
RUNS_IN_A_SECOND_THREAD = f"""
import os, sys, threading, time
command = [sys.executable, "-c", {RUNS!r}]
threading.Thread(target=os.execv, args=(sys.executable, command)).start()
time.sleep(600)
"""


@pytest.mark.parametrize("program", [RUNS, RUNS_IN_A_SECOND_THREAD], ids=["plain", "second thread"])
def test_a_program_ends_with_whoever_started_it(tier, tmp_path, program):
    """Also with one that is killed."""
    (tmp_path / "main.py").write_text(program)
    source = """
import subprocess, sys, os
from pathlib import Path
from libs.sandbox.launch import INTERPRETER, Program, program_command
program = Program(folder=Path(sys.argv[1]), command=[str(INTERPRETER), "main.py"])
subprocess.Popen(program_command(program, bubblewrap=sys.argv[2] or None), env={})
sys.stdin.read()
"""
    starter = subprocess.Popen(
        [sys.executable, "-c", source, str(tmp_path), TIERS[tier] or ""],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert starter.stdout.readline() == b"runs\n"
    starter.kill()
    # The program held the other end of this pipe: it comes to an end when the last of them is gone.
    assert starter.stdout.read() == b""
    starter.stdin.close()
    starter.wait()


def test_a_program_that_is_killed_leaves_no_process_for_the_first_of_a_container(tmp_path):
    (tmp_path / "main.py").write_text(RUNS)
    source = """
import ctypes, os, subprocess, sys
from pathlib import Path
from libs.sandbox.isolation import Isolation
from libs.sandbox.launch import INTERPRETER, Program
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
program = Program(folder=Path(sys.argv[1]), command=[str(INTERPRETER), "main.py"])
command = Isolation().command(program)
child = subprocess.Popen(command, env={}, stdout=subprocess.PIPE, start_new_session=True)
child.stdout.readline()
Isolation().kill(child.pid)
child.wait()
os.waitpid(-1, 0)
"""
    done = subprocess.run([sys.executable, "-c", source, str(tmp_path)], capture_output=True, text=True)
    assert "ChildProcessError" in done.stderr, done


@pytest.mark.parametrize("architecture", ARCHITECTURES.values(), ids=ARCHITECTURES)
def test_a_program_signals_limits_and_forks_nobody(architecture):
    calls = program_calls.program_calls(77)
    program = bpf.assemble(architecture, calls, program_calls.PROGRAM_HIDDEN)

    def check_call(call, *arguments):
        return verdict(program, architecture.audit, architecture.number(call), *arguments)

    thread, process = 0x10000 | 0x100, 17
    assert (check_call("clone", thread), check_call("clone", process)) == (bpf.ALLOW, bpf.EPERM)
    assert check_call("clone3") == bpf.ENOSYS
    for call in ("kill", "tgkill"):
        assert [check_call(call, pid) for pid in (77, 78, 0, -1 & 0xFFFFFFFF)] == [bpf.ALLOW] + [
            bpf.EPERM
        ] * 3
    assert (check_call("prlimit64", 0), check_call("prlimit64", 77)) == (bpf.ALLOW, bpf.EPERM)
    private, shared, file_of_others = 0x22, 0x21, 0x01
    assert [check_call("mmap", 0, 0, 3, flags) for flags in (private, file_of_others, shared, 0x23)] == [
        *(bpf.ALLOW, bpf.ALLOW),
        *(bpf.EPERM, bpf.EPERM),
    ]
    assert (check_call("prctl", 15), check_call("prctl", 1)) == (bpf.ALLOW, bpf.EPERM)
    assert (check_call("fcntl", 0, 2), check_call("fcntl", 0, 8)) == (bpf.ALLOW, bpf.EPERM)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user to become")
def test_what_root_starts_is_not_root_and_shares_its_user_with_nobody(tier, tmp_path):
    source = "import os; print(*{*os.getresuid(), *os.getresgid()}, os.getgroups())"
    users = [python(tier, tmp_path, source).stdout.split() for _ in range(2)]
    assert users[0] != users[1]
    for user, groups in users:
        assert int(user) > 60_000 and groups == "[]"
