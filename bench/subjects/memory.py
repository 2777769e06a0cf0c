"""Resident memory, idle and after a thousand requests, against a stock Quart route."""

import tempfile
from pathlib import Path

from bench.guildhall import found, guildhall
from bench.loads import client
from bench.peers import PATH, peer
from bench.report import Report
from bench.servers import get

NAME = "memory"
REQUESTS = 1_000
CONNECTIONS = 4


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        with guildhall(folder / "data") as ours:
            token = found(ours).token
            answer = ours.ask("GET", PATH, token=token)
        # Started anew: setting an instance up hashes a password, which takes its memory once.
        with guildhall(folder / "data") as ours, peer("quart", answer, folder) as quart:
            resident = {"after start": (ours.resident_mib(), quart.resident_mib())}
            for server in (ours, quart):
                with client(server, get(PATH, token), CONNECTIONS) as asking:
                    asking.load(REQUESTS)
            resident["after 1,000 requests"] = (ours.resident_mib(), quart.resident_mib())
    for moment, (mine, theirs) in resident.items():
        report.compare(NAME, f"RSS {moment}", [mine], "stock Quart", [theirs])
        report.reading(NAME, f"Guildhall, {moment}", [mine], "MiB")
        report.reading(NAME, f"stock Quart, {moment}", [theirs], "MiB")
