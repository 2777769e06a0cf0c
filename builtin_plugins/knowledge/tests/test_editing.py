"""Renaming, merging and undoing."""

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ANNA, ANNIE, ACME = ("Anna Jansen", "person"), ("Annie", "person"), ("Acme", "organization")


async def change(client, entity_id, **fields):
    response = await client.patch(f"/api/kg/entities/{entity_id}", fields)
    assert response.status_code == 200, response.text
    return response.json()


async def ids_of(listed, client):
    return {name: one["id"] for name, one in (await listed(client)).items()}


@pytest.mark.every_database
async def test_a_given_name_stays_through_extractions_and_shows_to_all(scripted, learn, listed):
    member = scripted.acme.member
    document = await learn(scripted, member, "Acme sails", [ACME])
    acme = (await ids_of(listed, member))["Acme"]
    done = await change(member, acme, name=" Acme\n Group ", type="other", aliases=["AG", "AG"])
    assert (done["name"], done["type"], done["aliases"]) == ("Acme Group", "other", ["AG", "Acme"])
    hits = (await scripted.acme.viewer.get("/api/search?q=group&type=entity")).json()["items"]
    assert [(one["id"], one["title"]) for one in hits] == [(acme, "Acme Group")]
    await member.put(f"/api/documents/{document['id']}", {"body": "Nobody sails"})
    assert await listed(member) == {}
    await learn(scripted, member, "acme. sails, and AG too", [("acme.", "organization"), ("AG", "other")])
    found = await listed(member)
    assert [one["id"] for one in found.values()] == [acme]
    assert found["Acme Group"]["aliases"] == ["AG", "acme."]
    assert [*await listed(member, "?q=group")] == ["Acme Group"]


@pytest.mark.every_database
async def test_merging_is_undone_also_after_later_extractions(scripted, learn, listed):
    member = scripted.acme.member
    await learn(scripted, member, "Anna Jansen sails", [ANNA])
    await learn(scripted, member, "Annie of Acme", [ANNIE, ACME], [("Annie", "is of", "Acme")])
    ids = await ids_of(listed, member)
    path = f"/api/kg/entities/{ids['Anna Jansen']}"
    done = (await member.post(f"{path}/merge", {"from": [ids["Annie"]]})).json()
    assert (done["name"], done["aliases"]) == ("Anna Jansen", ["Annie"])
    assert [one["entity"]["name"] for one in done["relations"]] == ["Acme"]
    assert [one["id"] for one in done["merged"]] == [ids["Annie"]]
    assert {*await listed(member)} == {"Anna Jansen", "Acme"}
    # The id of what was merged still leads there.
    assert (await member.get(f"/api/kg/entities/{ids['Annie']}")).json()["id"] == ids["Anna Jansen"]
    again = await member.post(f"{path}/merge", {"from": [ids["Annie"]]})
    assert again.json()["errors"][0]["pointer"] == "/from"
    await learn(scripted, member, "Annie sings", [ANNIE])
    assert {*await listed(member)} == {"Anna Jansen", "Acme"}
    undone = (await member.post(f"{path}/unmerge", {})).json()
    assert (undone["aliases"], undone["merged"]) == ([], [])
    annie = (await listed(member))["Annie"]
    assert (annie["id"], len(annie["mentions"])) == (ids["Annie"], 2)
    nothing = await member.post(f"{path}/unmerge", {})
    assert (nothing.status_code, nothing.json()["code"]) == (409, "not_merged")


@pytest.mark.every_database
async def test_a_chain_of_merges_is_undone_one_by_one(scripted, learn, listed):
    member = scripted.acme.member
    await learn(scripted, member, "A, B and C", [("A", "person"), ("B", "person"), ("C", "person")])
    ids = await ids_of(listed, member)
    for into, merged in (("B", "C"), ("A", "B")):
        path = f"/api/kg/entities/{ids[into]}/merge"
        assert (await member.post(path, {"from": [ids[merged]]})).status_code == 200
    assert [*await listed(member)] == ["A"]
    await member.post(f"/api/kg/entities/{ids['A']}/unmerge", {"from": [ids["B"]]})
    found = await listed(member)
    assert ({*found}, found["B"]["aliases"]) == ({"A", "B"}, ["C"])
    await member.post(f"/api/kg/entities/{ids['B']}/unmerge", {})
    assert {*await listed(member)} == {"A", "B", "C"}


async def test_after_thirty_days_a_merge_stays(scripted, learn, listed):
    member = scripted.acme.member
    await learn(scripted, member, "Anna Jansen is Annie", [ANNA, ANNIE])
    ids = await ids_of(listed, member)
    path = f"/api/kg/entities/{ids['Anna Jansen']}"
    assert (await member.post(f"{path}/merge", {"from": [ids["Annie"]]})).status_code == 200
    scripted.clock.advance(days=31)
    assert (await member.post(f"{path}/unmerge", {})).json()["code"] == "not_merged"


async def test_nobody_merges_or_takes_apart_what_they_cannot_see(scripted, learn, listed):
    owner, member = scripted.acme.owner, scripted.acme.member
    await learn(scripted, owner, "Annie sings", [ANNIE], visibility="private")
    await learn(scripted, owner, "Anna Jansen sings", [ANNA])
    ids = await ids_of(listed, owner)
    path = f"/api/kg/entities/{ids['Anna Jansen']}"
    refused = await member.post(f"{path}/merge", {"from": [ids["Annie"]]})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/from/0")
    assert (await owner.post(f"{path}/merge", {"from": [ids["Annie"]]})).status_code == 200
    assert (await member.get(path)).json()["merged"] == []
    assert (await member.post(f"{path}/unmerge", {})).json()["code"] == "not_merged"
    assert (await owner.post(f"{path}/unmerge", {})).status_code == 200


async def test_changes_are_audited_by_id_and_wanted_of_who_may_write(scripted, learn, listed):
    member = scripted.acme.member
    await learn(scripted, member, "Anna Jansen is Annie", [ANNA, ANNIE])
    ids = await ids_of(listed, member)
    path = f"/api/kg/entities/{ids['Anna Jansen']}"
    assert (await scripted.acme.viewer.patch(path, {"name": "X"})).json()["permission"] == "files:write"
    await change(member, ids["Anna Jansen"], name="Johanna")
    await member.post(f"{path}/merge", {"from": [ids["Annie"]]})
    await member.post(f"{path}/unmerge", {})
    events = (await scripted.acme.admin.get("/api/audit")).json()["items"]
    ours = [one for one in events if one["action"].startswith("entity.")]
    assert [one["action"] for one in ours] == ["entity.unmerged", "entity.merged", "entity.renamed"]
    assert all(one["target"] == {"type": "entity", "id": ids["Anna Jansen"]} for one in ours)
    assert "Johanna" not in str(ours)
    for body in ({"name": ""}, {"name": "\t"}, {"type": "wizard"}, {"aliases": ["a" * 300]}, {"colour": 1}):
        assert (await member.patch(path, body)).status_code == 400
