"""Two server processes on one PostgreSQL show the same experience."""

import pytest

from tests.processes import second_process

pytestmark = pytest.mark.hall_databases("postgresql")
EXPERIENCE = "/api/beta/experience"


async def test_what_one_process_publishes_the_other_shows_with_its_next_request(hall, publish):
    async with second_process(hall, SERVICE_HOME="beta") as call:
        assert (await call(hall.anonymous, "GET", "/api/beta/config")).json()["published"] is False
        for number in range(5):
            here, there = f"Here {number}", f"There {number}"
            await publish(hall.operator, copy={"en": {"title": here}})
            assert (await call(hall.anonymous, "GET", "/api/beta/config")).json()["copy"]["title"] == here
            assert here in (await call(hall.anonymous, "GET", "/")).text
            saved = await call(hall.operator, "PUT", EXPERIENCE, {"copy": {"en": {"title": there}}})
            assert saved.status_code == 200, saved.text
            published = await call(hall.operator, "POST", f"{EXPERIENCE}/publish")
            assert published.json()["version"] == 2 * number + 2
            assert (await hall.anonymous.get("/api/beta/config")).json()["copy"]["title"] == there
