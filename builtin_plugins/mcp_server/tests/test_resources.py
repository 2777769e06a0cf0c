"""Notes and documents as resources, and search: within the caller's rights and their credential's scope."""

import base64

import pytest

from builtin_plugins.mcp_server import resources

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PNG = b"\x89PNG\r\n\x1a\n\xff"


@pytest.fixture
async def shelf(hall):
    """A note and a document of the team, a picture, and what its owner keeps private."""
    owner = hall.acme.owner
    made = {}
    for name, visibility in (("note", "team"), ("private_note", "private")):
        body = {"title": f"Tariffs {name}", "body": "From May on.", "visibility": visibility}
        made[name] = "guildhall://notes/" + (await owner.post("/api/notes", body)).json()["id"]
    for name, visibility in (("document", "team"), ("private_document", "private")):
        body = {"title": f"Tariffs {name}", "body": "# Rates", "visibility": visibility}
        made[name] = "guildhall://objects/" + (await owner.post("/api/documents", body)).json()["id"]
    put = await owner.request("PUT", "/api/repo/ship.png", content=PNG, headers={"Content-Type": "image/png"})
    made["picture"] = "guildhall://objects/" + put.json()["id"]
    return made


async def uris(session):
    return {resource["uri"] for resource in await session.resources()}


async def text(session, uri):
    return (await session.result("resources/read", uri=uri))["contents"][0]


async def test_a_caller_lists_and_reads_what_they_may(hall, speak, shelf):
    member, owner = speak(hall.acme.member), speak(hall.acme.owner)
    assert await uris(owner) == set(shelf.values())
    assert await uris(member) == {shelf["note"], shelf["document"], shelf["picture"]}
    assert (await text(member, shelf["note"]))["text"] == "From May on."
    document = await text(member, shelf["document"])
    assert (document["text"], document["mimeType"]) == ("# Rates", "text/markdown")
    assert base64.b64decode((await text(member, shelf["picture"]))["blob"]) == PNG


async def test_what_is_not_for_the_caller_is_not_there(hall, speak, shelf):
    for session in (speak(hall.acme.member), speak(hall.globex.owner)):
        for uri in (
            shelf["private_note"],
            shelf["private_document"],
            "guildhall://notes/none",
            "file:///etc",
        ):
            assert (await session.error("resources/read", uri=uri))["code"] == -32002
    assert await uris(speak(hall.globex.owner)) == set()


async def test_the_list_comes_in_pages(hall, speak, shelf, monkeypatch):
    monkeypatch.setattr(resources, "PAGE", 2)
    owner = speak(hall.acme.owner)
    first = await owner.result("resources/list")
    assert len(first["resources"]) == 2
    found = [resource["uri"] for resource in await owner.resources()]
    assert (len(found), set(found)) == (len(shelf), set(shelf.values()))


async def test_a_document_too_large_for_one_piece_is_refused(hall, speak, shelf, monkeypatch):
    monkeypatch.setattr(resources, "MAX_BYTES", 4)
    member = speak(hall.acme.member)
    error = await member.error("resources/read", uri=shelf["picture"])
    assert error["data"]["code"] == "too_large"
    monkeypatch.setattr(resources, "MAX_CHARACTERS", 3)
    document = await text(member, shelf["document"])  # by the text that was extracted, cut
    assert (document["text"], document["_meta"]) == ("# R", {"guildhall/cut": True})


async def test_templates_are_those_of_what_the_caller_may_read(hall, speak):
    async def templates(client):
        found = await speak(client).result("resources/templates/list")
        return [one["uriTemplate"] for one in found["resourceTemplates"]]

    assert await templates(hall.acme.member) == ["guildhall://notes/{id}", "guildhall://objects/{id}"]
    scoped = await hall.with_token(hall.acme.member, scope=["files:read"])
    assert await templates(scoped) == ["guildhall://objects/{id}"]


async def test_search_finds_what_can_then_be_read(hall, speak, shelf):
    member = speak(hall.acme.member)
    found = (await member.call("search", q="tariffs"))["structuredContent"]
    assert {item["uri"] for item in found["items"]} == {shelf["note"], shelf["document"]}
    only = (await member.call("search", q="tariffs", type="note"))["structuredContent"]["items"]
    assert [item["uri"] for item in only] == [shelf["note"]]
    assert "**Tariffs**" in only[0]["snippet"] or "From May" in only[0]["snippet"]
    note = await member.call("read_note", id=shelf["note"].rpartition("/")[2])
    assert "From May on." in note["content"][0]["text"]
    document = await member.call("read_document", id=shelf["document"].rpartition("/")[2])
    assert "# Rates" in document["content"][0]["text"]
    picture = await member.call("read_document", id=shelf["picture"].rpartition("/")[2])
    assert picture["isError"]
    for arguments in ({}, {"q": 1}, {"q": "a", "more": "b"}, {"q": "x" * 1001}, {"q": "a", "type": "ship"}):
        assert (await member.call("search", **arguments))["isError"]


async def test_a_scope_hides_everything_else_by_every_way(hall, speak, shelf):
    """Whatever a model was talked into: with the scope of a chat nothing is read."""
    scoped = speak(await hall.with_token(hall.acme.owner, scope=["chat:use"]))
    assert await uris(scoped) == set()
    assert not {"search", "read_note", "read_document", "repo_extract_text"} & set(await scoped.tools())
    for uri in shelf.values():
        error = await scoped.error("resources/read", uri=uri)
        assert "From May" not in str(error)
        assert "Tariffs" not in str(error)
    for name, arguments in (
        ("search", {"q": "tariffs"}),
        ("read_note", {"id": shelf["note"].rpartition("/")[2]}),
        ("read_document", {"id": shelf["document"].rpartition("/")[2]}),
        ("repo_extract_text", {"id": shelf["document"].rpartition("/")[2]}),
        ("repo_list_unindexed", {}),
    ):
        result = await scoped.call(name, **arguments)
        assert result["structuredContent"]["error"]["code"] == "permission_denied", name


async def test_a_scope_without_a_permission_is_refused_whole(hall, speak):
    scoped = speak(await hall.with_token(hall.acme.owner, scope=[]))
    answer = await scoped.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")


async def test_a_team_that_has_notes_off_has_none_here(hall, speak, shelf):
    await hall.acme.owner.post("/api/plugins/notes", {"enabled": False})
    member = speak(hall.acme.member)
    assert await uris(member) == {shelf["document"], shelf["picture"]}
    error = await member.error("resources/read", uri=shelf["note"])
    assert error["data"]["code"] == "feature_disabled"


async def test_a_team_can_turn_the_server_off(hall, speak):
    await hall.acme.owner.post("/api/plugins/mcp-server", {"enabled": False})
    answer = await speak(hall.acme.member).post({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert (answer.status_code, answer.json()["code"]) == (403, "feature_disabled")


@pytest.mark.parametrize("place", ["x", "n\0", "o00", "o6100", "ozz", "off"])
async def test_a_cursor_that_the_list_did_not_give_is_refused(module_hall, speak, place):
    cursor = base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")
    assert (await speak(module_hall.acme.member).error("resources/list", cursor=cursor))["code"] == -32602
