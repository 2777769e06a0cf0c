"""No path, no TCP port, no abstract socket and no signal to outside, where the kernel has Landlock."""

import os
import struct

from guildhall_sdk.confinement.native import syscall

# The same numbers on every architecture.
_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_GET_VERSION = 1


def deny_every_path() -> int:
    """Gives up every right that this system's Landlock knows, and returns its version.

    Raises `OSError` where there is no Landlock.
    """
    version = syscall(_CREATE_RULESET, None, 0, _GET_VERSION)
    # The second version knows moving between folders, the third truncating, the fifth ioctl on devices.
    files = (1 << 13 + (version > 1) + (version > 2)) - 1 | (1 << 15 if version > 4 else 0)
    # The fourth knows binding and connecting TCP, the sixth abstract sockets and signals.
    attributes = struct.pack("QQQ", files, 3 if version > 3 else 0, 3 if version > 5 else 0)
    known_bytes = 24 if version > 5 else 16 if version > 3 else 8
    ruleset = syscall(_CREATE_RULESET, attributes, known_bytes, 0)
    try:
        syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version
