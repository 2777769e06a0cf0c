"""A client that costs little: `client.py PORT CONNECTIONS`, a process of its own on the standard library.

The first line on stdin is the request as a JSON string; every further one is a number of requests to
make, answered by a line with the median and the 99th percentile of their latencies in seconds. No connection
has two requests under way.
"""

import json
import re
import selectors
import socket
import sys
import time
from statistics import median

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_PATIENCE_SECONDS = 30.0
# Hypercorn closes a connection after a thousand requests, or five idle seconds.
_REQUESTS_PER_CONNECTION = 900
_IDLE_SECONDS = 2.0


class Connection:
    """A keep-alive connection with at most one request under way."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent_at = 0.0
        self.used = 0
        self._received = b""

    def can_take(self, requests: int) -> bool:
        """Whether the server will leave it open for so many more."""
        idle = time.perf_counter() - self.sent_at
        return idle < _IDLE_SECONDS and self.used + requests <= _REQUESTS_PER_CONNECTION

    def send(self, request: bytes) -> None:
        self.used += 1
        self._received = b""
        self.sent_at = time.perf_counter()
        self.socket.sendall(request)

    def is_answered(self) -> bool:
        """Takes what has come; True when the answer is whole. Anything but a 200 ends the run."""
        chunk = self.socket.recv(262_144)
        received = self._received = self._received + chunk
        if not chunk or not received.startswith(b"HTTP/1.1 200"[: len(received)]):
            sys.exit(f"the server answered {received[:300]!r}")
        end_of_head = received.find(b"\r\n\r\n")
        if end_of_head < 0:
            return False
        length = _LENGTH.search(received, 0, end_of_head)
        if length is None:
            return received.endswith(b"\r\n0\r\n\r\n")
        return len(received) >= end_of_head + 4 + int(length[1])


def latencies(connections: list[Connection], request: bytes, requests: int) -> list[float]:
    """Of so many requests, spread over the connections as they become free."""
    found: list[float] = []
    with selectors.DefaultSelector() as selector:
        for connection in connections[:requests]:
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.send(request)
        to_send = requests - min(requests, len(connections))
        while len(found) < requests:
            ready = selector.select(_PATIENCE_SECONDS)
            if not ready:
                sys.exit("the server does not answer")
            for key, _ in ready:
                connection = key.data
                if connection.is_answered():
                    found.append(time.perf_counter() - connection.sent_at)
                    if to_send:
                        to_send -= 1
                        connection.send(request)
    return found


def main() -> None:
    port, count = int(sys.argv[1]), int(sys.argv[2])
    request = json.loads(sys.stdin.readline()).encode("ascii")
    connections: list[Connection] = []
    for line in sys.stdin:
        wanted = int(line)
        if not all(connection.can_take(wanted) for connection in connections):
            for connection in connections:
                connection.socket.close()
            connections = []
        connections = connections or [Connection(port) for _ in range(count)]
        taken = sorted(latencies(connections, request, wanted))
        print(median(taken), taken[int(0.99 * (len(taken) - 1))], flush=True)


if __name__ == "__main__":
    main()
