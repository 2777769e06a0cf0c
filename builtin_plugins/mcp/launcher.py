"""Starts the command of an entry as a process that does not outlive the server, even one that is killed.

It is run as a script by an interpreter of its own, and becomes the command. Standard library only.
"""

import ctypes
import os
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1


def bind_to_parent(parent: int) -> None:
    """Has the system kill this process when its parent ends; where it cannot, the end of stdin must do."""
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


def become(command: list[str], variables: frozenset[str]) -> int:
    """Comes back only where there is no such command."""
    # The interpreter may have added one for its own locale.
    environment = {name: value for name, value in os.environ.items() if name in variables}
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606
    except OSError as error:
        os.write(2, f"cannot be started: {error.strerror}\n".encode())
    return 127


if __name__ == "__main__":
    bind_to_parent(int(sys.argv[1]))
    names = int(sys.argv[2])
    sys.exit(become(sys.argv[3 + names :], frozenset(sys.argv[3 : 3 + names])))
