"""Which paths a process can reach, and no TCP port, abstract socket or signal to outside, by Landlock."""

import os
import stat
import struct
from collections.abc import Sequence

from libs.sandbox.native import syscall

# The same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_GET_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_DISCARDING_DEVICE = "/dev/null"


def allow_reading(paths: Sequence[str]) -> int:
    """Takes every right that this kernel's version knows, but reading and executing below these paths.

    Returns the version, and raises `OSError` where there is none. A path that is not there is left out.
    """
    version = syscall(_CREATE_RULESET, None, 0, _GET_VERSION)
    # The second version knows moving between folders, the third truncating, the fifth ioctl on devices.
    files = (1 << 13 + (version > 1) + (version > 2)) - 1 | (1 << 15 if version > 4 else 0)
    # The fourth knows binding and connecting TCP, the sixth abstract sockets and signals.
    attributes = struct.pack("QQQ", files, 3 if version > 3 else 0, 3 if version > 5 else 0)
    known_bytes = 24 if version > 5 else 16 if version > 3 else 8
    ruleset = syscall(_CREATE_RULESET, attributes, known_bytes, 0)
    try:
        for path in paths:
            _allow(ruleset, path)
        syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version


def _allow(ruleset: int, path: str) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rights = _READ_FILE | _EXECUTE
        if stat.S_ISDIR(os.fstat(opened).st_mode):
            rights |= _READ_DIR
        elif path == _DISCARDING_DEVICE:
            rights = _READ_FILE | _WRITE_FILE
        syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
    finally:
        os.close(opened)
