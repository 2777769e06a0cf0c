"""A hall with the repository, and the few words that its tests use."""

from dataclasses import replace
from importlib.metadata import entry_points
from urllib.parse import quote

import pytest
import pytest_asyncio

from builtin_plugins import repo, search
from guildhall_sdk import BlobStore
from guildhall_sdk.services import Repository
from kernel import boot
from kernel.identity.authenticate import principal_for
from kernel.plugins.discovery import given


@pytest.fixture(scope="session")
def repo_plugins():
    """Those of ours that are not installed as plugins."""
    installed = {entry.value for entry in entry_points(group="guildhall.plugins")}
    return [plugin for plugin in (search, repo) if plugin.__name__ not in installed]


@pytest.fixture
def shipped(monkeypatch):
    """Given plugins count as shipped with the server: a kind of job of theirs needs no x. before its name."""
    monkeypatch.setattr(boot, "given", lambda module: replace(given(module), source="builtin"))


@pytest_asyncio.fixture(loop_scope="session")
async def hall(open_hall, repo_plugins, shipped):
    async with open_hall(*repo_plugins) as opened:
        yield opened
        await opened.drain_jobs()
        await opened.server.service(Repository).kept.settled()


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
    """The digests that the store keeps for a company, once every release is done."""

    async def kept(company):
        await hall.server.service(Repository).kept.settled()
        return {blob.sha256 async for blob in hall.server.service(BlobStore).list(company.org_id)}

    return kept


@pytest.fixture
def principal(hall):
    """The caller behind a client, as services are told of them."""

    async def principal(client):
        async with hall.server.data.read() as reader:
            return await principal_for(reader, client.token, hall.clock.now_ms())

    return principal
