"""A crowd that asks one thing over and over: `flood.py PORT CONNECTIONS`, until it is killed.

The first line on stdin is the request as a JSON string. Each connection takes whatever answer comes, refusals
too, and asks again a moment later: what is cheap must not cost a whole processor by its number alone. It
tells nothing but that each has had its first answer.
"""

import json
import re
import socket
import sys
import threading
import time

_PAUSE_SECONDS = 0.1
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


def ask_for_ever(port: int, request: bytes, begun: threading.Semaphore) -> None:
    connection = socket.create_connection(("127.0.0.1", port))
    first = True
    while True:
        try:
            connection.sendall(request)
            if not _is_answered(connection):
                raise ConnectionError
            if first:
                begun.release()
                first = False
            time.sleep(_PAUSE_SECONDS)
        except OSError:
            connection.close()
            connection = socket.create_connection(("127.0.0.1", port))


def _is_answered(connection: socket.socket) -> bool:
    received = b""
    while True:
        chunk = connection.recv(262_144)
        received += chunk
        end_of_head = received.find(b"\r\n\r\n")
        if not chunk:
            return False
        length = _LENGTH.search(received, 0, end_of_head) if end_of_head >= 0 else None
        if length is not None and len(received) >= end_of_head + 4 + int(length[1]):
            return True


def main() -> None:
    port, count = int(sys.argv[1]), int(sys.argv[2])
    request = json.loads(sys.stdin.readline()).encode("ascii")
    begun = threading.Semaphore(0)
    for _ in range(count):
        threading.Thread(target=ask_for_ever, args=(port, request, begun), daemon=True).start()
    for _ in range(count):
        begun.acquire()
    print("begun", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
