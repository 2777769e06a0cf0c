"""A root process becomes nobody else's user, so that the limits which root is exempt from hold for it."""

import os
import struct
from contextlib import suppress

from libs.sandbox.native import prctl, syscall
from libs.sandbox.syscalls import this_architecture

_PR_SET_KEEPCAPS, _PR_CAP_AMBIENT, _AMBIENT_RAISE = 8, 47, 2
_READ_SEARCH = 2
_CAPABILITY_VERSION = 0x20080522
# Far from anybody's; in a container that maps few ids, those that systemd gives away for a while.
_UNUSED_IDS = ((1_900_000_000, 90_000_000), (61_184, 4_000))


def leave_root(number: int) -> None:
    """Takes a user id of its own, and of all capabilities leaves the one to read whatever Landlock lets it.

    `number` chooses the id: two that share one share its limits too. For a process that Landlock restricts.
    Nothing happens to one that is not root; one that may not change its user loses its capabilities all the
    same.
    """
    if os.geteuid() != 0:
        return
    kept = 0
    with suppress(OSError):
        prctl(_PR_SET_KEEPCAPS, 1)
        os.setgroups([])
    for first, count in _UNUSED_IDS:
        own = first + number % count
        try:
            os.setresgid(own, own, own)
            os.setresuid(own, own, own)
        except OSError:
            continue
        # Its folder and its interpreter may stand where only root may look.
        kept = 1 << _READ_SEARCH
        break
    with suppress(OSError):
        _set_capabilities(kept)
        if kept:
            prctl(_PR_CAP_AMBIENT, _AMBIENT_RAISE, _READ_SEARCH)


def _set_capabilities(kept: int) -> None:
    architecture = this_architecture()
    number = architecture.number("capset") if architecture else None
    if number is not None:
        syscall(number, struct.pack("Ii", _CAPABILITY_VERSION, 0), struct.pack("6I", *[kept] * 3, 0, 0, 0))
