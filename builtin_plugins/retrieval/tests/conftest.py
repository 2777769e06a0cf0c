"""A hall with things to be asked about."""

from types import SimpleNamespace

import pytest_asyncio

from guildhall_sdk.services.search import Retrieval
from guildhall_sdk.tools import Tools


def words_of(hall):
    async def note(title, body="", client=None, **fields):
        made = await (client or hall.acme.member).post("/api/notes", {"title": title, "body": body, **fields})
        assert made.status_code == 201, made.text
        return made.json()["id"]

    async def file(key, content, client=None, **query):
        made = await (client or hall.acme.member).put(f"/api/repo/{key}", content=content, params=query)
        assert made.status_code in (200, 201), made.text
        await hall.drain_jobs()
        return made.json()

    async def passages(question, client=None, **more):
        caller = await hall.principal(client or hall.acme.member)
        return await hall.server.service(Retrieval).passages(caller, question, **more)

    async def call(name, client=None, **arguments):
        caller = await hall.principal(client or hall.acme.member)
        async with hall.server.data.read() as reader:
            admitted = await hall.server.service(Tools).admit(reader, caller, name, arguments)
        return await admitted.run()

    return SimpleNamespace(hall=hall, note=note, file=file, passages=passages, call=call)


@pytest_asyncio.fixture(loop_scope="session")
async def asking(share_hall):
    async with share_hall() as hall:
        yield words_of(hall)
