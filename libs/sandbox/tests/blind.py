"""Python on a machine whose kernel has neither seccomp nor Landlock, played by a filter around it."""

import os
import subprocess
import sys
from collections.abc import Mapping

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


def python_without_seccomp(
    *arguments: str, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Runs Python with these arguments on such a machine."""
    command = [sys.executable, "-c", _BLIND, *arguments]
    environ = os.environ if env is None else env
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)
