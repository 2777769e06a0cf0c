"""Documents, and what the graph knows of them."""

import json

import pytest


@pytest.fixture
def write():
    """`await write(client, "Anna works for Acme.")`: a text document of the team, as the answer shows it."""

    async def write(client, body, *, title="A document", visibility="team"):
        fields = {"title": title, "body": body, "visibility": visibility}
        response = await client.post("/api/documents", fields)
        assert response.status_code == 201, response.text
        return response.json()

    return write


@pytest.fixture
def listed():
    """The entities on the first page, by name."""

    async def listed(client, query=""):
        response = await client.get(f"/api/kg/entities{query}")
        assert response.status_code == 200, response.text
        return {one["name"]: one for one in response.json()["items"]}

    return listed


@pytest.fixture
def answer():
    """What a model says: `answer([("Anna", "person", "Anna sings.")])`."""

    def answer(entities, relations=()):
        return json.dumps(
            {
                "entities": [dict(zip(("name", "type", "quote"), one, strict=True)) for one in entities],
                "relations": [
                    dict(zip(("subject", "predicate", "object", "quote"), one, strict=True))
                    for one in relations
                ],
            }
        )

    return answer


@pytest.fixture
def learn(write, answer):
    """`await learn(hall, client, text, entities)`: a new document, extracted as the model says."""

    async def learn(hall, client, body, entities, relations=(), **fields):
        document = await write(client, body, **fields)
        hall.model.say(answer([(*one, body) for one in entities], [(*one, body) for one in relations]))
        await hall.tool("kg_extract", as_=client, object=document["id"])
        return document

    return learn


@pytest.fixture
async def scripted(share_hall):
    """A hall whose model says what the test wants."""
    async with share_hall(with_model=True) as hall:
        yield hall
