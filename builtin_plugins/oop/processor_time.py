"""What a program has used of the processors, with the processes around it that make its sandbox."""

import os
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
# In the line of a process: those in the program's own code and those in the kernel on its behalf.
_OWN, _SYSTEM = 11, 12


def processor_seconds(pid: int) -> float:
    """In all threads, of the process and of its children. 0 of one that is gone or not to be seen."""
    seconds = 0.0
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        seconds = (int(fields[_OWN]) + int(fields[_SYSTEM])) / _TICKS
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        seconds += sum(processor_seconds(int(child)) for child in children)
    return seconds
