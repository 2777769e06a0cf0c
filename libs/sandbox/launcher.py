"""The last step before a program of somebody else: limits, Landlock, another user, a filter, and then it.

Runs in the process that becomes the program, which cannot undo any of it.
"""

import json
import os
import resource
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from libs.sandbox.closing import PR_SET_NO_NEW_PRIVS, close_other_descriptors
from libs.sandbox.guard import fork_below_guard
from libs.sandbox.identity import leave_root
from libs.sandbox.landlock import allow_reading
from libs.sandbox.limits import end_with_parent, set_limit, yield_to_others
from libs.sandbox.native import prctl
from libs.sandbox.program_calls import PROGRAM_HIDDEN, program_calls
from libs.sandbox.seccomp import Unconfined, install

#: How the process ends where it could not be closed, or where its program could not be started.
NOT_CONFINED, NOT_STARTED = 70, 71
_MAX_DESCRIPTORS = 64
_STACK_BYTES = 8 << 20
# Runtimes reserve much more than they use; what is only reserved costs page tables at the most.
_ADDRESSES_BYTES = 8 << 30


def main(request: str) -> None:
    """Becomes the program and never returns, or ends with the status that says why not."""
    task = json.loads(request)
    close_other_descriptors()
    if task["parent"] is not None:
        task["parent"] = fork_below_guard(task["parent"])
    yield_to_others()
    _limit(task)
    confined = _confine(task)
    if task["required"] and not confined:
        os._exit(NOT_CONFINED)
    try:
        os.execve(task["command"][0], task["command"], task["environment"])  # noqa: S606
    except (OSError, ValueError):
        os._exit(NOT_STARTED)


def _limit(task: Mapping[str, Any]) -> None:
    set_limit(resource.RLIMIT_DATA, task["memory_bytes"])
    set_limit(resource.RLIMIT_AS, max(_ADDRESSES_BYTES, 2 * task["memory_bytes"]))
    set_limit(resource.RLIMIT_STACK, _STACK_BYTES)
    set_limit(resource.RLIMIT_CPU, task["cpu_seconds"], slack=1)
    set_limit(resource.RLIMIT_NOFILE, _MAX_DESCRIPTORS)
    set_limit(resource.RLIMIT_NPROC, _tasks_of_this_user() + task["threads"])
    for nothing in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK):
        set_limit(nothing, 0)


def _tasks_of_this_user() -> int:
    """Counts those that the kernel has already under the limit: none for root, who takes another user."""
    own, found = os.geteuid(), 0
    if own == 0:
        return 0
    with suppress(OSError):
        for process in Path("/proc").iterdir():
            # One may end while it is looked at.
            with suppress(OSError):
                if process.name.isdigit() and process.stat().st_uid == own:
                    found += len([*(process / "task").iterdir()])
    return found


def _confine(task: Mapping[str, Any]) -> bool:
    confined = True
    os.chdir(task["folder"])
    try:
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        allow_reading(task["readable"])
    except (OSError, AttributeError):
        confined = False
    else:
        leave_root(task["user_number"])
    # After the change of user, which would undo it.
    end_with_parent(task["parent"])
    try:
        install(program_calls(os.getpid()), PROGRAM_HIDDEN)
    except Unconfined:
        confined = False
    return confined
