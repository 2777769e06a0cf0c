"""How long deliveries to one address take, against as many bare posts by httpx to the same receiver."""

import asyncio
import tempfile
from functools import partial
from pathlib import Path

from bench.guildhall import found, guildhall
from bench.hook_receiver import Receiver, hook_receiver
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server

NAME = "webhooks"
ROUNDS, DELIVERIES, AT_ONCE = 7, 1_000, 8
BODY = {"type": "webhook.test", "timestamp": "2030-01-01T09:00:00Z", "data": {"webhook_id": "whk_0123456789"}}


def run(report: Report) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        guildhall(Path(folder) / "data", SERVICE_ORG_PRIVATE_ENDPOINTS="on") as server,
        hook_receiver() as receiver,
    ):
        token = found(server).token
        new = {"url": receiver.url, "events": ["note.changed"]}
        path = f"/api/webhooks/{server.ask('POST', '/api/webhooks', new, token)['id']}"
        contestants = {
            "ours": partial(_ours, server, receiver, path, token),
            "httpx": partial(_theirs, receiver),
        }
        seconds = take_turns(contestants, ROUNDS)
    what = f"time of {DELIVERIES} deliveries that wait, on SQLite"
    report.compare(NAME, what, seconds["ours"], "bare posts by httpx", seconds["httpx"], Aim(2.0))
    rates = [DELIVERIES / one for one in seconds["ours"]]
    report.reading(NAME, "deliveries to one address on SQLite", rates, "a second")


def _ours(server: Server, receiver: Receiver, path: str, token: str) -> float:
    receiver.refuse()
    for _ in range(DELIVERIES):
        server.ask("POST", f"{path}/test", None, token)
    server.ask("PATCH", path, {"enabled": False}, token)
    server.wait_until_idle()
    receiver.take(DELIVERIES)
    server.ask("PATCH", path, {"enabled": True}, token)
    return receiver.taken()


def _theirs(receiver: Receiver) -> float:
    receiver.take(DELIVERIES)
    asyncio.run(_post_all(receiver.url))
    return receiver.taken()


async def _post_all(url: str) -> None:
    import httpx

    async with httpx.AsyncClient(trust_env=False) as client:
        gate = asyncio.Semaphore(AT_ONCE)

        async def post() -> None:
            async with gate:
                (await client.post(url, json=BODY)).raise_for_status()

        await asyncio.gather(*(post() for _ in range(DELIVERIES)))
