"""Numbers of system calls by architecture: those a confined process may make, and those its probe tries."""

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass

_X86_64, _AARCH64 = 0, 1

# name: (x86_64, aarch64); None where the architecture has no such call.
_NUMBERS: Mapping[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "pread64": (17, 67),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "shmget": (29, 194),
    "madvise": (28, 233),
    "getpid": (39, 172),
    "clone": (56, 220),
    "execve": (59, 221),
    "exit": (60, 93),
    "semget": (64, 190),
    "msgget": (68, 186),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "ptrace": (101, 117),
    "rt_sigqueueinfo": (129, 138),
    "personality": (135, 92),
    "prctl": (157, 167),
    "mount": (165, 40),
    "gettid": (186, 178),
    "setxattr": (188, 5),
    "tkill": (200, 130),
    "time": (201, None),
    "futex": (202, 98),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "exit_group": (231, 94),
    "tgkill": (234, 131),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "ioprio_set": (251, 30),
    "unshare": (272, 97),
    "inotify_init1": (294, 26),
    "perf_event_open": (298, 241),
    "fanotify_init": (300, 262),
    "prlimit64": (302, 261),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "setns": (308, 268),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "seccomp": (317, 277),
    "getrandom": (318, 278),
    "memfd_create": (319, 279),
    "bpf": (321, 280),
    "execveat": (322, 281),
    "userfaultfd": (323, 282),
    "pidfd_send_signal": (424, 424),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "pidfd_open": (434, 434),
    "clone3": (435, 435),
    "openat2": (437, 437),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "mount_setattr": (442, 442),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
}


@dataclass(frozen=True, slots=True)
class Architecture:
    """An architecture: its name in a filter, and the number that each system call has there."""

    name: str
    audit: int
    column: int
    second_abi: int | None
    """The bit in a call's number that asks for another ABI of the same architecture."""

    def number(self, call: str) -> int | None:
        """Returns the number of a call, or None where the architecture has no such call."""
        return _NUMBERS[call][self.column]


ARCHITECTURES: Mapping[str, Architecture] = {
    "x86_64": Architecture("x86_64", 0xC000003E, _X86_64, second_abi=1 << 30),
    "aarch64": Architecture("aarch64", 0xC00000B7, _AARCH64, second_abi=None),
}


def this_architecture() -> Architecture | None:
    """Returns this machine's architecture, or None where its numbers are not known, as on 32 bits."""
    return ARCHITECTURES.get(os.uname().machine) if struct.calcsize("P") == 8 else None
