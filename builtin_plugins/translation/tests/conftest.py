"""Halls with and without a model, and people who manage a glossary."""

import json

import pytest

from guildhall_testing.hall import open_hall as open_a_hall


@pytest.fixture(scope="module")
async def refusing(hall_sites, hall_watch, hall_database):
    """A hall with a scripted model for those tests of a module that come to none."""
    async with open_a_hall(hall_sites, hall_database, hall_watch, with_model=True) as opened:
        yield opened


@pytest.fixture
async def modelled(share_hall):
    """A hall whose own model is scripted."""
    async with share_hall(with_model=True) as opened:
        yield opened


@pytest.fixture
def answer(modelled):
    """`answer("Hola")` scripts a translated text; `answer(a="Hola")` the messages of a catalog."""

    def answer(text=None, **messages):
        modelled.model.say(json.dumps({"messages": messages} if text is None else {"text": text}))

    return answer


@pytest.fixture
def put_term():
    """`await put_term(hall.acme.owner, "order", "pedido")`: a term for Spanish, unless `target` says else."""

    async def put_term(client, term, translation, target="es", **more):
        body = {"target": target, "term": term, "translation": translation, **more}
        reply = await client.post("/api/glossary", body)
        assert reply.status_code == 200, reply.text
        return reply.json()

    return put_term


@pytest.fixture
def sent(modelled):
    """`sent()`: what the model was sent in its last call, as the data that the user's message holds."""

    def sent(number=-1):
        return json.loads(modelled.model.calls[number].body["messages"][1]["content"])

    return sent


@pytest.fixture
def used():
    """`await used(client)`: requests, tokens and turns under way, of the team."""

    async def used(client):
        items = (await client.get("/api/usage")).json()["items"]
        found = {item["dimension"]: item["used"] for item in items if item["level"] == "team"}
        return tuple(found[name] for name in ("ai.requests", "ai.tokens.total", "ai.concurrency"))

    return used


@pytest.fixture
def on_call(modelled):
    """`on_call(act)` acts as soon as the model is called."""

    def on_call(act):
        class Calls(list):
            def append(self, call):
                super().append(call)
                act()

        modelled.model.calls = Calls(modelled.model.calls)

    return on_call
