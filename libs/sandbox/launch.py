"""The commands that start a child with little in it: no environment, no site of a user, no other package."""

import json
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT: Mapping[str, str] = {"LC_ALL": "C.UTF-8", "MALLOC_ARENA_MAX": "1"}
_LIBS = Path(__file__).resolve().parent.parent
# An empty package around this one, so that only what is named below it is loaded.
_PRELUDE = "import sys; libs = sys.modules['libs'] = type(sys)('libs'); libs.__path__ = [sys.argv[1]]; "
_LAUNCHER = "from libs.sandbox.launcher import main; main(sys.argv[2])"

#: The interpreter of this server without its packages, for programs that ask for `python3`.
INTERPRETER = Path(os.path.realpath(sys.executable))
#: Where a program looks for others by name.
SEARCH_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
PROGRAM_ENVIRONMENT: Mapping[str, str] = {
    "PATH": ":".join(SEARCH_PATH),
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",
    "MALLOC_ARENA_MAX": "2",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
}
_DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")
_PARTS = ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "share")
# What programs and their interpreters are made of: not all of /usr, where some keep applications.
_SYSTEM = (
    *("/bin", "/sbin", "/lib", "/lib32", "/lib64"),
    *(f"{above}/{part}" for above in ("/usr", "/usr/local", sys.base_prefix) for part in _PARTS),
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/ssl/openssl.cnf"),
)
_OWN_NAMESPACES = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--clearenv"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program of somebody else: it may read `folder`, where it runs, and what the system is made of.

    `command` begins with an absolute path. `memory_bytes` is what it may write to, and `cpu_seconds` what it
    may use of a processor in all its life.
    """

    folder: Path
    command: Sequence[str]
    memory_bytes: int = 512 << 20
    threads: int = 64
    cpu_seconds: int = 600

    def reads(self, path: Path) -> bool:
        """Tells whether it may read what is at this path."""
        readable = [*map(Path, _SYSTEM), self.folder]
        return any(path.resolve().is_relative_to(one.resolve()) for one in readable)


def confined_command(program: str, *arguments: str) -> tuple[str, ...]:
    """Returns the command that runs `program` with these arguments as a child to be confined.

    The program has the arguments as `sys.argv[2:]`, and can import `libs.sandbox`. It has compiled
    modules where this process has them.
    """
    compiled = ("-X", f"pycache_prefix={sys.pycache_prefix}") if sys.pycache_prefix else ()
    unwritten = ("-B",) if sys.dont_write_bytecode else ()
    options = ("-I", *compiled, *unwritten)
    return (sys.executable, *options, "-c", _PRELUDE + program, str(_LIBS), *arguments)


def program_command(program: Program, *, bubblewrap: str | None, required: bool = True) -> tuple[str, ...]:
    """Runs a program in the sandbox, inside a file tree of its own where `bubblewrap` is the path of bwrap.

    Where the system cannot close it and `required` is set, the child ends with `NOT_CONFINED`. Start it from
    a thread that stays: it ends with that thread.
    """
    request = {
        "folder": str(program.folder),
        "command": list(program.command),
        "environment": dict(PROGRAM_ENVIRONMENT),
        "readable": [*_SYSTEM, *_DEVICES, str(program.folder)],
        "memory_bytes": program.memory_bytes,
        "threads": program.threads,
        "cpu_seconds": program.cpu_seconds,
        "required": required,
        # Its own process id will not do: in namespaces of its own it is always the same.
        "user_number": secrets.randbelow(1 << 31),
        # In namespaces of its own it cannot see who started it; bwrap ends it then.
        "parent": os.getpid() if bubblewrap is None else None,
    }
    launcher = (str(INTERPRETER), "-I", "-B", "-c", _PRELUDE + _LAUNCHER, str(_LIBS), json.dumps(request))
    return launcher if bubblewrap is None else (*_own_tree(bubblewrap, program.folder), *launcher)


def _own_tree(bubblewrap: str, folder: Path) -> Sequence[str]:
    # For the launcher, which gives them up: with them it takes a user of its own.
    capabilities = ("--cap-add", "ALL") if os.geteuid() == 0 else ()
    binds = [part for path in _SYSTEM for part in ("--ro-bind-try", path, path)]
    devices = [part for path in _DEVICES for part in ("--dev-bind-try", path, path)]
    package = str(_LIBS / "sandbox")
    own = ("--ro-bind", package, package, "--ro-bind", str(folder), str(folder))
    return (bubblewrap, *_OWN_NAMESPACES, *capabilities, *binds, *devices, *own, "--")


def escape_program(program: str, *arguments: str) -> Program:
    """Returns a Python program that can import `libs.sandbox` and nothing else of ours, as a program."""
    command = (str(INTERPRETER), "-I", "-B", "-c", _PRELUDE + program, str(_LIBS), *arguments)
    return Program(folder=_LIBS, command=command, memory_bytes=256 << 20)
