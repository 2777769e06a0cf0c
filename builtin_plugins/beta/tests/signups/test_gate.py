"""How many sign-ups an address and its subnet bring, in all server processes together."""

import asyncio
from contextlib import asynccontextmanager

import httpx
import pytest

from builtin_plugins.beta.signup import gate
from builtin_plugins.beta.signup.gate import Forgetting
from guildhall_sdk import Statement
from guildhall_testing.servers import listening, running_server

pytestmark = pytest.mark.any_database

_COUNT = Statement("count", *["SELECT COUNT(*) FROM beta_arrivals"] * 2)
HOUR = 3600


async def fill(visitors, count, address=None):
    statuses = [
        (await visitors.sign_up(f"guest{number}@example.com", address=address)).status_code
        for number in range(count)
    ]
    assert statuses == [201] * count


async def test_the_21st_sign_up_of_an_hour_waits_and_spends_no_nonce(visitors):
    await fill(visitors, 20)
    solved = visitors.easy()
    answer = await visitors.sign_up("late@example.com", challenge=solved)
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    wait = int(answer.headers["retry-after"])
    assert HOUR - 5 < wait <= HOUR
    assert len(await visitors.prospects("?limit=200")) == 20
    visitors.hall.clock.advance(seconds=60)
    assert (await visitors.sign_up("late@example.com", challenge=solved)).status_code == 429
    visitors.hall.clock.advance(seconds=wait - 60)
    assert (await visitors.sign_up("late@example.com")).status_code == 201


@pytest.mark.every_database
async def test_sign_ups_at_once_pass_the_gate_no_more_often(visitors):
    answers = await asyncio.gather(*(visitors.sign_up(f"guest{number}@example.com") for number in range(30)))
    assert sorted(answer.status_code for answer in answers) == [201] * 20 + [429] * 10


async def test_a_forged_forwarded_address_does_not_move_the_gate(visitors):
    for number in range(20):
        assert (
            await visitors.sign_up(f"g{number}@example.com", address=f"192.0.2.{number}")
        ).status_code == 201
    assert (await visitors.sign_up("late@example.com", address="198.51.100.1")).status_code == 429
    assert (await visitors.challenge("198.51.100.1"))["difficulty"] == 22


async def test_behind_a_trusted_proxy_each_address_has_its_own_count(proxied):
    await fill(proxied, 20, "192.0.2.7")
    assert (await proxied.sign_up("a@example.com", address="192.0.2.7")).status_code == 429
    # What the visitor put there before the proxy added their own.
    assert (await proxied.sign_up("a@example.com", address="203.0.113.9, 192.0.2.7")).status_code == 429
    assert (await proxied.sign_up("a@example.com", address="192.0.2.8")).status_code == 201


async def test_a_subnet_has_a_larger_count_of_its_own(proxied, monkeypatch):
    monkeypatch.setattr(gate, "PER_SUBNET", 24)
    for address, elsewhere in (("192.0.2.{}", "192.0.3.1"), ("2001:db8:7:{:x}::1", "2001:db8:8:1::1")):
        for number in range(24):
            answer = await proxied.sign_up(f"g{number}@example.com", address=address.format(number // 6 + 1))
            assert answer.status_code == 201
        answer = await proxied.sign_up("late@example.com", address=address.format(200))
        assert (answer.status_code, "retry-after" in answer.headers) == (429, True)
        assert (await proxied.sign_up("late@example.com", address=elsewhere)).status_code == 201


async def test_addresses_of_one_ipv6_network_are_one(proxied):
    for number in range(20):
        address = f"2001:db8::{number + 1:x}"
        assert (await proxied.sign_up(f"g{number}@example.com", address=address)).status_code == 201
    assert (await proxied.sign_up("late@example.com", address="2001:db8::ffff")).status_code == 429


async def test_the_challenge_gets_harder_with_every_three_sign_ups_up_to_22_bits(visitors):
    seen = []
    for number in range(20):
        if number % 3 == 0 or number == 19:
            seen.append((await visitors.challenge())["difficulty"])
        await visitors.sign_up(f"g{number}@example.com")
    assert seen == [16, 17, 18, 19, 20, 21, 22, 22]
    visitors.hall.clock.advance(seconds=HOUR)
    assert (await visitors.challenge())["difficulty"] == 16


async def test_what_is_refused_does_not_count(visitors):
    for _ in range(25):
        assert (await visitors.sign_up("no address")).status_code == 400
    await fill(visitors, 20)


@pytest.mark.every_database
async def test_sign_ups_that_count_no_more_are_swept(visitors):
    await fill(visitors, 3)
    visitors.hall.clock.advance(seconds=HOUR + 60)
    await Forgetting(visitors.hall.server.host).sweep()
    async with visitors.hall.server.data.read() as reader:
        assert await reader.value(_COUNT) == 0


@asynccontextmanager
async def beside(hall):
    """Another server on the hall's database, and a client of it."""
    async with (
        running_server(hall.server.settings, clock=hall.clock) as server,
        listening(server) as addresses,
        httpx.AsyncClient(base_url=addresses["main"], trust_env=False, timeout=60) as client,
    ):
        yield client


@pytest.mark.hall_databases("postgresql")
async def test_two_servers_count_together_and_spend_a_nonce_once(visitors):
    async with beside(visitors.hall) as other:

        async def there(email, challenge):
            body = {"fields": {"email": email}, "challenge": challenge}
            return await other.post("/api/beta/signup", json=body, headers=visitors.headers())

        one = visitors.easy()
        racing = [visitors.sign_up("a@example.com", challenge=one), there("b@example.com", one)]
        assert sorted(answer.status_code for answer in await asyncio.gather(*racing)) == [201, 400]
        calls = []
        for number in range(15):
            calls.append(visitors.sign_up(f"here{number}@example.com"))
            calls.append(there(f"there{number}@example.com", visitors.easy()))
        statuses = [answer.status_code for answer in await asyncio.gather(*calls)]
        assert sorted(statuses) == [201] * 19 + [429] * 11
        shown = (await other.get("/api/beta/challenge", headers=visitors.headers())).json()
        assert shown["difficulty"] == 22
