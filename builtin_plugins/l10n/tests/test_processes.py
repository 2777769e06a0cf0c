"""Two hosts on one PostgreSQL: what one decides, the other serves with its next request."""

import asyncio

import pytest

from guildhall_testing.servers import secret_key_in
from tests.processes import second_process

pytestmark = pytest.mark.hall_databases("postgresql")
CATALOG = "/api/i18n/catalog"


@pytest.fixture
def second_host(hall, tmp_path):
    """A process that shares the database, the key and the blobs: not the folder of exported files."""
    data = hall.server.settings.data
    (tmp_path / "blobs").symlink_to(data / "blobs")
    return second_process(hall, SERVICE_DATA=str(tmp_path), SERVICE_SECRET_KEY=secret_key_in(data))


async def test_the_policy_and_approved_texts_are_seen_by_another_host_at_its_next_request(
    hall, second_host, approve
):
    async with second_host as call:
        for turn, locale in enumerate(("nl", "is", "es", "nl", "en")):
            # Asked right before, so that it has something to be out of date.
            await call(hall.anonymous, "GET", "/api/config")
            await hall.operator.put("/api/i18n", {"default_locale": locale, "switching": turn % 2 == 0})
            policy = (await call(hall.anonymous, "GET", "/api/config")).json()["localization"]
            assert (policy["default_locale"], policy["switching"]) == (locale, turn % 2 == 0)
            catalog = (await call(hall.anonymous, "GET", CATALOG)).json()
            assert catalog["locale"] == locale
        for text in ("Kladjes", "Krabbels", "Aantekeningen"):
            await call(hall.anonymous, "GET", f"{CATALOG}?locale=nl")
            await approve("nl", "nav.notes", text)
            served = (await call(hall.anonymous, "GET", f"{CATALOG}?locale=nl-BE")).json()
            assert served["messages"]["nav.notes"] == text


async def test_whoever_asks_all_the_time_sees_a_change_once_it_is_answered(hall, second_host):
    async with second_host as call:
        changed, late = asyncio.Event(), []

        async def watch():
            while not changed.is_set():
                await call(hall.anonymous, "GET", "/api/config")
            for _ in range(5):
                late.append((await call(hall.anonymous, "GET", "/api/config")).json())

        watchers = [asyncio.create_task(watch()) for _ in range(4)]
        await hall.operator.put("/api/i18n", {"default_locale": "is"})
        changed.set()
        await asyncio.gather(*watchers)
        assert {one["localization"]["default_locale"] for one in late} == {"is"}
