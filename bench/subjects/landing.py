"""CPU per file of a plugin's `landing/`, against the same file by Quart's own static route."""

import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.guildhall import guildhall
from bench.loads import client
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import ROOT, get
from bench.static_peer import PATH, static_quart

NAME = "landing"
ROUNDS = 121
REQUESTS = 25
WARM_UP = 600
CONNECTIONS = 4
PLUGIN, FILE = "example-tools", "index.html"


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        ours = stack.enter_context(guildhall(folder / "sqlite"))
        theirs = stack.enter_context(static_quart(ROOT / "plugins" / PLUGIN / "landing", FILE, folder))
        contestants = {
            "ours": (ours, get(f"/beta/bundle/{PLUGIN}/{FILE}")),
            "stock Quart": (theirs, get(PATH + FILE)),
        }
        clients = {
            name: stack.enter_context(client(server, request, CONNECTIONS))
            for name, (server, request) in contestants.items()
        }
        for each in clients.values():
            each.load(WARM_UP)
        loads = take_turns({name: partial(each.load, REQUESTS) for name, each in clients.items()}, ROUNDS)
    cpu = {name: [load.cpu_us for load in series] for name, series in loads.items()}
    report.compare(NAME, "CPU of a file", cpu["ours"], "Quart's static route", cpu["stock Quart"], Aim(1.3))
    for name, series in cpu.items():
        report.reading(NAME, name, series, "µs of CPU per request")
