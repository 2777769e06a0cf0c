"""Nothing is found, counted or hinted at that the caller may not read."""

from types import SimpleNamespace

import pytest

from builtin_plugins.search import finding, indexing
from builtin_plugins.search.indexing import company_mark
from guildhall_sdk import new_id
from guildhall_sdk.services.search import Findable, SearchIndex

pytestmark = pytest.mark.shared_server


async def test_thousands_of_better_hits_that_are_not_ones_own_leave_no_trace(shelved, put, page):
    mine = [await put("Misc", "a word on tariffs") for _ in range(3)]
    async with shelved.server.data.write() as writer:
        index = shelved.server.service(SearchIndex)
        for number in range(3000):
            hidden = Findable(
                "thing",
                f"hidden_{number}",
                shelved.acme.org_id,
                shelved.acme.team_id,
                "Tariffs",
                "tariffs " * 3,
            )
            await index.put(writer, hidden)
    first = await page(shelved.acme.member, "tariffs", limit=2)
    second = await page(shelved.acme.member, "tariffs", limit=2, cursor=first["next_cursor"])
    assert [item["id"] for item in first["items"] + second["items"]] == mine[::-1]
    assert second["next_cursor"] is None
    assert (await page(shelved.acme.member, "tariffs", limit=3))["next_cursor"] is None


async def test_another_company_with_the_same_words_is_not_there(shelved, put, found):
    await put("Tariffs", company=shelved.globex)
    ours = await put("Misc", "tariffs")
    assert await found("tariffs") == [ours]


async def test_two_companies_that_share_a_mark_still_see_only_their_own(shelved, put, found, monkeypatch):
    for module in (finding, indexing):
        monkeypatch.setattr(module, "company_mark", lambda org_id: "same")
    await put("Tariffs", company=shelved.globex)
    ours = await put("Misc", "tariffs")
    assert await found("tariffs") == [ours]


def test_marks_are_short_words():
    marks = {company_mark(new_id("org", number)) for number in range(500)}
    assert all(len(mark) == 4 and mark.isalnum() and mark == mark.lower() for mark in marks)
    assert len(marks) > 495


async def test_ones_own_is_found_by_oneself_alone(shelved, put, found):
    own = await put("Tariffs", ref_id=f"{shelved.acme.member.user_id}_1")
    assert await found("tariffs") == [own]
    for client in (shelved.acme.colleague, shelved.acme.owner, shelved.operator):
        assert await found("tariffs", client) == []


async def test_a_right_that_ends_ends_at_once(shelved, put, found):
    until = shelved.clock.now_ms() + 60_000
    lent = await put("Tariffs", ref_id=f"until_{until}")
    assert await found("tariffs") == [lent]
    shelved.clock.advance(seconds=61)
    assert await found("tariffs") == []


async def test_scope_org_is_for_those_who_read_the_company(shelved, put, found):
    wide = await put("Tariffs", ref_id="company_1")
    own = await put("Misc", "tariffs")
    assert await found("tariffs", shelved.acme.reader) == [own]
    assert await found("tariffs", shelved.acme.reader, scope="org") == [wide, own]
    refused = await shelved.acme.member.get("/api/search", params={"q": "tariffs", "scope": "org"})
    assert (refused.status_code, refused.json()["permission"]) == (403, "org:read")


async def test_what_another_team_shows_is_told_with_the_address_that_reads_it(shelved, put):
    own = await put("Tariffs", ref_id="company_1")
    second = SimpleNamespace(org_id=shelved.acme.org_id, team_id=shelved.acme.second_team.id)
    there = await put("Tariffs", ref_id="company_2", company=second)
    lent = await put("Tariffs", ref_id=f"until_{shelved.clock.now_ms() + 60_000}", company=second)
    reader, typed = shelved.acme.reader, {"q": "tariffs"}

    async def urls(**query):
        answer = await reader.get("/api/search", params={**typed, **query})
        return {item["id"]: item["url"] for item in answer.json()["items"]}

    assert await urls() == {lent: f"/api/things/{lent}"}
    wide = {there: f"/api/things/{there}?scope=org", lent: f"/api/things/{lent}?scope=org"}
    assert await urls(scope="org") == {own: f"/api/things/{own}", **wide}


async def test_a_credential_shows_what_its_scope_leaves_room_for(shelved, put, found):
    thing = await put("Tariffs")
    own = await put("Tariffs", ref_id=f"{shelved.acme.member.user_id}_1")
    narrow = await shelved.with_token(shelved.acme.member, scope=["search"])
    assert await found("tariffs", narrow) == []
    wide = await shelved.with_token(shelved.acme.member, scope=["search", "files:read"])
    assert await found("tariffs", wide) == [own, thing]
    other = await shelved.with_token(shelved.acme.member, scope=["files:read"])
    assert (await other.get("/api/search", params={"q": "tariffs"})).status_code == 403


async def test_a_type_narrows_and_an_unknown_one_is_named(shelved, put, found):
    thing = await put("Tariffs")
    assert await found("tariffs", type="thing") == [thing]
    assert await found("tariffs", type="entity") == []
    response = await shelved.acme.member.get("/api/search", params={"q": "tariffs", "type": "planet"})
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, "?type")


@pytest.mark.parametrize("cursor", ["e", "OS4x", "NS4x", "MS4", "LTEuMQ", "MS4xMjM0NTY3ODkwMTIzNDU2Nzg5MA"])
@pytest.mark.any_database
async def test_a_cursor_of_another_making_is_refused(shelved, cursor):
    response = await shelved.acme.member.get("/api/search", params={"q": "a", "cursor": cursor})
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, "?cursor")
