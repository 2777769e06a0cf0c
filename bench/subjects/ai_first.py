"""How soon a streamed turn gives its first token.

Against a bare Quart route that passes the same deltas through from the same endpoint, and does nothing else.
"""

import json
import socket
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server
from bench.streams import BARE, OURS, StreamClient, streaming

NAME = "ai.first"
ROUNDS, FIRSTS = 21, 12
_ENDPOINT = "the endpoint alone"


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, streaming(Path(folder)) as running:
        turns = {name: partial(_first_of, each) for name, each in running.clients.items()}
        turns[_ENDPOINT] = partial(_own_first_of, running.model)
        taken = take_turns(turns, ROUNDS)
    own = median(taken[_ENDPOINT])
    ours, bare = ([max(1.0, one - own) for one in taken[name]] for name in (OURS, BARE))
    report.compare(NAME, "time to the first token beyond the endpoint's", ours, BARE, bare, Aim(1.5))
    for name, series in ((OURS, ours), (BARE, bare), (_ENDPOINT, taken[_ENDPOINT])):
        report.reading(NAME, f"time to the first token, {name}", series, "µs")


def _first_of(each: StreamClient) -> float:
    return median(each.stream(1, 2).first_us for _ in range(FIRSTS))


def _own_first_of(model: Server) -> float:
    """Of the endpoint itself, asked by a socket."""
    times = []
    body = json.dumps({"messages": [{"role": "user", "content": "go on"}], "max_tokens": 2})
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n"
    for _ in range(FIRSTS):
        began = time.perf_counter()
        with socket.create_connection(("127.0.0.1", model.port)) as connection:
            connection.sendall((head + body).encode("ascii"))
            received = b""
            while b"delta" not in received:
                received += connection.recv(65_536)
            times.append(time.perf_counter() - began)
    return median(times) * 1e6
