"""Failed logins: how many, from where, and for how long."""

import asyncio
import hashlib

import pytest

from builtin_plugins import identity
from builtin_plugins.identity import throttle
from builtin_plugins.identity.throttle import LoginAttempt
from guildhall_sdk import Statement
from guildhall_sdk.services.identity import Vault

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PASSWORD = "correct horse battery"
WRONG = "wrong horse battery"
CREDENTIAL = Statement("credential", *["SELECT id FROM credentials WHERE secret_hash = :digest"] * 2)
EVERY_FAILURE = Statement("every_failure", *["SELECT * FROM login_failures"] * 2)


@pytest.fixture
def fail_before(hall):
    """Failures of the past, without the cost of verifying a password for each."""

    async def record(username: str, address: str, times: int) -> None:
        attempt = LoginAttempt.of(hall.server.service(Vault), username, address)
        async with hall.server.data.write() as writer:
            for _ in range(times):
                await throttle.record_failure(writer, attempt, hall.clock.now_ms())

    return record


async def test_ten_failures_brake_even_the_right_password(hall, account):
    for _ in range(10):
        assert (await account.login(WRONG)).status_code == 401
    for password in (WRONG, PASSWORD):
        braked = await account.login(password)
        assert (braked.status_code, braked.json()["code"]) == (429, "rate_limited")
        assert 890 <= int(braked.headers["retry-after"]) <= 900


async def test_a_brake_lifts_when_it_says_so(hall, account, fail_before):
    await fail_before(account.username, "127.0.0.1", 10)
    hall.clock.advance(minutes=5)
    wait = int((await account.login()).headers["retry-after"])
    assert 590 <= wait <= 600
    hall.clock.advance(seconds=wait)
    assert (await account.login()).status_code == 200


async def test_a_braked_login_is_no_further_failure(hall, account, fail_before):
    await fail_before(account.username, "127.0.0.1", 10)
    for _ in range(12):
        hall.clock.advance(minutes=1)
        assert (await account.login(WRONG)).status_code == 429
    hall.clock.advance(minutes=3)
    assert (await account.login()).status_code == 200


async def test_a_success_clears_the_count_of_this_person_here(account, fail_before):
    await fail_before(account.username, "127.0.0.1", 9)
    assert (await account.login()).status_code == 200
    for _ in range(9):
        assert (await account.login(WRONG)).status_code == 401
    assert (await account.login()).status_code == 200


async def test_fifty_failures_brake_an_address_whoever_is_named(account, fail_before, hall):
    for number in range(49):
        await fail_before(f"somebody{number}", "127.0.0.1", 1)
    assert (await account.login()).status_code == 200
    await fail_before("somebody49", "127.0.0.1", 1)
    assert (await account.login()).status_code == 429
    unknown = await hall.anonymous.post("/api/login", {"username": "never seen", "password": WRONG})
    assert unknown.status_code == 429


async def test_a_hundred_failures_brake_a_name_wherever_from(account, fail_before, new_account):
    for number in range(11):
        await fail_before(account.username, f"192.0.2.{number}", 9)
    assert (await account.login()).status_code == 200
    await fail_before(account.username, "192.0.2.99", 1)
    assert (await account.login()).status_code == 429
    assert (await (await new_account()).login()).status_code == 200


async def test_another_address_and_another_person_go_free(account, fail_before, new_account):
    await fail_before(account.username, "192.0.2.1", 10)
    assert (await account.login()).status_code == 200
    await fail_before(account.username, "127.0.0.1", 10)
    assert (await (await new_account()).login()).status_code == 200


@pytest.mark.every_database
async def test_32_guesses_at_once_learn_no_more_than_ten(account):
    guesses = [WRONG] * 31 + [PASSWORD]
    answers = await asyncio.gather(*(account.login(guess) for guess in guesses))
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(401) <= 10
    assert set(statuses) <= {200, 401, 429}
    assert (await account.login()).status_code == (200 if statuses.count(401) < 10 else 429)


@pytest.mark.every_database
async def test_guesses_that_pass_the_first_check_together_are_judged_again(account, fail_before):
    await fail_before(account.username, "127.0.0.1", 9)
    answers = await asyncio.gather(*(account.login(WRONG) for _ in range(16)))
    assert sorted(answer.status_code for answer in answers) == [401] + [429] * 15


async def test_a_brake_says_the_same_of_a_name_that_nobody_has(hall, fail_before):
    await fail_before("nobody", "127.0.0.1", 10)
    response = await hall.anonymous.post("/api/login", {"username": "NOBODY", "password": WRONG})
    assert response.status_code == 429


@pytest.mark.parametrize(
    ("address", "counted_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
    ],
)
def test_a_whole_ipv6_network_is_one_address(address, counted_as):
    class Keys:
        def derive(self, purpose: str) -> bytes:
            return b"k" * 32

    assert LoginAttempt.of(Keys(), "ada", address).address == counted_as


async def test_what_was_typed_is_stored_only_as_a_keyed_hash(hall, fail_before):
    await fail_before("my own password", "127.0.0.1", 1)
    attempt = LoginAttempt.of(hall.server.service(Vault), "MY OWN PASSWORD", "127.0.0.1")
    async with hall.server.data.read() as reader:
        (row,) = await reader.all(EVERY_FAILURE)
    assert row["account"] == attempt.account
    assert "password" not in str(dict(row))


async def test_a_start_forgets_old_failures_and_ended_sessions(hall, account, fail_before):
    await fail_before("somebody", "127.0.0.1", 3)
    session = await account.session()
    hall.clock.advance(days=31)
    await fail_before("somebody", "127.0.0.1", 1)
    await identity.on_start(hall.server.host)
    async with hall.server.data.read() as reader:
        assert len(await reader.all(EVERY_FAILURE)) == 1
        digest = hashlib.sha256(session.token.encode()).hexdigest()
        assert await reader.one(CREDENTIAL, digest=digest) is None
