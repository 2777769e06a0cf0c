"""The filter of system calls, for both architectures: run by hand, and by the kernel of this machine."""

import signal
import struct
import subprocess

import pytest

from libs.sandbox import bpf, closing
from libs.sandbox.launch import ENVIRONMENT, confined_command
from libs.sandbox.syscalls import ARCHITECTURES, this_architecture

X86_64, AARCH64, I386, ARM = 0xC000003E, 0xC00000B7, 0x40000003, 0x40000028


def verdict(program, architecture, number, *arguments):
    """What the kernel would say: its machine, as far as our programs use it."""
    values = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("IIQ6Q", number, architecture, 0, *(value & (1 << 64) - 1 for value in values))
    loaded, at = 0, 0
    while True:
        code, when_true, when_false, operand = struct.unpack_from("HBBI", program, at * 8)
        at += 1
        if code == 0x20:
            (loaded,) = struct.unpack_from("I", data, operand)
        elif code == 0x54:
            loaded &= operand
        elif code == 0x06:
            return operand
        else:
            holds = loaded == operand if code == 0x15 else loaded & operand
            at += when_true if holds else when_false


@pytest.fixture(params=ARCHITECTURES.values(), ids=ARCHITECTURES)
def check_call(request):
    """`check_call("write", 1)`: the verdict on a call of that architecture."""
    program = bpf.assemble(request.param, closing._COMPUTING, closing._HIDDEN)

    def judge(call, *arguments, architecture=request.param.audit, bits=0):
        number = request.param.number(call) if isinstance(call, str) else call
        return verdict(program, architecture, number | bits, *arguments)

    return judge


def test_computing_is_allowed(check_call):
    for call in ("read", "pread64", "lseek", "brk", "munmap", "futex", "clock_gettime", "exit_group"):
        assert check_call(call) == bpf.ALLOW, call


def test_only_standard_output_is_written_to(check_call):
    assert check_call("write", 1) == check_call("write", 1 | 1 << 32) == bpf.ALLOW
    assert check_call("write", 0) == check_call("write", 2) == check_call("write", 3) == bpf.EPERM


def test_memory_is_never_code(check_call):
    for call in ("mmap", "mprotect"):
        assert check_call(call, 0, 4096, 1 | 2) == bpf.ALLOW
        assert check_call(call, 0, 4096, 4) == check_call(call, 0, 4096, 7) == bpf.EPERM


def test_advice_is_that_of_allocators(check_call):
    assert [check_call("madvise", 0, 0, advice) for advice in (4, 8, 14, 15)] == [bpf.ALLOW] * 4
    assert [check_call("madvise", 0, 0, advice) for advice in (9, 100, 101)] == [bpf.EPERM] * 3


def test_what_is_not_named_is_refused_whatever_it_is(check_call):
    named = {check_call(number) for number in range(1000)}
    assert named == {bpf.ALLOW, bpf.EPERM, bpf.ENOSYS}
    numbers = [*range(1000), *range(1000, 100_000, 89)]
    assert sum(check_call(number, 1) == bpf.ALLOW for number in numbers) < 30
    assert check_call("clone3") == bpf.ENOSYS
    for call in ("clone", "execve", "ptrace", "prlimit64", "unshare", "io_uring_setup", "bpf", "prctl"):
        assert check_call(call) == bpf.EPERM, call


def test_another_architecture_is_killed(check_call):
    for other in (I386, ARM, 0):
        assert check_call("read", architecture=other) == bpf.KILL_PROCESS
    assert {check_call("read", architecture=each) for each in (X86_64, AARCH64)} == {
        bpf.ALLOW,
        bpf.KILL_PROCESS,
    }


def test_the_second_abi_of_x86_64_is_killed():
    program = bpf.assemble(ARCHITECTURES["x86_64"], closing._COMPUTING, closing._HIDDEN)
    assert verdict(program, X86_64, 0 | 1 << 30) == bpf.KILL_PROCESS


CLOSE = """import os
from libs.sandbox import confine
from libs.sandbox.native import syscall
"""
# `mov eax, 20; int 0x80; ret` is getpid by the gate of 32-bit programs.
OLD_GATE = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("b814000000cd80c3"))
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
"""
FOREIGN = {
    "x86_64": {"x32": (CLOSE, "syscall(1 << 30 | 39)"), "the 32-bit gate": (CLOSE + OLD_GATE, "call()")},
    "aarch64": {},
}


def run(program):
    command = confined_command(program)
    return subprocess.run(command, capture_output=True, env=dict(ENVIRONMENT), timeout=60).returncode


@pytest.mark.parametrize("name", FOREIGN[this_architecture().name])
def test_the_kernel_kills_a_call_by_another_abi(name):
    prepare, deed = FOREIGN[this_architecture().name][name]
    attempt = f"\ntry: {deed}\nexcept OSError: pass\nos._exit(0)"
    assert run(prepare + attempt) == 0
    assert run(prepare + "\nconfine()" + attempt) == -signal.SIGSYS


def test_a_filter_covers_threads_that_were_there_before():
    threads = """
import socket, threading
gate, tried, outcome = threading.Event(), threading.Event(), []
def other():
    gate.wait()
    try:
        socket.socket()
        outcome.append("done")
    except PermissionError:
        outcome.append("refused")
    tried.set()
threading.Thread(target=other, daemon=True).start()
"""
    ending = "\ngate.set(); tried.wait(); os._exit(0 if outcome == ['refused'] else 7)"
    assert run(CLOSE + threads + ending) == 7
    assert run(CLOSE + threads + "\nconfine()" + ending) == 0


def test_importing_the_package_loads_nothing_else_of_ours():
    program = "import libs.sandbox; print(*sorted(sys.modules))"
    loaded = subprocess.run(confined_command(program), capture_output=True, text=True, check=True).stdout
    assert [name for name in loaded.split() if name.partition(".")[0] == "libs"] == [
        "libs",
        *("libs.sandbox", "libs.sandbox.bpf", "libs.sandbox.closing"),
        *("libs.sandbox.landlock", "libs.sandbox.limits"),
        *("libs.sandbox.native", "libs.sandbox.seccomp"),
        "libs.sandbox.syscalls",
    ]
    assert "asyncio" not in loaded.split()
