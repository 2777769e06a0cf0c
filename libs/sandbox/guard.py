"""A process between the server and a program: it sees to it that the program ends with the server.

The program could not be asked for that: a second thread of it that executes something takes the place of the
first one, but not its signal at the parent's end.
"""

import os
import signal
from contextlib import suppress

from libs.sandbox.native import prctl

_PR_SET_PDEATHSIG = 1
_AWAITED = (signal.SIGTERM, signal.SIGCHLD)


def fork_below_guard(parent: int) -> int:
    """Returns in a new process, with the guard's process id; this one becomes the guard and never returns.

    The guard ends as the new process does, with 128 + the number of a signal, and kills it once `parent` is
    gone.
    """
    guard = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _AWAITED)
        return guard
    # Standard output stays: the server sees it end with the guard, which says by then how the child ended.
    os.close(0)
    with suppress(OSError, AttributeError):
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os.kill(child, signal.SIGKILL)
    status = _wait_for(child)
    os._exit(status if status >= 0 else 128 - status)


def _wait_for(child: int) -> int:
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if signal.sigwait(_AWAITED) == signal.SIGTERM:
            os.kill(child, signal.SIGKILL)
