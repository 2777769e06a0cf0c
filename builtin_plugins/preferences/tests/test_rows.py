"""The rows that every preference has by its declaration."""

import pytest

from guildhall_sdk import Plugin, Preference, hookimpl
from guildhall_sdk.schema import obj, string

LIST, PATH = "/api/preferences", "/api/preferences/words/greeting"
TEXT = obj({"text": string(max_length=20)}, required=["text"])


class Words:
    """A plugin with a preference of the team for everybody to read, and one of the company for few."""

    PLUGIN = Plugin("words", "Words", "1.0", "Says.")

    @hookimpl
    def declare_preferences(self):
        shared = {"schema": TEXT, "default": {"text": "Hello."}, "help": "words"}
        return [
            Preference(name="greeting", title="Greeting", write_permission="settings:manage", **shared),
            Preference(
                name="creed",
                holder="company",
                read_permission="org:manage",
                write_permission="org:manage",
                **shared,
            ),
        ]


@pytest.fixture
async def hall(open_hall):
    async with open_hall(Words()) as opened:
        yield opened


async def own(client):
    items = (await client.get(LIST)).json()["items"]
    return {one["name"]: one for one in items if one["plugin"] == "words"}


async def test_a_team_reads_changes_and_resets_its_own(hall):
    acme = hall.acme
    assert (await own(acme.viewer))["greeting"]["may_write"] is False
    changed = await acme.admin.put(PATH, {"text": "Ahoy."})
    assert (changed.status_code, changed.headers["etag"], changed.json()["value"]) == (
        200,
        '"1"',
        {"text": "Ahoy."},
    )
    assert (await acme.viewer.get(PATH)).json()["value"] == {"text": "Ahoy."}
    for other in (acme.second_team.owner, hall.globex.owner):
        assert (await other.get(PATH)).json()["value"] == {"text": "Hello."}
    assert (await acme.admin.delete(PATH)).status_code == 204
    assert (await acme.viewer.get(PATH)).json()["value"] == {"text": "Hello."}


async def test_nobody_writes_over_what_they_have_not_read(hall):
    owner, admin = hall.acme.owner, hall.acme.admin
    read = (await owner.get(PATH)).headers["etag"]
    assert (await admin.put(PATH, {"text": "First."}, headers={"If-Match": read})).status_code == 200
    for late in (
        await owner.put(PATH, {"text": "Second."}, headers={"If-Match": read}),
        await owner.delete(PATH, headers={"If-Match": read}),
    ):
        assert (late.status_code, late.json()["code"]) == (412, "precondition_failed")
    assert (await owner.get(PATH)).json()["value"] == {"text": "First."}


@pytest.mark.any_database
async def test_what_somebody_may_not_read_is_not_there_and_what_they_may_not_write_is_refused(hall):
    acme = hall.acme
    refused = await acme.member.put(PATH, {"text": "Ahoy."})
    assert (refused.status_code, refused.json()["permission"]) == (403, "settings:manage")
    assert "creed" not in await own(acme.owner)
    assert (await acme.owner.get("/api/preferences/words/creed")).status_code == 404
    assert (await own(acme.org_admin))["creed"]["holder"] == "company"
    changed = await acme.org_admin.put("/api/preferences/words/creed", {"text": "Ours."})
    assert changed.status_code == 200
    assert (await own(acme.org_owner))["creed"]["value"] == {"text": "Ours."}


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"text": 1}, "/text"),
        ({}, "/text"),
        ({"text": "x" * 21}, "/text"),
        ({"text": "", "more": 1}, "/more"),
        ([], ""),
    ],
)
async def test_what_does_not_fit_is_refused_at_its_place(hall, body, pointer):
    answer = await hall.acme.admin.put(PATH, body)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)


@pytest.mark.any_database
async def test_a_team_that_has_the_plugin_off_has_nothing_of_it(hall):
    await hall.acme.owner.post("/api/plugins/words", {"enabled": False})
    assert await own(hall.acme.owner) == {}
    assert (await hall.acme.owner.get(PATH)).status_code == 404
