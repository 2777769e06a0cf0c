"""Resident memory, idle and after a thousand requests, against a stock Quart route; and in a large upload."""

import tempfile
from pathlib import Path

from bench import multipart
from bench.guildhall import found, guildhall
from bench.loads import client
from bench.object_stores import issued_store
from bench.peers import PATH, peer
from bench.report import Aim, Report
from bench.servers import Server, get

NAME = "memory"
REQUESTS = 1_000
CONNECTIONS = 4
PARTS, PART_MIB, AT_ONCE = 16, 64, 4
ALLOWED_MIB = 32.0


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
            grown = _grown_by_upload(ours, token)
    for moment, (mine, theirs) in resident.items():
        report.compare(NAME, f"RSS {moment}", [mine], "stock Quart", [theirs])
        report.reading(NAME, f"Guildhall, {moment}", [mine], "MiB")
        report.reading(NAME, f"stock Quart, {moment}", [theirs], "MiB")
    size = PARTS * PART_MIB
    what = f"growth of RSS, {size} MiB over S3 in parts of {PART_MIB} MiB, {AT_ONCE} at once"
    report.compare(NAME, what, [grown], f"{ALLOWED_MIB:.0f} MiB", [ALLOWED_MIB], Aim(1.0))
    report.reading(NAME, what, [grown], "MiB")


def _grown_by_upload(server: Server, token: str) -> float:
    """MiB at the highest above where it was, after one small object that loads what it takes."""
    store = issued_store(server, token)
    multipart.upload(store, "warm-up", 1, 1, 1)
    before = server.resident_mib()
    server.forget_peak()
    multipart.upload(store, "large", PARTS, PART_MIB, AT_ONCE)
    return server.peak_mib() - before
