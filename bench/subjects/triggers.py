"""What an upload costs a team with a thousand triggers of which none matches it, and one with none."""

import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path

from bench.guildhall import found, guildhall, postgresql
from bench.loads import Client, Load, client
from bench.object_stores import Store, issued_store
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server

NAME = "triggers"
TRIGGERS = 1_000
ROUNDS, REQUESTS, WARM_UP = 61, 6, 40
SIZE = 4 * 1024
WITH, WITHOUT = "with", "without"
WORKFLOW = {
    "slug": "count",
    "name": "Count",
    "inputs": {"object_id": {"type": "string"}},
    "start": "count",
    "max_steps": 1,
    "steps": [
        {
            "name": "count",
            "kind": "tool",
            "tool": "word_count",
            "with": {"text": {"$from": "input.object_id"}},
            "end": True,
        }
    ],
}

_numbers = count()


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())
        for database in ("SQLite", "PostgreSQL"):
            uploads: dict[str, dict[str, Callable[[int], Load]]] = {"PUT /api/repo": {}, "S3 PUT": {}}
            for who, triggers in ((WITHOUT, 0), (WITH, TRIGGERS)):
                url = cluster.create_database() if database == "PostgreSQL" else None
                server = stack.enter_context(guildhall(folder / f"{database}-{who}", url))
                token = found(server).token
                _add_triggers(server, token, triggers)
                store = issued_store(server, token)
                asking = stack.enter_context(client(server, b"", connections=1))
                uploads["PUT /api/repo"][who] = partial(_put, asking, token)
                by_s3 = stack.enter_context(client(server, b"", 1, store.port))
                uploads["S3 PUT"][who] = partial(_put_by_s3, by_s3, store)
            _compare(report, database, uploads)


def _add_triggers(server: Server, token: str, many: int) -> None:
    """With prefixes of many lengths, some of which begin like the keys that are written."""
    if many:
        server.ask("POST", "/api/workflows", WORKFLOW, token)
    for number in range(many):
        body = {
            "workflow_slug": "count",
            "match_prefix": f"{'arrivals' if number % 2 else 'inbox'}/{'x' * (number % 60)}{number}/",
            "match_types": [["text/*"], ["application/pdf", "text/plain"], []][number % 3],
        }
        server.ask("POST", "/api/doc-triggers", body, token)


def _put(asking: Client, token: str, many: int) -> Load:
    return asking.load_each([_request(f"arrivals/today/{next(_numbers)}.bin", token) for _ in range(many)])


def _request(key: str, token: str) -> bytes:
    head = f"PUT /api/repo/{key} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
    head += f"Content-Type: application/octet-stream\r\nContent-Length: {SIZE}\r\n\r\n"
    return head.encode("ascii") + os.urandom(SIZE)


def _put_by_s3(asking: Client, store: Store, many: int) -> Load:
    keys = [f"arrivals/today/{next(_numbers)}.bin" for _ in range(many)]
    return asking.load_each([store.signed("PUT", key, os.urandom(SIZE)) for key in keys])


def _compare(
    report: Report, database: str, uploads: Mapping[str, Mapping[str, Callable[[int], Load]]]
) -> None:
    for what, by_who in uploads.items():
        for put in by_who.values():
            put(WARM_UP)
        loads = take_turns({who: partial(put, REQUESTS) for who, put in by_who.items()}, ROUNDS)
        for measure in ("cpu_us", "latency_us"):
            ours, theirs = ([getattr(load, measure) for load in loads[who]] for who in (WITH, WITHOUT))
            label = f"{measure.removesuffix('_us')}, {what} on {database}, {TRIGGERS:,} triggers"
            report.compare(NAME, label, ours, "no trigger", theirs, Aim(1.1))
            report.reading(NAME, label, ours, "µs")
