"""The graph around an entity, likely twins, and what is left of deleted documents."""

import asyncio
import random
import threading

import pytest

from builtin_plugins.knowledge import similar
from guildhall_sdk import Statement
from guildhall_sdk.errors import BadGateway
from libs.fair_slots import TEXTS

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

NAMES = {"Anna Jansen": "person", "Acme": "organization", "Rotterdam": "place", "Hamburg": "place"}


async def seen(client, path):
    response = await client.get(path)
    assert response.status_code == 200, response.text
    return response.json()


async def test_a_neighbourhood_grows_with_its_depth(scripted, learn, listed):
    member = scripted.acme.member
    chain = [
        ("Anna Jansen", "works for", "Acme"),
        ("Acme", "is in", "Rotterdam"),
        ("Hamburg", "near", "Rotterdam"),
    ]
    await learn(scripted, member, "A text", NAMES.items(), chain)
    ids = {name: one["id"] for name, one in (await listed(member)).items()}
    path = f"/api/kg/entities/{ids['Anna Jansen']}/graph"
    sizes = []
    for depth in (1, 2, 3):
        graph = await seen(member, f"{path}?depth={depth}")
        sizes.append((len(graph["nodes"]), len(graph["edges"]), graph["hidden"]))
    assert sizes == [(2, 1, 0), (3, 2, 0), (4, 3, 0)]
    assert graph["edges"][-1] == {"source": ids["Hamburg"], "predicate": "near", "target": ids["Rotterdam"]}
    assert [one["distance"] for one in graph["nodes"]] == [0, 1, 2, 3]
    for depth in ("0", "4", "x"):
        assert (await member.get(f"{path}?depth={depth}")).status_code == 400


async def test_at_most_two_hundred_nodes_and_the_rest_counted(scripted, learn, listed):
    owner = scripted.acme.owner
    for start, visibility in ((0, "team"), (150, "team"), (300, "private")):
        others = [f"Port {number}" for number in range(start, start + 150)]
        entities = [("Acme", "organization"), *((name, "place") for name in others)]
        relations = [("Acme", "sails to", name) for name in others]
        await learn(scripted, owner, f"Ports {start}", entities, relations, visibility=visibility)
    acme = (await listed(owner, "?q=acme"))["Acme"]["id"]
    for client, hidden in ((owner, 450 - 199), (scripted.acme.viewer, 300 - 199)):
        graph = await seen(client, f"/api/kg/entities/{acme}/graph?depth=2")
        assert (len(graph["nodes"]), len(graph["edges"]), graph["hidden"]) == (200, 199, hidden)


async def test_likely_twins_come_with_their_passages(scripted, learn, listed):
    owner, member = scripted.acme.owner, scripted.acme.member
    people = ["Anna Jansen", "Anna Janssen", "A. M. Jansen", "Jansen", "Piet Jansen", "Zoë Quist"]
    await learn(scripted, member, "People", [(name, "person") for name in people])
    await learn(scripted, member, "IBM", [("IBM", "organization")])
    await learn(scripted, member, "Machines", [("International Business Machines", "organization")])
    await learn(scripted, owner, "Secret", [("Anna Jansenn", "person")], visibility="private")
    found = await listed(member)

    async def twins(name):
        items = (await seen(member, f"/api/kg/entities/{found[name]['id']}/similar"))["items"]
        return {one["name"]: one for one in items}

    of_anna = await twins("Anna Jansen")
    assert {*of_anna} == {"Anna Janssen", "Jansen"}
    assert of_anna["Anna Janssen"]["reasons"] == ["close"]
    assert of_anna["Jansen"]["reasons"] == ["contained"]
    assert of_anna["Jansen"]["mentions"][0]["snippet"] == "People"
    assert (await twins("IBM"))["International Business Machines"]["reasons"] == ["initials"]
    assert await twins("Zoë Quist") == {}


@pytest.mark.every_database
@pytest.mark.own_server
async def test_nothing_is_left_of_a_deleted_document(scripted, learn, write, answer):
    member, owner = scripted.acme.member, scripted.acme.owner
    unfinished = await write(member, "Nothing happens. " * 500)
    scripted.model.say(answer([]))
    scripted.model.fail()
    with pytest.raises(BadGateway):
        await scripted.tool("kg_extract", as_=member, object=unfinished["id"])
    assert (await owner.delete(f"/api/repo-obj/{unfinished['id']}")).status_code == 204
    document = await learn(scripted, member, "Anna works", [("Anna", "person")], [("Anna", "likes", "Anna")])
    await learn(scripted, member, "Piet works", [("Piet", "person")])
    assert (await owner.delete(f"/api/repo-obj/{document['id']}")).status_code == 204
    await scripted.drain_jobs()
    tables = ("kg_entities", "kg_mentions", "kg_relations", "kg_extractions", "kg_keys", "kg_pieces")
    counting = [f"SELECT COUNT(*) FROM {table}" for table in tables]
    async with scripted.server.data.read() as reader:
        counts = [await reader.value(Statement("count", text, text)) for text in counting]
    assert counts == [1, 1, 0, 1, 2, 0]


async def crowd(hall, learn, name_of, count):
    """Entities of long names, each with nine aliases; returns the newest of them."""
    member = hall.acme.member
    names = [(name_of(number, 0), "person") for number in range(count)]
    await learn(hall, member, "A crowd", names)
    found = (await seen(member, f"/api/kg/entities?limit={count}"))["items"]
    for number, one in enumerate(found):
        aliases = [name_of(number, alias) for alias in range(1, 10)]
        changed = await member.patch(f"/api/kg/entities/{one['id']}", {"aliases": aliases})
        assert changed.status_code == 200, changed.text
    return found[0]


def long_name(number, alias):
    """No two are close, and no length tells: all letters are the same, in other orders."""
    draw = random.Random(100 * number + alias)
    return "Zoe " + "".join(draw.choices("abc", k=190))


@pytest.mark.own_server
@pytest.mark.any_database
async def test_many_long_names_are_compared_in_short_steps(scripted, learn, thread_steps, monkeypatch):
    first = await crowd(scripted, learn, long_name, 60)
    thread_steps.clear()
    answer = await seen(scripted.acme.member, f"/api/kg/entities/{first['id']}/similar")
    assert len(thread_steps) > 50
    assert max(thread_steps) < 0.05
    assert answer["partial"] is False
    monkeypatch.setattr(similar, "_PER_KEY", 40)
    answer = await seen(scripted.acme.member, f"/api/kg/entities/{first['id']}/similar")
    assert answer["partial"] is True


@pytest.mark.every_database
@pytest.mark.own_server
async def test_nobody_is_compared_for_a_caller_who_left(scripted, learn, listed, monkeypatch):
    compared, go_on, gone, twins = [], threading.Event(), asyncio.Event(), similar.twins

    class Slow(similar._Comparison):
        def reasons(self, others):
            compared.append(others)
            go_on.wait()
            return super().reasons(others)

    async def watched(found, org_id):
        try:
            return await twins(found, org_id)
        except asyncio.CancelledError:
            gone.set()
            raise

    member = scripted.acme.member
    await learn(scripted, member, "People", [(f"Anna Jansen {number}", "person") for number in range(9)])
    first = next(iter((await listed(member)).values()))
    monkeypatch.setattr(similar, "_Comparison", Slow)
    monkeypatch.setattr(similar, "twins", watched)
    asked = asyncio.create_task(member.get(f"/api/kg/entities/{first['id']}/similar"))
    try:
        async with asyncio.timeout(60):
            while not compared:
                await scripted.anonymous.get("/health")
            asked.cancel()
            await gone.wait()
    finally:
        go_on.set()
    await TEXTS.run(scripted.acme.org_id, int)  # behind whatever the company still waits for
    assert len(compared) == 1
