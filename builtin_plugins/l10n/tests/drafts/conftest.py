"""A language with messages that nobody has translated, and somebody who asks for drafts."""

import json
from contextlib import asynccontextmanager

import pytest

from builtin_plugins.l10n.tests.emptying import empty
from guildhall_sdk import Statement

PATH = "/api/l10n/draft"
_OPEN = "INSERT INTO l10n_locales (code, opened_at) VALUES (:locale, 1) ON CONFLICT (code) DO NOTHING"
_ADD = """
INSERT INTO l10n_messages (id, locale, key, ns, status, version, created_at, updated_at, source)
VALUES (:id, :locale, :key, 'x', 'missing', 1, 1, 1, :source)
"""
_ALL = "SELECT * FROM l10n_messages WHERE locale = :locale ORDER BY key"


@pytest.fixture
async def modelled(share_hall):
    """A hall whose own model is scripted."""
    async with share_hall(with_model=True) as opened:
        await empty(opened)
        yield opened


@pytest.fixture
async def hall(hall):
    await empty(hall)
    return hall


@pytest.fixture
def add_messages():
    """`await add_messages(hall, "es", {"x.hi": "Hi {name}"})`: messages that are missing."""

    async def add_messages(hall, locale, sources):
        async with hall.server.data.write() as writer:
            await writer.run(Statement("open", _OPEN, _OPEN), locale=locale)
            for key, source in sources.items():
                found = {"id": f"msg_{locale}_{key}", "locale": locale, "key": key, "source": source}
                await writer.run(Statement("add", _ADD, _ADD), **found)

    return add_messages


@pytest.fixture
def messages():
    """`await messages(hall)`: the Spanish rows by key."""

    async def messages(hall, locale="es"):
        async with hall.server.data.read() as reader:
            rows = await reader.all(Statement("all", _ALL, _ALL), locale=locale)
        return {row["key"]: row for row in rows}

    return messages


@pytest.fixture
def change():
    """`await change(hall, "UPDATE …")`: what somebody else does meanwhile."""

    async def change(hall, text, **binds):
        async with hall.server.data.write() as writer:
            await writer.run(Statement("change", text, text), **binds)

    return change


@pytest.fixture
def say():
    """`say(hall, {"x.hi": "Hola {name}"})` scripts what the model makes of the texts that it is sent."""

    def say(hall, answers):
        hall.model.say(json.dumps({"messages": answers}))

    return say


@pytest.fixture
def draft():
    """`await draft(hall, client)`: asks for Spanish drafts, and lets them be made."""

    async def draft(hall, client, locale="es"):
        reply = await client.post(PATH, {"locale": locale})
        assert reply.status_code == 202, reply.text
        await hall.drain_jobs()
        return reply.json()

    return draft


@pytest.fixture
def limit():
    """`await limit(hall, "ai.requests", 0, "day")` for Acme; None lifts it."""

    async def limit(hall, dimension, amount, window="none"):
        body = {"dimension": dimension, "limit": amount, "window": window}
        reply = await hall.operator.post(f"/api/orgs/{hall.acme.org_id}/quota", body)
        assert reply.status_code == 200, reply.text

    return limit


@pytest.fixture
def queue(limit):
    """`async with queue(hall, client):` asks for Spanish drafts, which wait until the block ends."""

    @asynccontextmanager
    async def queue(hall, client):
        await limit(hall, "jobs.concurrency", 0)
        assert (await client.post(PATH, {"locale": "es"})).status_code == 202
        yield
        await limit(hall, "jobs.concurrency", 8)
        await hall.drain_jobs()

    return queue
