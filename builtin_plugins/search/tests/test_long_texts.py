"""A long text is taken apart before its transaction: nobody else's writes wait for it."""

import pytest

from builtin_plugins.search import indexing

pytestmark = pytest.mark.any_database

LONG = "word " * 20_000


@pytest.fixture
def inside(monkeypatch, hall):
    """How many long texts were taken apart inside a transaction."""
    found = []
    take_apart = indexing.take_apart

    def watched(findable):
        if len(findable.text) > 4_000:
            prepared = findable.prepared
            found.append(prepared is None or prepared.text != findable.text)
        return take_apart(findable)

    monkeypatch.setattr(indexing, "take_apart", watched)
    return found


async def test_what_is_long_is_prepared(hall, inside):
    owner = hall.acme.owner
    note = (await owner.post("/api/notes", {"title": "Long", "body": LONG})).json()
    assert (await owner.put(f"/api/notes/{note['id']}", {"title": "Renamed"})).status_code == 200
    assert (await owner.put(f"/api/notes/{note['id']}", {"body": LONG + "end"})).status_code == 200
    document = (await owner.post("/api/documents", {"title": "Long", "body": LONG})).json()
    assert (await owner.put(f"/api/documents/{document['id']}", {"title": "Renamed"})).status_code == 200
    assert inside == [False] * 5
    found = (await owner.get("/api/search?q=end")).json()["items"]
    assert [item["title"] for item in found] == ["Renamed"]


async def test_an_uploads_text_is_prepared(hall, inside):
    await hall.acme.owner.put("/api/repo/long.txt", content=LONG, headers={"Content-Type": "text/plain"})
    await hall.drain_jobs()
    assert inside == [False]
