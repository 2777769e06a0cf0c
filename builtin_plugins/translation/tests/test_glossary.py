"""The glossary: terms per target language, added and changed by one operation."""

import asyncio

import pytest

from builtin_plugins.translation import glossary

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PATH = "/api/glossary"


async def listed(client, **params):
    reply = await client.get(PATH, params=params)
    assert reply.status_code == 200, reply.text
    return reply.json()["items"]


async def test_a_term_is_added_and_then_changed_by_the_same_operation(hall, put_term):
    owner = hall.acme.owner
    made = await put_term(owner, "Straße", "calle", note="Public ones.")
    hall.clock.advance(seconds=5)
    changed = await put_term(owner, " STRASSE ", "vía")
    assert (changed["id"], changed["created_at"]) == (made["id"], made["created_at"])
    assert changed["updated_at"] > made["updated_at"]
    assert (changed["term"], changed["translation"], changed["note"]) == ("STRASSE", "vía", "Public ones.")
    assert (await put_term(owner, "strasse", "vía", note=None))["note"] is None
    assert await put_term(owner, "strasse", "rue", target="FR") != changed
    assert [(term["target"], term["term"]) for term in await listed(hall.acme.member)] == [
        ("fr", "strasse"),
        ("es", "strasse"),
    ]
    assert changed["by"] == {
        "id": owner.user_id,
        "name": (await owner.get("/api/whoami")).json()["user"]["display_name"],
    }


@pytest.mark.every_database
async def test_it_is_listed_by_target_page_by_page(hall, put_term):
    for number in range(3):
        await put_term(hall.acme.owner, f"term {number}", "x", target="nl-BE")
    await put_term(hall.acme.owner, "term", "x", target="nl")
    first = (await hall.acme.member.get(f"{PATH}?target=nl-be&limit=2")).json()
    rest = (await hall.acme.member.get(f"{PATH}?target=nl-BE&limit=2&cursor={first['next_cursor']}")).json()
    terms = [term["term"] for term in [*first["items"], *rest["items"]]]
    assert (terms, rest["next_cursor"]) == (["term 2", "term 1", "term 0"], None)
    assert (await hall.acme.member.get(f"{PATH}?target=no+tag")).status_code == 400


async def test_who_manages_settings_writes_and_who_chats_reads(hall):
    term = {"target": "es", "term": "order", "translation": "pedido"}
    refused = await hall.acme.member.post(PATH, term)
    assert (refused.status_code, refused.json()["permission"]) == (403, "settings:manage")
    refused = await hall.acme.viewer.get(PATH)
    assert (refused.status_code, refused.json()["permission"]) == (403, "chat:use")


async def test_another_team_neither_sees_nor_changes_it(hall, put_term):
    made = await put_term(hall.acme.owner, "order", "pedido")
    for stranger in (hall.acme.second_team.owner, hall.globex.owner):
        assert await listed(stranger) == []
        assert (await stranger.delete(f"{PATH}/{made['id']}")).status_code == 404
        await put_term(stranger, "order", "encargo")
    (own,) = await listed(hall.acme.member)
    assert (own["id"], own["translation"]) == (made["id"], "pedido")


async def test_changes_are_in_the_audit_trail_without_the_words(hall, put_term):
    made = await put_term(hall.acme.owner, "codename", "clave")
    assert (await hall.acme.owner.delete(f"{PATH}/{made['id']}")).status_code == 204
    assert (await hall.acme.owner.delete(f"{PATH}/{made['id']}")).status_code == 404
    events = (await hall.acme.owner.get("/api/audit")).json()["items"]
    found = [event for event in events if event["action"].startswith("glossary.")]
    assert [event["action"] for event in found] == ["glossary.term_deleted", "glossary.term_set"]
    assert all(event["target"] == {"type": "glossary_term", "id": made["id"]} for event in found)
    assert "codename" not in str(found)


@pytest.mark.every_database
async def test_of_many_who_add_the_same_term_at_once_one_adds_it(hall):
    bodies = [{"target": "es", "term": f"{'oO'[n % 2]}rder", "translation": f"t{n}"} for n in range(16)]
    answers = await asyncio.gather(*(hall.acme.owner.post(PATH, body) for body in bodies))
    assert {one.status_code for one in answers} == {200}
    assert len({one.json()["id"] for one in answers}) == 1
    assert len(await listed(hall.acme.owner)) == 1


@pytest.mark.every_database
async def test_terms_that_come_and_go_at_once_are_counted_right(hall, put_term, monkeypatch):
    owner = hall.acme.owner

    async def come_and_go():
        made = await put_term(owner, "order", "pedido")
        assert (await owner.delete(f"{PATH}/{made['id']}")).status_code in (204, 404)

    await asyncio.gather(*(come_and_go() for _ in range(12)))
    assert await listed(owner) == []
    monkeypatch.setattr(glossary, "MAX_TERMS", 1)
    await put_term(owner, "order", "pedido")
    refused = await owner.post(PATH, {"target": "es", "term": "other", "translation": "otro"})
    assert refused.json()["code"] == "glossary_full"


async def test_a_full_glossary_takes_changes_and_no_further_term(hall, put_term, monkeypatch):
    monkeypatch.setattr(glossary, "MAX_TERMS", 2)
    made = [await put_term(hall.acme.owner, f"term {number}", "x") for number in range(2)]
    body = {"target": "es", "term": "another", "translation": "x"}
    refused = await hall.acme.owner.post(PATH, body)
    assert (refused.status_code, refused.json()["code"]) == (409, "glossary_full")
    await put_term(hall.acme.owner, "term 1", "y")
    await hall.acme.owner.delete(f"{PATH}/{made[0]['id']}")
    await put_term(hall.acme.owner, "another", "x")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("term", ""), ("term", "   "), ("term", "\u200d"), ("term", "two\nlines"), ("term", "x" * 201)],
        *[("translation", "\t"), ("translation", "x" * 201), ("target", "english!"), ("note", "x" * 1_001)],
        *[("term", "\ufdfa" * 200), ("note", 1), ("term", "東" * 81)],
    ],
)
async def test_what_is_no_term_is_refused_by_its_field(module_hall, field, value):
    body = {"target": "es", "term": "order", "translation": "pedido", field: value}
    refused = await module_hall.acme.owner.post(PATH, body)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, f"/{field}")
    assert await listed(module_hall.acme.owner) == []
