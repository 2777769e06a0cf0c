"""How much one address or one credential can hold at once, and what happens beyond."""

import asyncio
import json
import os
import resource
import socket
from urllib.parse import urlsplit

import pytest

from guildhall_testing.raw import RawAnswer, request_bytes

pytestmark = pytest.mark.hall_databases("sqlite")

HEALTH = request_bytes("GET", "/health")


async def refusal(hall) -> RawAnswer:
    return RawAnswer.parse(await hall.raw(HEALTH))


async def test_one_address_has_so_many_connections_and_no_more(open_hall, connect, monkeypatch, eventually):
    monkeypatch.setattr("libs.listener.listening.PER_ADDRESS", 3)
    async with open_hall() as hall:
        held = [await connect(hall) for _ in range(3)]
        answer = await refusal(hall)
        assert (answer.status, answer.headers["connection"]) == (503, "close")
        assert int(answer.headers["retry-after"]) > 0
        assert answer.json()["code"] == "unavailable" and answer.headers["x-request-id"]
        held[0][1].close()
        answers = []

        async def served():
            answers.append((await refusal(hall)).status)
            return answers[-1] == 200

        async with asyncio.timeout(60):
            while not await served():
                pass
        for _, writer in held:
            writer.close()


@pytest.mark.parametrize("proxies", ["127.0.0.0/8", "::ffff:127.0.0.0/104"])
async def test_a_trusted_proxy_may_have_more(open_hall, connect, monkeypatch, proxies):
    monkeypatch.setattr("libs.listener.listening.PER_ADDRESS", 3)
    async with open_hall(SERVICE_TRUSTED_PROXIES=proxies) as hall:
        held = [await connect(hall) for _ in range(10)]
        assert (await refusal(hall)).status == 200
        for _, writer in held:
            writer.close()


async def test_one_credential_has_so_many_requests_under_way_and_no_more(
    slow_hall, slow, monkeypatch, eventually
):
    monkeypatch.setattr("libs.fair_slots.shares.PER_CREDENTIAL", 2)
    member, colleague = slow_hall.acme.member, slow_hall.acme.owner
    waiting = [asyncio.create_task(member.get("/api/wait")) for _ in range(2)]
    await eventually(lambda: slow.waiting == 2)
    refused = await member.get("/api/whoami")
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert refused.headers["retry-after"] == "1"
    assert (await colleague.get("/api/whoami")).status_code == 200
    slow.released.set()
    assert [answer.status_code for answer in await asyncio.gather(*waiting)] == [200, 200]
    assert (await member.get("/api/whoami")).status_code == 200


async def test_what_was_refused_or_broke_holds_no_place(slow_hall, monkeypatch):
    monkeypatch.setattr("libs.fair_slots.shares.PER_CREDENTIAL", 1)
    member = slow_hall.acme.member
    for path in ("/api/nowhere", "/api/org/audit", "/api/notes?limit=none", "/api/flood"):
        async with asyncio.timeout(60):
            if path == "/api/flood":
                await slow_hall.raw(request_bytes("GET", "/api/whoami", token=member.token), half_close=True)
            else:
                assert (await member.get(path)).status_code in (400, 403, 404)
    assert (await member.get("/api/whoami")).status_code == 200


async def test_without_descriptors_it_waits_and_goes_on(open_hall, monkeypatch, eventually, caplog):
    monkeypatch.setattr("libs.listener.listening._AGAIN_SECONDS", 0.05)
    async with open_hall() as hall:
        address = urlsplit(hall.base_url)
        callers = [socket.create_connection((address.hostname, address.port)) for _ in range(5)]
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (next_descriptor(), hard))
        try:
            await eventually(lambda: told(caplog))
            for _ in range(10):
                await asyncio.sleep(0.02)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for caller in callers:
            caller.sendall(HEALTH)
            reader, writer = await asyncio.open_connection(sock=caller)
            async with asyncio.timeout(60):
                assert (await reader.read()).startswith(b"HTTP/1.1 200")
            writer.close()
        assert len(told(caplog)) == 1


def next_descriptor() -> int:
    descriptor = os.dup(0)
    os.close(descriptor)
    return descriptor


def told(caplog) -> list[str]:
    return [record.msg for record in caplog.records if record.msg == "connections.not_accepted"]


def test_a_refusal_is_a_problem_with_nothing_left_out():
    from kernel.listening import Refusal

    for status in (400, 431, 501):
        made = Refusal.of_bytes(status)
        problem = json.loads(made.body)
        assert (made.status, problem["status"]) == (status, status)
        assert {"type", "title", "detail", "code", "request_id"} <= set(problem)
