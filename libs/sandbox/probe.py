"""A hostile child: it confines itself, attempts everything that must fail, and prints each outcome."""

import errno
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from libs.sandbox.closing import confine
from libs.sandbox.limits import Bounds, bind
from libs.sandbox.native import syscall
from libs.sandbox.seccomp import Unconfined
from libs.sandbox.syscalls import this_architecture

DONE = "done"
BOUNDS = Bounds(memory_bytes=256 << 20, cpu_seconds=5, wall_seconds=20)
_NEW_USER_NAMESPACE = 0x10000000
_NEVER_A_PATH = "/dev/null/nothing"

Attempts = Mapping[str, Callable[[], object]]


def main(request: str) -> None:
    """Makes every attempt and prints the outcomes, confined first unless the request says not to."""
    task = json.loads(request)
    attempts = hostile_attempts(task["folder"], task["port"], task["name"], os.getppid())
    if task["confined"]:
        bind(BOUNDS, os.getppid())
        with suppress(Unconfined):
            confine()
    outcomes = {
        area: {name: outcome_of(attempt) for name, attempt in within.items()}
        for area, within in attempts.items()
    }
    os.write(1, json.dumps(outcomes).encode())
    os._exit(0)


def hostile_attempts(folder: str, port: int, name: str, victim: int) -> Mapping[str, Attempts]:
    """Returns the attempts by area: none does harm, and those that change this process come last."""
    return {
        "network": network_attempts(folder, port, name),
        "files": file_attempts(folder),
        "signals": _signals(victim),
        "memory": memory_attempts(victim),
        "processes": process_attempts(),
    }


def outcome_of(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, type(error).__name__)
    except Exception as error:
        return type(error).__name__
    return DONE


def call(name: str, *arguments: int | bytes | None) -> Callable[[], int]:
    # Now, while it may still be asked: a refused question would look like a refused attempt.
    architecture = this_architecture()
    number = architecture.number(name) if architecture else None

    def attempt() -> int:
        if number is None:
            raise OSError(errno.ENOEXEC, "no number is known for it")
        return syscall(number, *arguments)

    return attempt


def network_attempts(folder: str, port: int, name: str) -> Attempts:
    def connect(family: int, kind: int, address: object) -> Callable[[], object]:
        def attempt() -> None:
            with socket.socket(family, kind) as end:
                end.settimeout(1)
                end.connect(address)  # type: ignore[arg-type]

        return attempt

    def create(family: str, kind: int) -> Callable[[], object]:
        return lambda: socket.socket(getattr(socket, family), kind).close()

    def pair() -> None:
        for end in socket.socketpair():
            end.close()

    return {
        "tcp": connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)),
        "udp": connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port)),
        "unix by path": connect(socket.AF_UNIX, socket.SOCK_STREAM, f"{folder}/socket"),
        "unix by name": connect(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{name}"),
        "socketpair": pair,
        "ipv6": create("AF_INET6", socket.SOCK_DGRAM),
        "netlink": create("AF_NETLINK", socket.SOCK_RAW),
        "packet": create("AF_PACKET", socket.SOCK_RAW),
        "vsock": create("AF_VSOCK", socket.SOCK_STREAM),
        "io_uring": call("io_uring_setup", 1, bytes(120)),
        "io_uring in use": call("io_uring_enter", *(-1, 0, 0, 0, None, 0)),
        "io_uring with more": call("io_uring_register", -1, 0, None, 0),
    }


def file_attempts(folder: str) -> Attempts:
    there, moved, owner = f"{folder}/there", f"{folder}/moved", os.getuid()

    def make_pipe() -> None:
        for end in os.pipe():
            os.close(end)

    def opened(path: str, flags: int) -> Callable[[], object]:
        return lambda: os.close(os.open(path, flags, 0o600))

    return {
        "read": opened(there, os.O_RDONLY),
        "openat2": call("openat2", -100, there.encode(), bytes(24), 24),
        "write": opened(there, os.O_WRONLY),
        "create": opened(f"{folder}/created", os.O_WRONLY | os.O_CREAT),
        "list": lambda: os.listdir(folder),  # noqa: PTH208
        "stat": lambda: os.stat(there),  # noqa: PTH116
        "pipe": make_pipe,
        "truncate": lambda: os.truncate(there, 1),
        "chmod": lambda: os.chmod(there, 0o600),  # noqa: PTH101
        "chown": lambda: os.chown(there, owner, -1),
        "touch": lambda: os.utime(there),
        "link": lambda: os.link(there, f"{folder}/linked"),
        "symlink": lambda: os.symlink(there, f"{folder}/pointer"),  # noqa: PTH211
        "make a folder": lambda: os.mkdir(f"{folder}/made"),  # noqa: PTH102
        "make a pipe": lambda: os.mkfifo(f"{folder}/fifo"),
        "rename": lambda: os.rename(there, moved),  # noqa: PTH104
        "delete": lambda: os.unlink(moved),  # noqa: PTH108
        "change folder": lambda: os.chdir(folder),
        "duplicate": lambda: os.close(os.dup(0)),
        "watch": call("inotify_init1", 0),
        "watch all": call("fanotify_init", 0, 0),
        "handle": call("name_to_handle_at", -100, folder.encode(), bytes(128), bytes(8), 0),
        "open a handle": call("open_by_handle_at", -1, None, 0),
        "mount": call("mount", None, None, None, 0, None),
        "open a tree": call("open_tree", -100, folder.encode(), 0),
        "open a file system": call("fsopen", None, 0),
        "change a mount": call("mount_setattr", -1, None, 0, None, 0),
        "write beside standard output": lambda: os.write(2, b"x"),
    }


def _signals(victim: int) -> Attempts:
    priority, processors = os.getpriority(os.PRIO_PROCESS, victim), os.sched_getaffinity(victim)
    information = struct.pack("iii", 0, 0, -1) + bytes(116)
    return {
        "kill": lambda: os.kill(victim, 0),
        "tkill": call("tkill", victim, 0),
        "tgkill": call("tgkill", victim, victim, 0),
        "queue": call("rt_sigqueueinfo", victim, 0, information),
        "pidfd": call("pidfd_open", victim, 0),
        "signal by descriptor": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid()),
        "signal by pidfd": call("pidfd_send_signal", -1, 0, None, 0),
        "take by pidfd": call("pidfd_getfd", -1, 0, 0),
        "limits of another": lambda: resource.prlimit(victim, resource.RLIMIT_NOFILE),
        "priority of another": lambda: os.setpriority(os.PRIO_PROCESS, victim, priority),
        "disk priority of another": call("ioprio_set", 1, victim, 0),
        "processors of another": lambda: os.sched_setaffinity(victim, processors),
    }


def memory_attempts(victim: int) -> Attempts:
    def allocate() -> None:
        try:
            mmap.mmap(-1, 2 * BOUNDS.memory_bytes).close()
        except (OSError, MemoryError):
            raise PermissionError(errno.EPERM, "beyond the limit") from None

    def make_code() -> None:
        protection = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        mmap.mmap(-1, mmap.PAGESIZE, prot=protection).close()

    return {
        "allocate beyond the limit": allocate,
        "make code": make_code,
        "read another's": call("process_vm_readv", victim, *(None, 0, None, 0, 0)),
        "write another's": call("process_vm_writev", victim, *(None, 0, None, 0, 0)),
        "advise another": call("process_madvise", -1, None, 0, 0, 0),
        "trace": call("ptrace", 2, victim, 0, 0),
        "compare": call("kcmp", victim, os.getpid(), 1, 0, 0),
        "file in memory": call("memfd_create", b"probe", 0),
        "shared memory": call("shmget", 0, 0, 0),
        "message queue": call("msgget", -1, 0),
        "semaphores": call("semget", -1, 0, 0),
        "named queue": call("mq_open", b"sandbox-probe", 0, 0, None),
        "userfaultfd": call("userfaultfd", 1),
        "bpf": call("bpf", 0, None, 0),
        "perf": call("perf_event_open", None, 0, -1, -1, 0),
        "keys": call("keyctl", 0, -3, 0, 0, 0),
        "add a key": call("add_key", None, None, None, 0, 0),
        "poison a page": call("madvise", 0, 0, 100),
    }


def process_attempts() -> Attempts:
    def fork() -> None:
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

    def start_thread() -> None:
        try:
            thread = threading.Thread(target=int)
            thread.start()
        except RuntimeError:
            raise PermissionError(errno.EPERM, "no thread was started") from None
        thread.join()

    clone = call("clone", _NEW_USER_NAMESPACE | signal.SIGCHLD, 0, 0, 0, 0)

    def clone_into_namespace() -> None:
        child = clone()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

    limit, owners = struct.pack("QQ", *resource.getrlimit(resource.RLIMIT_NOFILE)), os.getresuid()
    return {
        "fork": fork,
        "thread": start_thread,
        "clone3": call("clone3", None, 0),
        "execute": lambda: os.execv(_NEVER_A_PATH, ["nothing"]),  # noqa: S606
        "execute a descriptor": call("execveat", -1, b"", None, None, 0x1000),
        "enter a namespace": call("setns", -1, 0),
        "change limits": call("prlimit64", 0, resource.RLIMIT_NOFILE, limit, None),
        "change its name": call("prctl", 15, b"probe"),
        "another filter": call("seccomp", 2, 0, struct.pack("I", 0x7FFF0000)),
        "personality": call("personality", 0xFFFFFFFF),
        "become another": lambda: os.setresuid(*owners),
        "ignore its alarm": lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN),
        "ask for its session": lambda: os.getsid(0),
        "new namespace by clone": clone_into_namespace,
        "new namespace": call("unshare", _NEW_USER_NAMESPACE),
    }
