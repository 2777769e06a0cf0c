"""What a program has used of the processors and uses of the memory, with the processes of its sandbox."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
# In the line of a process: those in the program's own code and those in the kernel on its behalf.
_OWN, _SYSTEM = 11, 12
# Not the pages of files, which the system can take back.
_MEMORY = frozenset({"RssAnon", "RssShmem", "VmSwap"})


def processor_seconds(pid: int) -> float:
    """In all threads, of the process and of those below it. 0 of one that is gone or not to be seen."""
    return sum(_processor_seconds(process) for process in _processes(Path(f"/proc/{pid}")))


def memory_in_use(pid: int) -> int:
    """In bytes, of the process and of those below it. 0 of one that is gone or not to be seen."""
    return sum(_memory_bytes(process) for process in _processes(Path(f"/proc/{pid}")))


def _processes(process: Path) -> Iterator[Path]:
    yield process
    with suppress(OSError):
        for child in (process / "task" / process.name / "children").read_text().split():
            yield from _processes(process.with_name(child))


def _processor_seconds(process: Path) -> float:
    with suppress(OSError, ValueError, IndexError):
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[_OWN]) + int(fields[_SYSTEM])) / _TICKS
    return 0.0


def _memory_bytes(process: Path) -> int:
    with suppress(OSError, ValueError):
        lines = (line.partition(":") for line in (process / "status").read_text().splitlines())
        return sum(int(value.split()[0]) << 10 for name, _, value in lines if name in _MEMORY)
    return 0
