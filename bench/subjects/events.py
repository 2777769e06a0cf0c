"""What an upload and a note cost where nobody subscribed to them, and where one plugin did.

With a subscriber the CPU counts the delivery as well; whoever writes does not wait for that.
"""

import json
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.guildhall import found, guildhall, postgresql
from bench.loads import Client, client
from bench.report import Report
from bench.rounds import take_turns
from bench.servers import post

NAME = "events"
ROUNDS, REQUESTS, WARM_UP = 15, 20, 40
NOTE = {"title": "Arrivals", "body": "Two ships came in with the tide; the third waits off the bar."}
EVENTS: Mapping[str, tuple[str, ...]] = {"nobody": (), "one": ("note.changed", "object.written")}
EAR = """
from guildhall_sdk import Subscription, hookimpl

async def hear(call):
    pass

@hookimpl
def declare_subscriptions():
    return [
        Subscription(name=f"hear-{number}", event=event, handler=hear, doc="Hears.")
        for number, event in enumerate(EVENTS)
    ]
"""


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())
        for database in ("SQLite", "PostgreSQL"):
            clients: dict[str, Client] = {}
            for who in EVENTS:
                url = cluster.create_database() if database == "PostgreSQL" else None
                home = folder / f"{database}-{who}"
                plugins = _plugins(home, EVENTS[who])
                server = stack.enter_context(guildhall(home / "data", url, SERVICE_PLUGINS=str(plugins)))
                token = found(server).token
                for what, request in (("POST note", post("/api/notes", NOTE, token)), ("PUT", _put(token))):
                    clients[f"{what} {who}"] = stack.enter_context(client(server, request, connections=1))
            _compare(report, database, clients)


def _compare(report: Report, database: str, clients: Mapping[str, Client]) -> None:
    for each in clients.values():
        each.load(WARM_UP)
    loads = take_turns({name: partial(each.load, REQUESTS) for name, each in clients.items()}, ROUNDS)
    for what in ("POST note", "PUT"):
        nobody, one = loads[f"{what} nobody"], loads[f"{what} one"]
        for measure in ("cpu_us", "latency_us"):
            ours, theirs = ([getattr(load, measure) for load in series] for series in (one, nobody))
            label = f"{measure.removesuffix('_us')}, {what} with one subscriber on {database}"
            report.compare(NAME, label, ours, "no subscriber", theirs)
            report.reading(NAME, f"{measure.removesuffix('_us')}, {what}, {database}", theirs, "µs")


def _plugins(home: Path, events: tuple[str, ...]) -> Path:
    """A folder with a plugin that subscribes to these."""
    ear = home / "plugins" / "ear"
    ear.mkdir(parents=True)
    manifest = {"id": "ear", "name": "Ear", "version": "1", "description": "Hears.", "entry": "plugin.py"}
    (ear / "plugin.json").write_text(json.dumps(manifest))
    (ear / "plugin.py").write_text(f"EVENTS = {events!r}\n{EAR}")
    return ear.parent


def _put(token: str) -> bytes:
    content = "b" * 4096
    head = f"PUT /api/repo/arrivals.bin HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
    head += f"Content-Type: application/octet-stream\r\nContent-Length: {len(content)}\r\n\r\n"
    return (head + content).encode("ascii")
