"""A company's logo takes of the storage of the team that brought it; the instance's takes of nobody's."""

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


@pytest.fixture
def stored():
    async def stored(client):
        items = (await client.get("/api/usage")).json()["items"]
        found = {item["level"]: item["used"] for item in items if item["dimension"] == "storage.bytes"}
        return found["team"], found["org"]

    return stored


async def limit_storage(hall, most):
    answer = await hall.operator.post(
        f"/api/orgs/{hall.acme.org_id}/quota", {"dimension": "storage.bytes", "limit": most, "window": "none"}
    )
    assert answer.status_code == 200, answer.text


async def size_of(hall, logo):
    return len((await hall.anonymous.get(logo)).content)


async def test_storage_follows_a_logo_through_its_life(hall, give_logo, stored):
    owner = hall.acme.org_owner
    logo = await give_logo(owner, "Acme")
    size = await size_of(hall, logo)
    assert await stored(owner) == (size, size)
    await give_logo(owner, "Acme")
    assert await stored(owner) == (size, size)
    longer = await size_of(hall, await give_logo(owner, "Acme and sons"))
    assert await stored(owner) == (longer, longer)
    await owner.put("/api/org/branding", {"logo": None})
    assert await stored(owner) == (0, 0)
    await give_logo(owner, "Acme")
    await owner.delete("/api/org/branding")
    assert await stored(owner) == (0, 0)


async def test_a_logo_that_does_not_fit_is_refused_and_the_old_one_stays(
    hall, give_logo, upload_of, svg, stored
):
    owner = hall.acme.org_owner
    logo = await give_logo(owner, "Acme")
    size = await size_of(hall, logo)
    await limit_storage(hall, size + 1)
    refused = await owner.post("/api/org/branding/logo", upload_of(svg("<title>Acme and sons</title>")))
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")
    assert (await owner.get("/api/org/branding")).json()["logo"] == logo
    assert await stored(owner) == (size, size)
    assert await give_logo(owner, "Emca") != logo


async def test_the_logo_of_the_instance_counts_as_nobodys_storage(hall, give_logo, stored):
    await give_logo(hall.operator, "Hall", at="/api/branding/logo")
    assert await stored(hall.operator) == (0, 0)
