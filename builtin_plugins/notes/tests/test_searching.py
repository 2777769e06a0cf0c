"""Notes are found by whoever may read them, from the moment they may and for as long."""

import asyncio

import pytest

from guildhall_sdk import SearchSource
from guildhall_sdk.services.tenancy import Directory

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


@pytest.fixture
def found():
    """The ids that a search finds, best first."""

    async def found(client, typed="zebra", **query):
        response = await client.get("/api/search", params={"q": typed, **query})
        assert response.status_code == 200, response.text
        return [item["id"] for item in response.json()["items"]]

    return found


@pytest.mark.own_server  # it reads what the whole instance counts
async def test_a_note_is_found_by_title_and_body_until_it_is_deleted(hall, write_note, found):
    titled = await write_note(hall.acme.member, title="Zebra crossing")
    spoken = await write_note(hall.acme.member, body="we saw a zebra")
    assert await found(hall.acme.member) == [titled["id"], spoken["id"]]
    assert (await hall.acme.member.delete(f"/api/notes/{titled['id']}")).status_code == 204
    assert await found(hall.acme.member) == [spoken["id"]]
    metrics = (await hall.operator.get("/api/metrics", headers={"Accept": "text/plain"})).text
    assert 'guildhall_search_documents{type="note"} 1' in metrics


async def test_an_item_leads_to_its_note(hall, write_note):
    note = await write_note(hall.acme.member, body="we saw a zebra")
    (item,) = (await hall.acme.member.get("/api/search?q=zebra")).json()["items"]
    assert (item["type"], item["title"]) == ("note", note["title"])
    assert item["snippet"] == "we saw a \u0001zebra\u0002"
    assert (await hall.acme.member.get(item["url"])).json()["id"] == note["id"]


async def test_a_changed_note_is_found_by_what_it_says_now(hall, write_note, found):
    note = await write_note(hall.acme.member, title="Zebra", body="stripes")
    await hall.acme.member.put(f"/api/notes/{note['id']}", {"title": "Giraffe"})
    assert await found(hall.acme.member) == []
    assert await found(hall.acme.member, "giraffe stripes") == [note["id"]]


async def test_a_write_that_is_refused_is_not_found(hall, write_note, found):
    note = await write_note(hall.acme.member, title="Zebra")
    stale = {"If-Match": '"another"'}
    refused = await hall.acme.member.put(f"/api/notes/{note['id']}", {"title": "Giraffe"}, headers=stale)
    assert refused.status_code == 412
    assert await found(hall.acme.member, "giraffe") == []
    assert await found(hall.acme.member) == [note["id"]]


async def test_a_private_note_is_found_by_its_owner_alone(hall, write_note, found):
    note = await write_note(hall.acme.member, title="Zebra")
    assert await found(hall.acme.member) == [note["id"]]
    others = (hall.acme.colleague, hall.acme.owner, hall.acme.org_owner, hall.operator, hall.globex.member)
    for client in others:
        assert await found(client) == []
    for client in (hall.acme.reader, hall.acme.org_owner, hall.operator):
        assert await found(client, scope="org") == []


@pytest.mark.every_database
async def test_visibility_opens_and_closes_a_note_at_once(hall, write_note, found):
    note = await write_note(hall.acme.member, title="Zebra", visibility="team")
    assert await found(hall.acme.viewer) == [note["id"]]
    await hall.acme.member.put(f"/api/notes/{note['id']}", {"visibility": "private"})
    assert await found(hall.acme.viewer) == []


async def test_a_share_opens_a_note_and_its_end_closes_it(hall, write_note, share, found):
    grantee = hall.acme.second_team.viewer
    note = await write_note(hall.acme.member, title="Zebra")
    await share(hall.acme.member, note, grantee)
    assert await found(grantee) == [note["id"]]
    assert await found(hall.acme.second_team.owner) == []
    path = f"/api/notes/{note['id']}/share"
    assert (await hall.acme.member.delete(path, {"user_id": grantee.user_id})).status_code == 204
    assert await found(grantee) == []


async def test_scope_org_adds_what_other_teams_show(hall, write_note, found):
    there = hall.acme.second_team
    shown = await write_note(there.member, title="Zebra", visibility="team")
    await write_note(there.member, title="Zebra")
    assert await found(hall.acme.reader) == []
    assert await found(hall.acme.reader, scope="org") == [shown["id"]]


async def test_a_person_who_left_the_team_finds_nothing_of_it(hall, write_note, found):
    leaver = await hall.join(hall.acme, "member")
    await write_note(hall.acme.member, title="Zebra", visibility="team")
    assert len(await found(leaver)) == 1
    async with hall.server.data.write() as writer:
        await hall.server.service(Directory).remove_member(writer, hall.acme.team_id, leaver.user_id)
    assert (await leaver.get("/api/search?q=zebra")).status_code == 401


async def test_search_finds_exactly_what_the_list_shows(hall, write_note, share, found, listed):
    for author in (hall.acme.member, hall.acme.colleague, hall.acme.second_team.member):
        for visibility in ("private", "team"):
            note = await write_note(author, title="Zebra", visibility=visibility)
            if author is not hall.acme.member:
                await share(author, note, hall.acme.admin)
    for client in (hall.acme.member, hall.acme.viewer, hall.acme.admin, hall.acme.second_team.owner):
        assert sorted(await found(client)) == sorted(await listed(client))
    for client in (hall.acme.reader, hall.acme.org_admin):
        assert sorted(await found(client, scope="org")) == sorted(await listed(client, "?scope=org"))


async def test_samples_are_found(hall, found):
    assert (await hall.acme.admin.post("/api/admin/seed")).status_code == 200
    assert len(await found(hall.acme.viewer, "minutes first meeting")) == 1


@pytest.mark.every_database
async def test_racing_changes_leave_the_words_of_the_note_as_it_is(hall, write_note, found):
    note = await write_note(hall.acme.member, title="Zebra")
    path = f"/api/notes/{note['id']}"
    names = [f"animal{number}" for number in range(12)]
    await asyncio.gather(*(hall.acme.member.put(path, {"title": name}) for name in names))
    title = (await hall.acme.member.get(path)).json()["title"]
    assert await found(hall.acme.member, f'"{title}"') == [note["id"]]
    for name in set(names) - {title}:
        assert await found(hall.acme.member, f'"{name}"') == []


async def test_declare_search_sources_brings_in_the_notes_that_were_there_before(hall, write_note, found):
    notes = [await write_note(hall.acme.member, title="Zebra") for _ in range(3)]
    (source,) = [source for source in hall.registry.declared(SearchSource) if source.type == "note"]
    async with hall.server.data.write() as writer:
        rows = await writer.all(source.every, after=notes[0]["id"], limit=50)
    assert [(row["ref_id"], row["title"], row["text"]) for row in rows] == [
        (note["id"], note["title"], note["body"]) for note in notes[1:]
    ]
