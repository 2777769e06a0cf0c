"""What plugins declare with declare_preferences: kept apart, checked, and never overwritten unseen."""

import asyncio
import json

import pytest

from guildhall_sdk import Preference, Problem
from guildhall_sdk.errors import PreconditionFailed
from guildhall_sdk.schema import integer, obj, string
from guildhall_sdk.settings import Preferences
from tests.documented import files_of

pytestmark = pytest.mark.any_database

PATH = "/api/greetings"
TEXT = obj({"text": string()}, required=["text"])


@pytest.fixture
async def greeting(open_hall, tmp_path):
    """A hall with the plugin of the reference."""
    files_of("docs/plugins/hooks.md", "greetings", tmp_path)
    async with open_hall(SERVICE_PLUGINS=str(tmp_path)) as hall:
        yield hall


def preference(**more):
    fields = {"name": "words", "help": "words", "schema": TEXT, "default": {"text": ""}}
    return Preference(**{**fields, "write_permission": "settings:manage", **more})


async def act(hall, client, method, chosen, *more, **named):
    """Calls the service as somebody, in a transaction of its own."""
    caller = await hall.principal(client)
    async with hall.server.data.write() as writer:
        service = hall.server.service(Preferences)
        return await getattr(service, method)(writer, caller, chosen, *more, **named)


async def test_the_example_of_the_reference_keeps_each_teams_own_words(greeting):
    hall, words = greeting, {"text": "Come in."}
    first = await hall.acme.member.get(PATH)
    assert (first.json(), first.headers["etag"]) == ({"text": "Welcome."}, '"0"')
    assert (await hall.acme.member.put(PATH, words)).status_code == 403
    assert (await hall.acme.admin.put(PATH, {"text": 1})).status_code == 400
    changed = await hall.acme.admin.put(PATH, words)
    assert (changed.json(), changed.headers["etag"]) == (words, '"1"')
    assert (await hall.acme.member.get(PATH)).json() == words
    for other in (hall.acme.second_team.owner, hall.globex.owner):
        assert (await other.get(PATH)).json() == {"text": "Welcome."}
    event = (await hall.acme.owner.get("/api/audit")).json()["items"][0]
    assert (event["action"], event["target"]["id"]) == ("preference.changed", "greetings.welcome")
    assert "Come in" not in json.dumps(event)


@pytest.mark.every_database
async def test_of_two_who_began_with_the_same_words_one_writes(greeting):
    owner, admin = greeting.acme.owner, greeting.acme.admin

    async def write(client, text, etag):
        return await client.request("PUT", PATH, json={"text": text}, headers={"If-Match": etag})

    for etag in ('"0"', '"1"'):
        both = await asyncio.gather(write(owner, "one", etag), write(admin, "two", etag))
        assert sorted(answer.status_code for answer in both) == [200, 412]
    assert (await write(owner, "late", '"1"')).status_code == 412
    assert (await write(owner, "now", '"2"')).headers["etag"] == '"3"'


async def test_a_company_has_preferences_of_its_own(open_hall, make_plugin):
    chosen = preference(holder="company", write_permission="org:manage", read_permission="org:read")
    async with open_hall(make_plugin(preferences=[chosen])) as hall:
        service = hall.server.service(Preferences)
        with pytest.raises(Problem) as refusal:
            await act(hall, hall.acme.owner, "write", chosen, {"text": "no"})
        assert refusal.value.extras == {"permission": "org:manage"}
        with pytest.raises(Problem) as refusal:
            await act(hall, hall.acme.member, "read", chosen)
        assert refusal.value.extras == {"permission": "org:read"}
        await act(hall, hall.acme.org_admin, "write", chosen, {"text": "ours"})
        async with hall.server.data.read() as reader:
            assert await service.company(reader, hall.acme.org_id, chosen) == {"text": "ours"}
            assert await service.company(reader, hall.globex.org_id, chosen) == {"text": ""}
            with pytest.raises(LookupError, match=r"toy\.words is a company's, not a team's"):
                await service.team(reader, hall.acme.team_id, chosen)
            with pytest.raises(LookupError, match="no plugin declares the preference 'words'"):
                await service.team(reader, hall.acme.team_id, preference())


async def test_taking_a_value_back_is_a_change_like_another(open_hall, make_plugin):
    chosen = preference()
    async with open_hall(make_plugin(preferences=[chosen])) as hall:
        owner = hall.acme.owner
        await act(hall, owner, "write", chosen, {"text": "one"}, version=0)
        back = await act(hall, owner, "reset", chosen)
        assert (back.value, back.version) == ({"text": ""}, 2)
        with pytest.raises(PreconditionFailed):
            await act(hall, owner, "write", chosen, {"text": "two"}, version=1)
        found = await act(hall, owner, "write", chosen, {"text": "two"}, version=2)
        assert (found.version, found.updated_by) == (3, owner.user_id)
        back.value["text"] = "changed by a caller"
        assert (await act(hall, hall.globex.owner, "read", chosen)).value == {"text": ""}


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


NO_VALUES = [
    ({"text": "x" * 65_536}, "too_large"),
    ({"text": "\u00e9" * 32_768}, "too_large"),
    (float("nan"), "invalid_request"),
    ({"text": "\ud800"}, "invalid_request"),
    ({"text": b"x"}, "invalid_request"),
    (deep(100_000), "invalid_request"),
    ({1: "x"}, "invalid_request"),
]


@pytest.mark.hall_databases("sqlite")
async def test_what_is_no_json_or_too_long_is_refused(open_hall, make_plugin):
    chosen = preference()
    async with open_hall(make_plugin(preferences=[chosen])) as hall:
        for value, code in NO_VALUES:
            with pytest.raises(Problem) as refusal:
                await act(hall, hall.acme.owner, "write", chosen, value)
            assert refusal.value.code == code
            await act(hall, hall.acme.owner, "write", chosen, {"text": "x" * 65_000 + "\0"})


async def test_what_no_longer_fits_the_schema_reads_as_the_default(open_hall, make_plugin, caplog):
    before, after = preference(), preference(schema=obj({"text": integer()}), default={"text": 7})
    async with open_hall(make_plugin(preferences=[before])) as hall:
        await act(hall, hall.acme.owner, "write", before, {"text": "old"})
        service = hall.server.service(Preferences)
        service.declare([("toy", after)])
        assert (await act(hall, hall.acme.owner, "read", after)).value == {"text": 7}
        assert "preference.outdated" in caplog.text
        service.declare([("toy", wider := preference(schema=obj({"text": string(), "more": string()})))])
        assert (await act(hall, hall.acme.owner, "read", wider)).value == {"text": "old"}


REFUSED = [
    ([preference(name="Words")], "the preference 'Words' must be small letters, digits and _"),
    ([preference(), preference()], "the preference words is declared twice"),
    ([preference(help="")], "preference words: its help must be one line of text"),
    ([preference(holder="user")], "preference words: its holder must be team or company, not 'user'"),
    (
        [preference(write_permission="all")],
        "preference words: there is no permission all; declare it, or require the plugin that does",
    ),
    (
        [preference(read_permission="all")],
        "preference words: there is no permission all; declare it, or require the plugin that does",
    ),
    ([preference(schema={"type": object})], "preference words: its schema must be JSON"),
    ([preference(default={1, 2})], "preference words: its default must be JSON"),
]


@pytest.mark.hall_databases("sqlite")
async def test_a_preference_that_is_none_keeps_its_plugin_out(open_hall, make_plugin):
    plugins = [make_plugin(f"toy{place}", preferences=brought) for place, (brought, _) in enumerate(REFUSED)]
    async with open_hall(*plugins, allow_refused=True) as hall:
        reasons = {one.id: one.reason for one in hall.registry.refused}
    assert len(reasons) == len(REFUSED)
    for place, (_, reason) in enumerate(REFUSED):
        assert reason in reasons[f"toy{place}"]
