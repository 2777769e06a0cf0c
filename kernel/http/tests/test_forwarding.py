"""Whose request it is behind proxies, and that nobody else can say so."""

from ipaddress import ip_network

import pytest

from builtin_plugins.identity import throttle
from builtin_plugins.identity.throttle import LoginAttempt
from guildhall_sdk.services.identity import Vault
from libs.addresses import Proxies

pytestmark = pytest.mark.any_database

TRUSTED = ("127.0.0.1", "10.0.0.0/8", "2001:db8:ffff::/48", "::ffff:192.168.0.0/112")
CALLER = "192.0.2.7"


def caller(connected, *lines, trusted=TRUSTED):
    headers = [(b"host", b"x"), *((b"x-forwarded-for", line.encode()) for line in lines), (b"via", b"y")]
    return Proxies([ip_network(network) for network in trusted]).caller(connected, headers)


@pytest.mark.parametrize(
    ("connected", "lines", "found"),
    [
        ("127.0.0.1", ["192.0.2.7"], CALLER),
        ("127.0.0.1", ["192.0.2.7, 10.1.2.3"], CALLER),
        ("127.0.0.1", ["192.0.2.7,10.1.2.3,\t10.0.0.1 "], CALLER),
        ("127.0.0.1", ["192.0.2.7", "10.1.2.3"], CALLER),
        ("127.0.0.1", ["192.0.2.7:567"], CALLER),
        ("127.0.0.1", ["::ffff:192.0.2.7"], CALLER),
        ("127.0.0.1", ["[::ffff:192.0.2.7]:567"], CALLER),
        ("::ffff:127.0.0.1", ["192.0.2.7"], CALLER),
        ("::ffff:192.168.3.4", ["192.0.2.7"], CALLER),
        ("127.0.0.1", ["2001:db8::7"], "2001:db8::7"),
        ("127.0.0.1", ["[2001:db8::7]"], "2001:db8::7"),
        ("127.0.0.1", ["[2001:db8::7]:443, 2001:db8:ffff::1"], "2001:db8::7"),
        ("127.0.0.1", ["fe80::7%eth0"], "fe80::7"),
    ],
)
def test_the_right_most_address_that_is_no_proxy_is_the_callers(connected, lines, found):
    assert caller(connected, *lines) == found


@pytest.mark.parametrize(
    "forged", ["10.0.0.9, 192.0.2.7", "198.51.100.1, 192.0.2.7", "x, 192.0.2.7", ",,192.0.2.7", "é,192.0.2.7"]
)
def test_what_a_caller_writes_left_of_themselves_counts_for_nothing(forged):
    assert caller("127.0.0.1", forged) == CALLER


@pytest.mark.parametrize("connected", ["192.0.2.7", "11.0.0.1", "::1", "unknown", ""])
def test_a_connection_from_elsewhere_is_its_own_address(connected):
    assert caller(connected, "198.51.100.1") == connected


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([], "127.0.0.1"),
        ([""], "127.0.0.1"),
        (["unknown"], "127.0.0.1"),
        (["192.0.2.7, unknown, 10.0.0.1"], "10.0.0.1"),
        (["192.0.2.7,,10.0.0.1"], "10.0.0.1"),
        (["192.0.2.7:x"], "127.0.0.1"),
        (["192.0.2.7:123456"], "127.0.0.1"),
        (["[192.0.2.7"], "127.0.0.1"),
        (["192.0.2.256"], "127.0.0.1"),
        (["192.0.2.07"], "127.0.0.1"),
        (["3221225991"], "127.0.0.1"),
        (["192.0.2.7/32"], "127.0.0.1"),
        (["1" * 30_000], "127.0.0.1"),
    ],
)
def test_a_word_that_is_no_address_ends_what_is_believed(lines, found):
    assert caller("127.0.0.1", *lines) == found


def test_a_call_from_the_inside_has_the_address_furthest_from_us():
    assert caller("127.0.0.1", "10.9.9.9, 10.0.0.1") == "10.9.9.9"


def login(hall, address, password="wrong horse battery"):
    body = {"username": hall.acme.member.username, "password": password}
    return hall.anonymous.request("POST", "/api/login", body, headers={"X-Forwarded-For": address})


async def brake(hall, address):
    attempt = LoginAttempt.of(hall.server.service(Vault), "somebody", address)
    async with hall.server.data.write() as writer:
        for _ in range(throttle.PER_ADDRESS):
            await throttle.record_failure(writer, attempt, hall.clock.now_ms())


async def test_behind_a_trusted_proxy_a_brake_holds_one_caller_and_no_other(open_hall):
    async with open_hall(SERVICE_TRUSTED_PROXIES="127.0.0.1") as hall:
        await brake(hall, CALLER)
        assert (await login(hall, CALLER, hall.password)).status_code == 429
        assert (await login(hall, f"{CALLER}:4711", hall.password)).status_code == 429
        assert (await login(hall, "192.0.2.8", hall.password)).status_code == 200


async def test_the_trail_names_the_caller_and_not_the_proxy(open_hall):
    async with open_hall(SERVICE_TRUSTED_PROXIES="127.0.0.1,::1") as hall:
        assert (await login(hall, f"198.51.100.1, {CALLER}")).status_code == 401
        events = (await hall.acme.org_owner.get("/api/org/audit")).json()["items"]
        assert events[0]["detail"]["address"] == CALLER


@pytest.mark.parametrize("trusted", [{}, {"SERVICE_TRUSTED_PROXIES": "10.0.0.0/8"}])
async def test_a_forged_header_from_an_untrusted_connection_changes_nothing(open_hall, trusted):
    async with open_hall(**trusted) as hall:
        await brake(hall, "127.0.0.1")
        for forged in (CALLER, f"{CALLER}, 10.0.0.1", "10.0.0.1"):
            assert (await login(hall, forged, hall.password)).status_code == 429


async def test_rates_count_the_caller_behind_the_proxy(open_hall):
    async with open_hall(SERVICE_RATE_LIMIT="300", SERVICE_TRUSTED_PROXIES="127.0.0.1") as hall:
        for address in (CALLER, "192.0.2.8"):
            answers = []
            for forged in range(11):
                headers = {"X-Forwarded-For": f"198.51.100.{forged}, {address}"}
                answers.append(
                    (await hall.anonymous.request("GET", "/api/config", headers=headers)).status_code
                )
            assert answers == [200] * 10 + [429]
