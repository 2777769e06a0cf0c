"""A hall with the repository, and the few words that its tests use."""

import asyncio
from contextlib import asynccontextmanager
from urllib.parse import quote

import pytest
import pytest_asyncio

from builtin_plugins.backup.blobs import inline_blobs
from builtin_plugins.repo import small_blobs
from builtin_plugins.repo.blob_lifecycle import REFERENCES
from builtin_plugins.repo.tests.sending import Sending
from guildhall_sdk import Statement
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.repository import Repository
from guildhall_testing.raw import request_bytes

LOSE = Statement("lose", *["DELETE FROM small_blobs WHERE org_id = :org_id AND sha256 = :sha256"] * 2)


@pytest_asyncio.fixture(loop_scope="session")
async def hall(hall):
    yield hall
    await hall.drain_jobs()
    await hall.server.service(Repository).blobs.settled()


@pytest.fixture
def repository(hall):
    return hall.server.service(Repository)


@pytest.fixture
def upload():
    """`await upload(client, "a/b.txt", b"…", visibility="private")`: the object, as the answer shows it."""

    async def upload(client, key, content=b"bytes", *, headers=None, expect=(200, 201), **query):
        response = await client.put(
            f"/api/repo/{quote(key)}", content=content, params=query, headers=headers or {}
        )
        assert response.status_code in expect, response.text
        return response.json()

    return upload


@pytest.fixture
def content():
    """The bytes that a client reads, or the status that it gets instead."""

    async def content(client, found, **query):
        response = await client.get(f"/api/repo-obj/{found['id']}/content", params=query)
        return response.content if response.status_code == 200 else response.status_code

    return content


@pytest.fixture
def share():
    async def share(client, found, capability="view", *, user=None, team=None, expect=200, **more):
        holder = {"principal_type": "user", "principal_id": user.user_id} if user else {}
        holder = {"principal_type": "team", "principal_id": team} if team else holder
        body = {**holder, "capability": capability, **more}
        response = await client.post(f"/api/repo-obj/{found['id']}/share", body)
        assert response.status_code == expect, response.text
        return response.json()

    return share


@pytest.fixture
def listed():
    """The keys on the first page."""

    async def listed(client, **query):
        response = await client.get("/api/repo", params=query)
        assert response.status_code == 200, response.text
        return [item["key"] for item in response.json()["items"]]

    return listed


@pytest.fixture
def used_bytes():
    """What the team's storage counts."""

    async def used_bytes(client):
        items = (await client.get("/api/usage")).json()["items"]
        return next(
            item["used"] for item in items if item["dimension"] == "storage.bytes" and item["level"] == "team"
        )

    return used_bytes


@pytest.fixture
def kept(hall):
    """The digests whose bytes are there for a company, in either place, once every release is done."""

    async def kept(company):
        await hall.server.service(Repository).blobs.settled()
        inline = {
            blob.sha256
            async for blob in inline_blobs(hall.server.data.read, [REFERENCES])
            if blob.namespace == company.org_id
        }
        return inline | {blob.sha256 async for blob in hall.server.service(BlobStore).list(company.org_id)}

    return kept


@pytest.fixture
def lose(hall):
    """Takes bytes away behind the repository's back, wherever they are."""

    async def lose(company, sha256):
        await hall.server.service(BlobStore).delete(company.org_id, sha256)
        async with hall.server.data.write() as writer:
            await writer.run(LOSE, org_id=company.org_id, sha256=sha256)

    return lose


@pytest.fixture
def as_files(monkeypatch):
    """What is written from now on goes to the blob store, however small: as it did in earlier versions."""
    with monkeypatch.context() as patch:
        patch.setattr(small_blobs, "MAX_BYTES", -1)
        yield patch.undo


@pytest.fixture
def principal(hall):
    """The caller behind a client, as services are told of them: `await principal(client)`."""
    return hall.principal


@pytest.fixture
def sending(hall):
    """`async with sending(client, "key", length=…) as upload`: the head is sent, the body is the test's."""

    @asynccontextmanager
    async def sending(client, key, length=None, **headers):
        framing = {"Transfer-Encoding": "chunked"} if length is None else {"Content-Length": str(length)}
        host, _, port = hall.base_url.removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            head = request_bytes("PUT", f"/api/repo/{key}", token=client.token, headers=framing | headers)
            writer.write(head)
            await writer.drain()
            yield Sending(reader, writer)
        finally:
            writer.close()

    return sending


@pytest.fixture
def limit(hall):
    """Of the team, or of its company."""

    async def limit(amount, company=False):
        level, subject = ("org", hall.acme.org_id) if company else ("team", hall.acme.team_id)
        async with hall.server.data.write() as writer:
            await hall.server.service(Quotas).set_limit(
                writer, level, subject, "storage.bytes", "none", amount
            )

    return limit


@pytest.fixture
def until(hall, used_bytes):
    """`await until(lambda used: used > 0)`: asks the usage over and over until that holds."""

    async def until(holds):
        async with asyncio.timeout(60):
            while not holds(await used_bytes(hall.acme.member)):
                pass

    return until


@pytest.fixture
def staged(hall):
    """The bytes on the disk that belong to no version yet."""
    incoming = hall.server.settings.data / "blobs" / ".incoming"

    def staged():
        total = 0
        for path in incoming.iterdir():
            try:
                total += path.stat().st_size
            except FileNotFoundError:
                continue
        return total

    return staged
