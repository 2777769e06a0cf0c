"""What a call through the Python client takes of the caller's CPU, against the same call by httpx alone."""

import asyncio
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from bench.guildhall import found, guildhall
from bench.report import Aim, Report
from bench.rounds import take_turns
from guildhall_client import AsyncClient, Client

NAME = "client"
ROUNDS = 61
REQUESTS = 25
WARM_UP = 50
AIM = Aim(1.3)
_NOTE = {"title": "Minutes", "body": "We met, we spoke, we went home."}

Call = Callable[[], Any]


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        server = stack.enter_context(guildhall(folder))
        url, token = f"http://127.0.0.1:{server.port}", found(server).token
        loop = stack.enter_context(asyncio.Runner())
        ours = stack.enter_context(Client(url, token=token))
        bare = stack.enter_context(httpx.Client(base_url=url, headers=_headers(token)))
        ours_async = AsyncClient(url, token=token)
        bare_async = httpx.AsyncClient(base_url=url, headers=_headers(token))
        pairs: dict[str, tuple[Call, Call]] = {
            "GET /api/whoami": (ours.account.whoami, lambda: bare.get("/api/whoami").json()),
            "POST /api/notes": (
                partial(ours.notes.create, title=_NOTE["title"], body=_NOTE["body"]),
                lambda: bare.post("/api/notes", json=_NOTE).json(),
            ),
            "GET /api/whoami, asyncio": (
                lambda: loop.run(_calls(ours_async.account.whoami)),
                lambda: loop.run(_calls(lambda: bare_async.get("/api/whoami"))),
            ),
        }
        contestants = {
            (what, who): call
            for what, both in pairs.items()
            for who, call in zip(("client", "httpx"), both, strict=True)
        }
        for call in contestants.values():
            for _ in range(WARM_UP):
                call()
        taken = take_turns({repr(name): partial(_cpu_us, call) for name, call in contestants.items()}, ROUNDS)
        loop.run(ours_async.aclose())
        loop.run(bare_async.aclose())
    for what in pairs:
        mine, theirs = taken[repr((what, "client"))], taken[repr((what, "httpx"))]
        report.compare(NAME, f"CPU of {what}", mine, "bare httpx", theirs, AIM)
        report.reading(NAME, f"{what}, client", mine, "µs of CPU per call")
        report.reading(NAME, f"{what}, httpx", theirs, "µs of CPU per call")


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", "Accept": "application/json"}


async def _calls(call: Call) -> None:
    """Makes a call, and reads its answer where httpx has left that to the caller."""
    answer = await call()
    if isinstance(answer, httpx.Response):
        answer.json()


def _cpu_us(call: Call) -> float:
    begun = time.process_time()
    for _ in range(REQUESTS):
        call()
    return (time.process_time() - begun) / REQUESTS * 1e6
