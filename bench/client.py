"""A client that costs little: `client.py PORT CONNECTIONS`, a process of its own on the standard library.

The first line on stdin is a JSON list of requests, which the connections share out; every further one is a
number of requests to make, each connection repeating its own, or a JSON list of other requests in base64, to
be made once each. Each is answered by a line: the median and the 99th percentile of the latencies, and how
long it took in all, in seconds. No connection has two requests under way.
"""

import base64
import json
import re
import selectors
import socket
import sys
import time
from collections import deque
from statistics import median

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_LAST = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)
# A caller that has the answer already is told so, without a body.
_UNCHANGED = b"HTTP/1.1 304"
_GOOD = (b"HTTP/1.1 20", _UNCHANGED)
_PATIENCE_SECONDS = 30.0
# Hypercorn closes a connection after a thousand requests, or five idle seconds.
_REQUESTS_PER_CONNECTION = 900
_IDLE_SECONDS = 2.0


class Connection:
    """A keep-alive connection with at most one request under way; a server that closes it gets a new one."""

    def __init__(self, port: int, own: bytes) -> None:
        self.own = own
        self.sent_at = 0.0
        self.used = 0
        self._port = port
        self._received = b""
        self._is_last = False
        self.open()

    def open(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self._port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.used, self._is_last = 0, False

    def can_take(self, requests: int) -> bool:
        """Whether the server will leave it open for so many more."""
        idle = time.perf_counter() - self.sent_at
        return not self._is_last and idle < _IDLE_SECONDS and self.used + requests <= _REQUESTS_PER_CONNECTION

    def send(self, request: bytes, selector: selectors.BaseSelector) -> None:
        """What the last answer ended is opened anew, which is part of the time that the request takes."""
        self._received = b""
        self.sent_at = time.perf_counter()
        if self._is_last:
            selector.unregister(self.socket)
            self.socket.close()
            self.open()
            selector.register(self.socket, selectors.EVENT_READ, self)
        self.used += 1
        self.socket.sendall(request)

    def is_answered(self) -> bool:
        """Takes what has come; True when the answer is whole. Anything but a success ends the run."""
        chunk = self.socket.recv(262_144)
        received = self._received = self._received + chunk
        if not chunk or not received.startswith(tuple(one[: len(received)] for one in _GOOD)):
            sys.exit(f"the server answered {received[:300]!r}")
        end_of_head = received.find(b"\r\n\r\n")
        if end_of_head < 0:
            return False
        self._is_last = _LAST.search(received, 0, end_of_head) is not None
        if received.startswith(_UNCHANGED):
            return True
        length = _LENGTH.search(received, 0, end_of_head)
        if length is None:
            return received.endswith(b"\r\n0\r\n\r\n")
        return len(received) >= end_of_head + 4 + int(length[1])


def latencies(connections: list[Connection], requests: list[bytes | None]) -> list[float]:
    """Of the requests in their order, spread over the connections as they become free; None is its own."""
    found: list[float] = []
    left = deque(requests)
    with selectors.DefaultSelector() as selector:
        for connection in connections[: len(requests)]:
            request = left.popleft()
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.send(request or connection.own, selector)
        while len(found) < len(requests):
            ready = selector.select(_PATIENCE_SECONDS)
            if not ready:
                sys.exit("the server does not answer")
            for key, _ in ready:
                connection = key.data
                if connection.is_answered():
                    found.append(time.perf_counter() - connection.sent_at)
                    if left:
                        connection.send(left.popleft() or connection.own, selector)
                    else:
                        selector.unregister(connection.socket)
    return found


def main() -> None:
    port, count = int(sys.argv[1]), int(sys.argv[2])
    shared = [request.encode("ascii") for request in json.loads(sys.stdin.readline())]
    connections: list[Connection] = []
    for line in sys.stdin:
        wanted = json.loads(line)
        given = [None] * wanted if isinstance(wanted, int) else [base64.b64decode(one) for one in wanted]
        requests: list[bytes | None] = list(given)
        if not all(connection.can_take(len(requests)) for connection in connections):
            for connection in connections:
                connection.socket.close()
            connections = []
        connections = connections or [Connection(port, shared[one % len(shared)]) for one in range(count)]
        began = time.perf_counter()
        taken = sorted(latencies(connections, requests))
        whole = time.perf_counter() - began
        print(median(taken), taken[int(0.99 * (len(taken) - 1))], whole, flush=True)


if __name__ == "__main__":
    main()
