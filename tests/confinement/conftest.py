"""A machine whose kernel has neither seccomp nor Landlock, played by a filter around the command."""

import os
import subprocess
import sys

import pytest

# Answers ENOSYS to seccomp(2) and landlock_create_ruleset(2), and lets everything else through.
_BLIND = """
import ctypes, os, struct, sys
number = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
steps = [(0x20, 0, 0, 0), (0x15, 1, 0, number), (0x15, 0, 1, 444), (6, 0, 0, 0x50026), (6, 0, 0, 0x7FFF0000)]
program = b"".join(struct.pack("HBBI", *step) for step in steps)
code = ctypes.create_string_buffer(program, len(program))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, struct.pack("H6xQ", len(steps), ctypes.addressof(code))) == 0
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@pytest.fixture
def without_seccomp(tmp_path):
    """`without_seccomp("-m", "kernel.cli", "doctor", SERVICE_DEMO="on")`: Python on such a machine."""

    def run(*arguments, **settings):
        environ = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
        environ |= {"SERVICE_DATA": str(tmp_path / "data"), **settings}
        return subprocess.run(
            [sys.executable, "-c", _BLIND, *arguments],
            env=environ,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run
