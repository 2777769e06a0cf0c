"""A receiver of webhooks that costs little: `hook_receiver.py`, whose first line on stdout is its port.

A line on stdin of a status has it answer that. A line `take N` has it answer 200, and print the seconds until
so many requests have come.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_ANSWER = b"HTTP/1.1 %d Said\r\nContent-Length: 2\r\n\r\nok"


class Receiver:
    """The receiver of the bench, in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        assert process.stdin is not None and process.stdout is not None
        self._say, self._hear = process.stdin, process.stdout
        self.url = f"http://127.0.0.1:{self._hear.readline().strip()}/in"

    def refuse(self) -> None:
        self._tell("500")

    def take(self, many: int) -> None:
        """Begins to count."""
        self._tell(f"take {many}")

    def taken(self) -> float:
        """Returns the seconds until as many had come."""
        return float(self._hear.readline())

    def _tell(self, line: str) -> None:
        self._say.write(f"{line}\n")
        self._say.flush()


@contextmanager
def hook_receiver() -> Iterator[Receiver]:
    command = [sys.executable, __file__]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Receiver(process)
    finally:
        process.kill()
        process.wait()


class _Server:
    def __init__(self) -> None:
        self._status, self._left, self._begun = 500, 0, 0.0

    async def serve(self) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        _print(server.sockets[0].getsockname()[1])
        loop = asyncio.get_running_loop()
        while line := (await loop.run_in_executor(None, sys.stdin.readline)).split():
            self._status = 200 if line[0] == "take" else int(line[0])
            self._left = int(line[1]) if line[0] == "take" else 0
            self._begun = time.perf_counter()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int(head.lower().split(b"content-length:")[1].split()[0]))
                writer.write(_ANSWER % self._status)
                self._count()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _count(self) -> None:
        if self._left:
            self._left -= 1
            if not self._left:
                _print(time.perf_counter() - self._begun)


def _print(value: object) -> None:
    sys.stdout.write(f"{value}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_Server().serve())
