"""The most connected entities: in lists and to be drawn, as far as the caller reads, after every change."""

import pytest

pytestmark = [pytest.mark.shared_server, pytest.mark.every_database]

PEOPLE = ["Anna", "Bela", "Cleo"]


async def graph(client, query=""):
    response = await client.get(f"/api/kg/graph{query}")
    assert response.status_code == 200, response.text
    found = response.json()
    names = {node["id"]: node["name"] for node in found["nodes"]}
    edges = {(names[edge["source"]], edge["predicate"], names[edge["target"]]) for edge in found["edges"]}
    return {node["name"]: node["related"] for node in found["nodes"]}, edges, found["more"]


async def in_order(client, query=""):
    """Every page of the list that begins with the most connected."""
    items, cursor = [], ""
    while cursor is not None:
        page = await client.call("GET", f"/api/kg/entities?order=connected&limit=2{query}{cursor}")
        assert page[0] == 200, page
        items += page[1]["items"]
        cursor = page[1]["next_cursor"] and f"&cursor={page[1]['next_cursor']}"
    return [(one["name"], one["related"]) for one in items]


async def test_the_most_connected_come_first_within_what_one_reads(scripted, learn, listed):
    owner, member = scripted.acme.owner, scripted.acme.member
    works = [(name, "works for", "Harbour") for name in PEOPLE]
    known = [("Harbour", "organization"), *((name, "person") for name in PEOPLE)]
    await learn(scripted, member, "Who works", known, [*works, ("Anna", "knows", "Bela")])
    dated = [("Anna", "person"), ("2030-01-01", "date")]
    await learn(scripted, member, "When", dated, [("Anna", "came on", "2030-01-01")])
    rivals = [f"Rival {number}" for number in range(5)]
    secret = await learn(
        scripted,
        owner,
        "Secret",
        [("Cleo", "person"), *((name, "organization") for name in rivals)],
        [("Cleo", "met", name) for name in rivals],
        visibility="private",
    )
    # The figures are those of what one reads, and what nobody shows is not there.
    shown, edges, more = await graph(member)
    assert shown == {"Harbour": 3, "Anna": 3, "Bela": 2, "Cleo": 1, "2030-01-01": 1}
    assert ("Anna", "knows", "Bela") in edges and len(edges) == 5 and not more
    assert (await graph(owner))[0]["Cleo"] == 6
    shown, edges, more = await graph(member, "?types=person,organization&limit=2")
    assert ({*shown} == {"Harbour", "Anna"} and len(edges), more) == (1, True)
    assert (await graph(scripted.globex.member))[0] == {}
    assert (await member.get("/api/kg/graph?types=person,ship")).status_code == 400

    everybody = await in_order(member)
    assert [*dict(everybody)][-2:] in (["Bela", "2030-01-01"], ["Cleo", "2030-01-01"])
    assert {name for name, _ in await in_order(member, "&types=person")} == {*PEOPLE}
    assert (await member.get("/api/kg/entities?order=connected&cursor=bm9uc2Vuc2U")).status_code == 400

    # What is merged counts as one, taken apart as two, and what is deleted no more.
    ids = {name: one["id"] for name, one in (await listed(member)).items()}
    path = f"/api/kg/entities/{ids['Bela']}"
    assert (await member.post(f"{path}/merge", {"from": [ids["Anna"]]})).status_code == 200
    assert dict(await in_order(member, "&type=person")) == {"Bela": 2, "Cleo": 1}
    assert (await member.post(f"{path}/unmerge", {})).status_code == 200
    assert (await owner.delete(f"/api/repo-obj/{secret['id']}")).status_code == 204
    await scripted.drain_jobs()
    assert [name for name, _ in await in_order(owner, "&types=person")] == ["Anna", "Bela", "Cleo"]
