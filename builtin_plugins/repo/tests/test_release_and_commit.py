"""A release and a delete of the same bytes, in the one order that once lost what a writer had staged.

A release finds the bytes referred to and is about to drop the request for it. A delete under way has just
made that request anew, and takes the last reference away. The release then drops what the delete asked for,
and the delete's own release comes to bytes that nobody asked to be released.

All of this is about the blob store: what lies in the database goes in the very transaction of the delete.
"""

import asyncio
import os
from contextlib import contextmanager

import pytest

from builtin_plugins.repo import blob_lifecycle as kept_module
from builtin_plugins.repo import small_blobs
from builtin_plugins.repo.blob_lifecycle import sql
from guildhall_sdk import Actor, NotFound, Statement, Unavailable
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.services.stored_objects import NewVersion

pytestmark = pytest.mark.shared_server

ACTOR = Actor("a test")
SIZES = pytest.mark.parametrize("size", [small_blobs.MAX_BYTES + 1, kept_module.MAX_COPY_BYTES + 1])
WAITERS = Statement(
    "waiters",
    *[
        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock' AND wait_event = 'transactionid'"
    ]
    * 2,
)


async def one_chunk(content):
    yield content


@pytest.fixture
def begins_nothing(repository, monkeypatch):
    """`with begins_nothing():` the process is as good as dead once a delete has committed."""

    @contextmanager
    def begins_nothing():
        with monkeypatch.context() as patch:
            patch.setattr(repository.blobs, "_begin", lambda org_id, digests: None)
            yield

    return begins_nothing


async def until_one_waits(hall):
    """Until PostgreSQL says that somebody waits for a row that another transaction has changed."""
    async with asyncio.timeout(60):
        while True:
            async with hall.server.data.read() as reader:
                if await reader.value(WAITERS):
                    return


async def assert_staged_bytes_are_safe(hall, repository, who, staged, body):
    """Whoever staged them either gets them, or is told to send them again; never a version without bytes."""
    try:
        async with hall.server.data.write(ACTOR, within=who.org_id) as writer:
            version = await repository.put(writer, who, who.team_id, "new", staged, NewVersion())
    except Unavailable:
        assert len(body) > kept_module.MAX_COPY_BYTES
        async with hall.server.data.read() as reader:
            with pytest.raises(NotFound):
                await repository.at_key(reader, who, who.team_id, "new")
        return
    assert b"".join([chunk async for chunk in repository.open(version)]) == body


async def bytes_and_mark(hall, staged):
    """How many bytes are kept, and the row that tells a writer of their going."""
    kept = await hall.server.service(BlobStore).stat(staged.org_id, staged.sha256)
    async with hall.server.data.read() as reader:
        return kept, await reader.one(sql.released, org_id=staged.org_id, sha256=staged.sha256)


@SIZES
async def test_a_release_that_drops_the_request_of_a_delete_under_way(
    hall, upload, repository, principal, begins_nothing, size
):
    await repository.blobs.settled()  # what the start itself had to look after
    author, who, body = hall.acme.member, await principal(hall.acme.member), os.urandom(size)
    first, last = [await upload(author, key, body) for key in ("first", "last")]
    staged = await repository.stage(author.org_id, author.team_id, one_chunk(body))
    with begins_nothing():
        await author.delete(f"/api/repo-obj/{first['id']}")
    requested = asyncio.Event()

    async def release():
        await requested.wait()
        await repository.blobs.finish_releases()

    releasing = asyncio.create_task(release())
    async with hall.server.data.write(ACTOR) as deleting:
        await repository.delete(deleting, who, last["id"])
        requested.set()
        if hall.database == "postgresql":
            await until_one_waits(hall)  # it saw the last version, and waits for the row of its request
        else:
            await asyncio.sleep(0)  # the one writer is the delete's: the release begins when that is done
    await releasing
    await repository.blobs.settled()
    kept, mark = await bytes_and_mark(hall, staged)
    assert kept is None
    assert mark is not None, "the bytes are gone, and nothing tells whoever staged them before"
    assert mark["deleted_at"] is not None
    await assert_staged_bytes_are_safe(hall, repository, who, staged, body)


@SIZES
async def test_a_request_that_is_gone_when_its_release_comes(
    hall, upload, repository, principal, begins_nothing, size
):
    """The same end on any database, without the race that leads to it."""
    author, who, body = hall.acme.member, await principal(hall.acme.member), os.urandom(size)
    found = await upload(author, "last", body)
    staged = await repository.stage(author.org_id, author.team_id, one_chunk(body))
    with begins_nothing():
        await author.delete(f"/api/repo-obj/{found['id']}")
    async with hall.server.data.write() as writer:
        await writer.run(sql.drop_release, org_id=staged.org_id, sha256=staged.sha256)
    repository.blobs._begin(staged.org_id, [staged.sha256])
    await repository.blobs.settled()
    kept, mark = await bytes_and_mark(hall, staged)
    assert kept is None
    assert mark is not None
    await assert_staged_bytes_are_safe(hall, repository, who, staged, body)


@SIZES
async def test_a_commit_that_waits_for_the_release_to_let_the_bytes_go(
    hall, upload, repository, principal, begins_nothing, size
):
    """The writer comes while the release holds the digest: it is told of whatever the release does."""
    author, who, body = hall.acme.member, await principal(hall.acme.member), os.urandom(size)
    found = await upload(author, "last", body)
    staged = await repository.stage(author.org_id, author.team_id, one_chunk(body))
    store, reached, go_on = hall.server.service(BlobStore), asyncio.Event(), asyncio.Event()
    delete = store.delete

    async def slow_delete(namespace, sha256):
        reached.set()
        await go_on.wait()
        await delete(namespace, sha256)

    store.delete = slow_delete
    try:
        await author.delete(f"/api/repo-obj/{found['id']}")
        await asyncio.wait_for(reached.wait(), 60)
        writing = asyncio.create_task(assert_staged_bytes_are_safe(hall, repository, who, staged, body))
        await asyncio.sleep(0)
        go_on.set()
        await writing
    finally:
        del store.delete
    await repository.blobs.settled()
