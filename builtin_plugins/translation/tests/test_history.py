"""The history: the team's translations, and the texts of those that one asked for oneself."""

import pytest

from builtin_plugins.translation import history

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PATH = "/api/translate"


async def translate(client, text, target="es"):
    return (await client.post(PATH, {"text": text, "target": target})).json()


async def listed(client, **params):
    reply = await client.get(PATH, params=params)
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.mark.every_database
async def test_it_lists_the_newest_first_page_by_page(hall):
    made = [await translate(hall.acme.member, f"text {number}") for number in range(5)]
    page = await listed(hall.acme.member, limit=3)
    await translate(hall.acme.member, "meanwhile")
    rest = await listed(hall.acme.member, limit=3, cursor=page["next_cursor"])
    items = [*page["items"], *rest["items"]]
    assert [item["id"] for item in items] == [one["id"] for one in reversed(made)]
    assert rest["next_cursor"] is None
    assert (items[0]["source_text"], items[0]["text"], items[0]["untranslated"]) == ("text 4", "text 4", True)


async def test_the_texts_of_others_are_not_shown(hall, put_term):
    await put_term(hall.acme.owner, "secret", "secreto")
    made = await translate(hall.acme.member, "a secret plan")
    (item,) = (await listed(hall.acme.owner))["items"]
    assert (item["id"], item["target"]) == (made["id"], "es")
    assert [item[name] for name in ("text", "source_text", "glossary", "missed")] == [None] * 4
    (own,) = (await listed(hall.acme.member))["items"]
    assert (own["text"], own["glossary"]) == ("a secreto plan", made["glossary"])


async def test_a_credential_with_a_scope_reads_only_the_texts_that_it_sent_itself(hall):
    """What was translated once, a document say, may be what its scope keeps from it."""
    scoped = await hall.with_token(hall.acme.member, scope=["chat:use"])
    await translate(hall.acme.member, "of the session")
    await translate(scoped, "of the token")
    texts = [item["source_text"] for item in (await listed(scoped))["items"]]
    assert texts == ["of the token", None]
    texts = [item["source_text"] for item in (await listed(hall.acme.member))["items"]]
    assert texts == ["of the token", "of the session"]


async def test_other_teams_have_histories_of_their_own(hall):
    await translate(hall.acme.member, "ours")
    assert (await listed(hall.acme.second_team.member))["items"] == []
    assert (await listed(hall.globex.member))["items"] == []


async def test_one_deletes_what_one_asked_for_and_nothing_else(hall):
    made = await translate(hall.acme.member, "text")
    assert (await hall.acme.owner.delete(f"{PATH}/{made['id']}")).status_code == 404
    scoped = await hall.with_token(hall.acme.member, scope=["chat:use"])
    assert (await scoped.delete(f"{PATH}/{made['id']}")).status_code == 404
    assert (await hall.acme.member.delete(f"{PATH}/{made['id']}")).status_code == 204
    assert (await listed(hall.acme.member))["items"] == []


async def test_a_page_of_long_texts_ends_early_and_the_cursor_leads_on(hall, monkeypatch):
    monkeypatch.setattr(history, "MAX_BYTES_PER_PAGE", 25)
    for number in range(4):
        await translate(hall.acme.member, f"text {number} long")
    page = await listed(hall.acme.member)
    assert len(page["items"]) == 2
    rest = await listed(hall.acme.member, cursor=page["next_cursor"])
    texts = [item["source_text"] for item in [*page["items"], *rest["items"]]]
    assert texts == [f"text {number} long" for number in (3, 2, 1, 0)]
    assert len((await listed(hall.acme.owner))["items"]) == 4


async def test_the_oldest_of_a_person_go_when_there_are_many(hall, monkeypatch):
    monkeypatch.setattr(history, "MAX_HISTORY", 3)
    await translate(hall.acme.owner, "the owner's")
    for number in range(5):
        await translate(hall.acme.member, f"text {number}")
    items = (await listed(hall.acme.member))["items"]
    assert [item["source_text"] for item in items] == ["text 4", "text 3", "text 2", None]
    monkeypatch.setattr(history, "MAX_HISTORY_BYTES", 30)
    await translate(hall.acme.member, "text 5")
    items = (await listed(hall.acme.member))["items"]
    assert [item["source_text"] for item in items] == ["text 5", "text 4", None]
