"""Notes, as their tests make and read them."""

import pytest


@pytest.fixture
def write_note():
    """`await write_note(client, visibility="team")`: a new note, as the answer shows it."""

    async def write(client, **fields):
        response = await client.post("/api/notes", {"title": "A note", **fields})
        assert response.status_code == 201, response.text
        return response.json()

    return write


@pytest.fixture
def share():
    async def share(client, note, person, permission="notes:read"):
        body = {"user_id": person.user_id, "permission": permission}
        response = await client.post(f"/api/notes/{note['id']}/share", body)
        assert response.status_code == 200, response.text
        return response.json()

    return share


@pytest.fixture
def listed():
    """The ids on the first page."""

    async def listed(client, query=""):
        response = await client.get(f"/api/notes{query}")
        assert response.status_code == 200, response.text
        return [note["id"] for note in response.json()["items"]]

    return listed
