"""What a whole program may call: reading, waiting, threads and memory of its own; no socket, no child."""

from collections.abc import Sequence

from libs.sandbox.bpf import Allowed

_CLONE_THREAD = 0x10000
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20
# None that takes a page from everybody (poison, soft offline) or compares pages with others' (mergeable).
_ADVICE = (0, 1, 2, 3, 4, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
# Duplicating, close-on-exec, status flags and the size of a pipe: not who gets the signals of a descriptor.
_DESCRIPTOR_COMMANDS = (0, 1, 2, 3, 4, 1030, 1032, 1034)
# What a terminal is, how much can be read, blocking or not, close-on-exec.
_DEVICE_COMMANDS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# Names of threads and of memory, and what capabilities there are: not when this process has to die.
_PROCESS_OPTIONS = (15, 16, 23, 0x53564D41)

_READING = (
    *("read", "readv", "pread64", "preadv", "preadv2", "lseek", "close", "close_range", "fadvise64"),
    *("open", "openat", "stat", "lstat", "fstat", "newfstatat", "statx", "statfs", "fstatfs"),
    *("access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents", "getdents64"),
    *("getcwd", "chdir", "fchdir", "umask"),
    # A file to write to is never open: Landlock and the limit on the size of files see to that.
    *("write", "writev", "pwrite64", "pwritev", "pwritev2"),
)
_WAITING = (
    *("poll", "ppoll", "select", "pselect6", "pause", "nanosleep", "clock_nanosleep", "restart_syscall"),
    *("epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2"),
    *("eventfd", "eventfd2", "timerfd_create", "timerfd_settime", "timerfd_gettime"),
    *("pipe", "pipe2", "dup", "dup2", "dup3", "wait4", "waitid"),
    *("futex", "membarrier", "set_robust_list", "get_robust_list", "rseq", "set_tid_address", "sched_yield"),
    *("alarm", "getitimer", "setitimer", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending"),
    *("rt_sigtimedwait", "rt_sigsuspend", "sigaltstack"),
)
_ITSELF = (
    *("mprotect", "munmap", "mremap", "brk", "arch_prctl", "getrandom", "execve", "exit", "exit_group"),
    *("clock_gettime", "clock_getres", "gettimeofday", "time", "times", "getrusage", "getrlimit"),
    *("sched_getaffinity", "sched_getparam", "sched_getscheduler", "getcpu", "uname", "sysinfo"),
    *("sched_get_priority_max", "sched_get_priority_min"),
    *("getpid", "getppid", "gettid", "getpgid", "getpgrp", "getsid", "capget", "getgroups"),
    *("getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid"),
)

#: A library that hears EPERM of it gives up; told that there is none, it asks for the older call.
PROGRAM_HIDDEN = ("clone3",)


def program_calls(pid: int) -> Sequence[Allowed]:
    """Returns what the program `pid` may call: it signals and limits nobody but itself."""
    return (
        *map(Allowed, (*_READING, *_WAITING, *_ITSELF)),
        # Shared memory counts under no limit of one process.
        Allowed("mmap", argument=3, never_together=_MAP_SHARED | _MAP_ANONYMOUS),
        Allowed("madvise", argument=2, values=_ADVICE),
        Allowed("clone", argument=0, with_bit=_CLONE_THREAD),
        Allowed("kill", argument=0, values=(pid,)),
        Allowed("tgkill", argument=0, values=(pid,)),
        Allowed("prlimit64", argument=0, values=(0,)),
        Allowed("fcntl", argument=1, values=_DESCRIPTOR_COMMANDS),
        Allowed("ioctl", argument=1, values=_DEVICE_COMMANDS),
        Allowed("prctl", argument=0, values=_PROCESS_OPTIONS),
    )
