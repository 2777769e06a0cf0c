"""A hall with the document tools, and the few words that their tests use."""

from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import quote

import pytest
import pytest_asyncio

from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture
from guildhall_sdk.jobs import running_job


@pytest_asyncio.fixture(loop_scope="session")
async def hall(share_hall):
    async with share_hall() as opened:
        yield opened
        await opened.drain_jobs()


@pytest_asyncio.fixture(loop_scope="session")
async def model_hall(share_hall):
    """A hall whose model says what the test wants."""
    async with share_hall(with_model=True) as opened:
        yield opened
        await opened.drain_jobs()


@pytest.fixture
def within_run():
    """`with within_run("run_1"):` a tool that is called there is a step of this run."""

    @contextmanager
    def within_run(run_id):
        token = running_job.set(replace(running_job.get(), run_id=run_id))
        yield
        running_job.reset(token)

    return within_run


@pytest.fixture
def upload():
    """`await upload(client, "a/b.txt", b"…", visibility="private")`: the object, as the answer shows it."""

    async def upload(client, key, content=b"Invoice: INV-7\nTotal: 12.50\n", **query):
        response = await client.put(f"/api/repo/{quote(key)}", content=content, params=query)
        assert response.status_code in (200, 201), response.text
        return response.json()

    return upload


@pytest.fixture
def content():
    """The text that a client reads of an object, or the status that it gets instead."""

    async def content(client, object_id, **query):
        response = await client.get(f"/api/repo-obj/{object_id}/content", params=query)
        return response.text if response.status_code == 200 else response.status_code

    return content


@pytest.fixture
def listed():
    """The keys of all that a client sees."""

    async def listed(client):
        return [item["key"] for item in (await client.get("/api/repo")).json()["items"]]

    return listed
