"""Nothing of a document shows to whoever cannot read it."""

import pytest

from builtin_plugins.knowledge import editing

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

ANNA, ACME = ("Anna Jansen", "person"), ("Acme", "organization")


async def seen(client, path="/api/kg/entities"):
    response = await client.get(path)
    assert response.status_code == 200, response.text
    return response.json()


async def found_by_search(client, q):
    items = (await seen(client, f"/api/search?q={q}&type=entity"))["items"]
    return [(one["id"], one["title"]) for one in items]


async def test_an_entity_shows_what_readable_documents_say(scripted, learn, listed):
    owner, member = scripted.acme.owner, scripted.acme.member
    await learn(
        scripted,
        owner,
        "ANNA JANSEN owns Acme",
        [("ANNA JANSEN", "person"), ACME],
        [("ANNA JANSEN", "owns", "Acme")],
        visibility="private",
    )
    assert await listed(member) == {}
    assert await found_by_search(member, "anna") == []
    await learn(scripted, member, "Anna Jansen sings", [ANNA])
    anna = (await listed(member))["Anna Jansen"]
    assert [one["snippet"] for one in anna["mentions"]] == ["Anna Jansen sings"]
    assert (anna["aliases"], anna["relations"]) == ([], [])
    whole = (await listed(owner))["ANNA JANSEN"]
    assert whole["id"] == anna["id"]
    assert len(whole["mentions"]) == 2
    assert whole["aliases"] == ["Anna Jansen"]
    assert [one["entity"]["name"] for one in whole["relations"]] == ["Acme"]
    graph = await seen(member, f"/api/kg/entities/{anna['id']}/graph?depth=3")
    assert ([one["name"] for one in graph["nodes"]], graph["edges"], graph["hidden"]) == (
        ["Anna Jansen"],
        [],
        0,
    )
    acme = (await listed(owner))["Acme"]
    for path in ("", "/graph", "/similar"):
        assert (await member.get(f"/api/kg/entities/{acme['id']}{path}")).status_code == 404
    assert (await member.patch(f"/api/kg/entities/{acme['id']}", {"name": "X"})).status_code == 404
    assert (await scripted.globex.owner.get(f"/api/kg/entities/{acme['id']}")).status_code == 404


async def test_nothing_is_held_for_whoever_does_not_see_the_entity(scripted, learn, listed, monkeypatch):
    owner, member = scripted.acme.owner, scripted.acme.member
    await learn(scripted, owner, "Anna Jansen owns Acme", [ANNA, ACME], visibility="private")
    await learn(scripted, member, "Anna Jansen sings", [ANNA])
    entities = await listed(owner)
    anna, acme = (f"/api/kg/entities/{entities[name]['id']}" for name in ("Anna Jansen", "Acme"))
    held = []

    async def holding(*given, real=editing.lock_graph):
        held.append(given)
        await real(*given)

    monkeypatch.setattr(editing, "lock_graph", holding)
    assert (await member.patch(acme, {"name": "X"})).status_code == 404
    assert (await member.post(f"{acme}/unmerge", {})).status_code == 404
    assert (await member.post(f"{acme}/merge", {"from": [entities["Anna Jansen"]["id"]]})).status_code == 404
    refused = await member.post(f"{anna}/merge", {"from": [entities["Acme"]["id"]]})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/from/0")
    assert held == []
    assert (await member.patch(anna, {"name": "Anna J."})).status_code == 200
    assert len(held) == 1


async def delete(owner, document):
    return await owner.delete(f"/api/repo-obj/{document['id']}")


async def overwrite(owner, document):
    return await owner.put(f"/api/documents/{document['id']}", {"body": "Nobody."})


async def make_private(owner, document):
    return await owner.post(f"/api/repo-obj/{document['id']}/visibility", {"visibility": "private"})


@pytest.mark.parametrize("change", [delete, overwrite, make_private])
async def test_a_change_takes_effect_on_the_next_read(scripted, learn, listed, change):
    owner, member = scripted.acme.owner, scripted.acme.member
    document = await learn(scripted, owner, "Anna Jansen sings", [ANNA])
    anna = (await listed(member))["Anna Jansen"]
    assert await found_by_search(member, "anna") == [(anna["id"], "Anna Jansen")]
    assert (await change(owner, document)).status_code in (200, 204)
    assert await listed(member) == {}
    assert await found_by_search(member, "anna") == []
    assert (await member.get(f"/api/kg/entities/{anna['id']}")).status_code == 404


async def test_a_share_and_its_end_take_effect_on_the_next_read(scripted, learn, listed):
    owner, member = scripted.acme.owner, scripted.acme.member
    document = await learn(scripted, owner, "Anna Jansen sings", [ANNA], visibility="private")
    whom = {"principal_type": "user", "principal_id": member.user_id}
    path = f"/api/repo-obj/{document['id']}"
    assert (await owner.post(f"{path}/share", {**whom, "capability": "view"})).status_code == 200
    assert [*await listed(member)] == ["Anna Jansen"]
    assert await listed(scripted.acme.colleague) == {}
    assert (await owner.post(f"{path}/unshare", whom)).status_code == 200
    assert await listed(member) == {}


async def test_a_scope_without_reading_reads_none(scripted, learn):
    member = scripted.acme.member
    await learn(scripted, member, "Anna Jansen sings", [ANNA])
    blind = await scripted.with_token(member, scope=["search", "chat:use"])
    assert (await blind.get("/api/kg/entities")).status_code == 403
    assert await found_by_search(blind, "anna") == []


@pytest.mark.every_database
async def test_a_list_across_the_company_shows_what_teams_show(scripted, learn, listed):
    other = scripted.acme.second_team
    await learn(scripted, other.member, "Anna Jansen sings", [ANNA])
    await learn(scripted, other.member, "Acme sings", [ACME], visibility="private")
    reader = scripted.acme.reader
    assert await listed(reader) == {}
    anna = (await listed(reader, "?scope=org"))["Anna Jansen"]
    items = (await seen(reader, "/api/search?q=anna&scope=org"))["items"]
    urls = [one["url"] for one in items if one["type"] == "entity"]
    assert urls == [f"/api/kg/entities/{anna['id']}?scope=org"]
    assert (await seen(reader, urls[0]))["name"] == "Anna Jansen"
    assert [*await listed(reader, "?scope=org")] == ["Anna Jansen"]
    refused = await scripted.acme.member.get("/api/kg/entities?scope=org")
    assert refused.json()["permission"] == "org:read"
    assert (await seen(scripted.globex.reader, "/api/kg/entities?scope=org"))["items"] == []


async def test_pages_tell_nothing_of_the_rest(scripted, learn):
    owner, member = scripted.acme.owner, scripted.acme.member
    for number in range(6):
        visibility = "team" if number % 2 else "private"
        await learn(scripted, owner, f"Item {number}", [(f"Item {number}", "other")], visibility=visibility)
    names, cursor = [], ""
    while cursor is not None:
        page = await seen(member, f"/api/kg/entities?limit=1{cursor and '&cursor=' + cursor}")
        assert len(page["items"]) == 1
        names += [one["name"] for one in page["items"]]
        cursor = page["next_cursor"]
    assert names == ["Item 5", "Item 3", "Item 1"]


async def test_names_are_looked_for_where_they_can_be_read(scripted, learn, listed):
    owner, member = scripted.acme.owner, scripted.acme.member
    await learn(scripted, owner, "Zeus is Anna", [("Zeus", "person"), ANNA], visibility="private")
    await learn(scripted, member, "Anna Jansen sings", [ANNA])
    ids = {name: one["id"] for name, one in (await listed(owner)).items()}
    merged = await owner.post(f"/api/kg/entities/{ids['Anna Jansen']}/merge", {"from": [ids["Zeus"]]})
    assert merged.json()["aliases"] == ["Zeus"]
    assert [*await listed(owner, "?q=zeu")] == ["Anna Jansen"]
    assert await listed(member, "?q=zeu") == {}
    assert (await listed(member))["Anna Jansen"]["aliases"] == []
    assert await found_by_search(member, "zeus") == []
    assert [*await listed(member, "?q=JANSEN&type=person")] == ["Anna Jansen"]
    assert await listed(member, "?type=place") == {}
