"""Processes of an environment of its own at the price of a fork: from one there that has imported all of it.

This module runs in that environment by itself, and is told by lines what to start; it knows nothing of ours.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

#: Where a process writes its standard output and its standard error.
Said = tuple[Path, Path]


# Its words and where it is are told; what it says goes to where this one writes.
_COMMAND = """
import json, os, socket, sys
said = [f"/proc/{{os.getpid()}}/fd/{{number}}" for number in (1, 2)]
told = {{"words": sys.argv[1:], "environ": dict(os.environ), "where": os.getcwd(), "said": said}}
with socket.socket(socket.AF_UNIX) as forks:
    forks.connect({socket!r})
    forks.sendall(json.dumps(told).encode() + b"\\n")
    sys.exit(int(forks.makefile().readline()))
"""


class Forks:
    """The process that the others are forked from, as a test sees it.

    `command` is where a `guildhall` is to stand that others start: it is forked from there too.
    """

    def __init__(self, python: Path, environ: dict[str, str], command: Path | None = None) -> None:
        asked = [] if command is None else [command.with_name("forks")]
        self._process = subprocess.Popen(
            [python, __file__, *asked], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if command is not None:
            command.write_text(f"#!{python} -SE\n{_COMMAND.format(socket=str(asked[0]))}")
            command.chmod(0o755)
        self._lock = threading.Lock()
        self._ended: dict[int, Any] = {}
        self._begun: list[int] = []
        self._heard = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def start(self, words: Sequence[str], environ: Mapping[str, str], where: Path, said: Said) -> "Forked":
        """Starts `guildhall <words>` in a folder; a pipe that has a name is opened by whoever reads it."""
        told = {"words": words, "environ": environ, "where": str(where), "said": [*map(str, said)]}
        with self._lock:
            self._process.stdin.write(json.dumps(told) + "\n")
            self._process.stdin.flush()
            with self._heard:
                assert self._heard.wait_for(lambda: self._begun, 60)
                return Forked(self, self._begun.pop(), said[0])

    def wait(self, pid: int, seconds: float | None) -> int:
        with self._heard:
            assert self._heard.wait_for(lambda: pid in self._ended, seconds), "it does not end"
            return self._ended[pid]

    def ended(self, pid: int) -> int | None:
        with self._heard:
            return self._ended.get(pid)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(60)

    def _listen(self) -> None:
        for line in self._process.stdout:
            told = json.loads(line)
            with self._heard:
                if "code" in told:
                    self._ended[told["pid"]] = told["code"]
                else:
                    self._begun.append(told["pid"])
                self._heard.notify_all()


class Forked:
    """One of them, handled like a `Popen`."""

    def __init__(self, forks: Forks, pid: int, out: Path) -> None:
        self.pid, self._forks = pid, forks
        self.stdout = out.open() if out.is_fifo() else None

    def poll(self) -> int | None:
        return self._forks.ended(self.pid)

    def wait(self, seconds: float | None = None) -> int:
        return self._forks.wait(self.pid, seconds)

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            if self.poll() is None:
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self) -> None:
        """Waits for its end, whatever it still says."""
        with self.stdout:
            self.stdout.read()
        self.wait(60)


def serve() -> None:
    """Forks whatever is asked for, until nobody asks any more."""
    import gc
    from importlib.metadata import entry_points

    (command,) = entry_points(group="console_scripts", name="guildhall")
    main = command.load()
    for point in entry_points(group="guildhall.plugins"):
        point.load()
    gc.collect()
    gc.freeze()
    lock = threading.Lock()

    def tell(**fields: int) -> None:
        with lock:
            sys.__stdout__.write(json.dumps(fields) + "\n")
            sys.__stdout__.flush()

    def fork(line: str) -> int:
        with lock:
            pid = os.fork()
        if not pid:
            _become(json.loads(line), main)
        return pid

    def code_of(pid: int) -> int:
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status)

    def bury(pid: int) -> None:
        tell(pid=pid, code=code_of(pid))

    def answer(asking: socket.socket) -> None:
        with asking:
            asking.sendall(b"%d\n" % code_of(fork(asking.makefile().readline())))

    def listen() -> None:
        while True:
            threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    if sys.argv[1:]:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(sys.argv[1])
        listener.listen()
        threading.Thread(target=listen, daemon=True).start()
    for line in sys.stdin:
        pid = fork(line)
        tell(pid=pid)
        threading.Thread(target=bury, args=(pid,), daemon=True).start()


def _become(told: dict[str, Any], main: Callable[[list[str]], int]) -> None:
    written = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for descriptor, path in enumerate((os.devnull, *told["said"])):
        opened = os.open(path, written if descriptor else os.O_RDONLY, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.environ.clear()
    os.environ.update(told["environ"])
    os.chdir(told["where"])
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.stdout.reconfigure(line_buffering=True)
    sys.argv = ["guildhall", *told["words"]]
    code: Any = 1
    try:
        code = main(told["words"])
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    serve()
