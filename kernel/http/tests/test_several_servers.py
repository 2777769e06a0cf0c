"""Two servers on one PostgreSQL: limits and brakes count for both."""

import asyncio
from contextlib import asynccontextmanager

import httpx
import pytest
import pytest_asyncio

from builtin_plugins.identity import throttle
from builtin_plugins.identity.throttle import LoginAttempt
from guildhall_sdk.services.identity import Vault
from kernel.boot import Server
from kernel.listening import bound_socket, listen

pytestmark = pytest.mark.hall_databases("postgresql")

TOKEN = "canary-provision-token"
LIMITS = {"SERVICE_RATE_LIMIT": "300", "SERVICE_S3_RATE_LIMIT": "300", "SERVICE_PROVISION_TOKEN": TOKEN}


@asynccontextmanager
async def beside(hall):
    """Another server on the hall's database; gives a client of it, and of its S3."""
    server, stopping, listeners = Server(hall.server.settings, clock=hall.clock), asyncio.Event(), []
    await server.start()
    try:
        addresses = []
        for app in (server.app, server.own_listeners["s3"]):
            listener = bound_socket("127.0.0.1:0")
            addresses.append(f"http://127.0.0.1:{listener.getsockname()[1]}")
            listeners.append(asyncio.create_task(listen(app, listener, stopping)))
        await until(lambda: server.rates.listening and hall.server.rates.listening)
        async with (
            httpx.AsyncClient(base_url=addresses[0], trust_env=False, timeout=60) as api,
            httpx.AsyncClient(base_url=addresses[1], trust_env=False, timeout=60) as s3,
        ):
            yield server, api, s3
    finally:
        stopping.set()
        await asyncio.gather(*listeners)
        await server.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def hall(open_hall):
    async with open_hall(**LIMITS) as opened:
        yield opened


async def until(true):
    """Words between servers take a moment."""
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0)


async def until_heard(server, limiter, key):
    await until(lambda: server.rates.limiters[limiter].wait(key) is not None)


async def test_what_a_credential_spent_on_one_server_is_spent_on_the_other(hall):
    async with beside(hall) as (other, api, _):
        member = hall.acme.member
        headers = {"Authorization": f"Bearer {member.token}"}
        assert (await api.get("/api/whoami", headers=headers)).status_code == 200
        while (await member.get("/api/whoami")).status_code == 200:
            pass
        (session,) = other.rates.limiters["api.credential"]._recent
        await until_heard(other, "api.credential", session)
        refused = await api.get("/api/whoami", headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        admin = {"Authorization": f"Bearer {hall.acme.admin.token}"}
        assert (await api.get("/api/whoami", headers=admin)).status_code == 200
        hall.clock.advance(seconds=5)
        assert (await api.get("/api/whoami", headers=headers)).status_code == 200


async def test_tokens_that_nobody_has_and_unsigned_requests_are_counted_together(hall):
    async with beside(hall) as (other, api, s3):
        while (await hall.anonymous.get("/api/whoami")).status_code == 401:
            pass
        await until_heard(other, "api.unproven", "127.0.0.1")
        assert (await api.get("/api/whoami")).status_code == 429
        assert (await api.get("/api/config")).status_code == 200
        while (await s3.get("/")).status_code == 403:
            pass
        await until_heard(hall.server, "s3.unproven", "127.0.0.1")
        assert (await hall.anonymous.get("/s3/")).status_code == 503


async def test_the_second_tells_what_was_too_little_to_tell_at_once(hall):
    """A limit of 6,000 is told in eighths of its burst: fewer wait for the second."""
    async with beside(hall) as (other, _, _):
        here = hall.server.rates.callers("test", 6000)
        there = other.rates.callers("test", 6000)
        for _ in range(100):
            here.count("key_1")
        limiter = there.limiters["credential"]
        await until(lambda: len(limiter) > 0)
        assert sum(limiter.take("key_1") is None for _ in range(2000)) == 900


async def test_failed_logins_on_one_server_brake_the_other(hall):
    async with beside(hall) as (other, api, _):
        attempt = LoginAttempt.of(other.service(Vault), hall.acme.member.username, "127.0.0.1")
        async with other.data.write() as writer:
            for _ in range(throttle.PER_PAIR - 1):
                await throttle.record_failure(writer, attempt, hall.clock.now_ms())
        body = {"username": hall.acme.member.username, "password": "wrong horse battery"}
        assert (await api.post("/api/login", json=body)).status_code == 401
        right = {**body, "password": hall.password}
        assert (await hall.anonymous.post("/api/login", right)).status_code == 429


async def test_wrong_provisioning_tokens_on_two_servers_are_counted_together(hall):
    async with beside(hall) as (_, api, _):

        async def guess(number):
            headers = {"Authorization": "Bearer wrong"}
            if number % 2:
                return await api.post("/api/instance/resume", headers=headers)
            return await hall.anonymous.request("POST", "/api/instance/resume", headers=headers)

        answers = await asyncio.gather(*(guess(number) for number in range(16)))
        assert [answer.status_code for answer in answers].count(401) == 10
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert (await api.post("/api/instance/resume", headers=headers)).status_code == 429
