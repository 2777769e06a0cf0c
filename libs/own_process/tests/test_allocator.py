"""What large blocks took is the system's again when they are freed, whoever had them."""

import subprocess
import sys

import pytest

from libs.own_process import give_back_large_blocks

SCRIPT = """
from pathlib import Path
from libs.own_process import give_back_large_blocks
if {given_back}: give_back_large_blocks()
def resident():
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) // 1024
large = bytearray(30 * 1024**2)
del large  # from here on glibc takes blocks of up to this size for small ones
before, blocks = resident(), []
for number in range(32):
    blocks.append(bytearray(b"x") * 2 * 1024**2)
    between = [str(number) * 1000 for _ in range(64)]
    blocks.append(between)
del blocks[::2]
print(resident() - before)
"""


def left_after(given_back):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(given_back=given_back)],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


def test_freed_blocks_do_not_stay_in_the_heap():
    if not give_back_large_blocks():
        pytest.skip("this C library has no mallopt")
    assert left_after(True) < 20 < left_after(False)
