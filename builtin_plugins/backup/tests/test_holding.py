"""While a backup is made, no bytes are deleted; when it is over, or has died, they are."""

import hashlib

import pytest

from guildhall_sdk.blobs import BlobStorage, BlobStore

# Too many to be in the database, which a backup copies as it is at one moment.
GONE, REFUSED = b"gone" * 5000, b"refused" * 5000


@pytest.fixture
def kept(hall):
    """Whether the store still has these bytes of a company."""

    async def kept(content):
        store = hall.server.service(BlobStore)
        return await store.stat(hall.acme.org_id, hashlib.sha256(content).hexdigest()) is not None

    return kept


@pytest.fixture
def repository(hall):
    from guildhall_sdk.services.repository import Repository

    return hall.server.service(Repository)


async def write_and_delete(hall, repository, content):
    made = (await hall.acme.member.put("/api/repo/x", content=content)).json()
    assert (await hall.acme.member.delete(f"/api/repo-obj/{made['id']}")).status_code == 204
    await repository.blobs.settled()


async def test_bytes_are_held_back_while_a_backup_is_made(hall, repository, kept, monkeypatch):
    monkeypatch.setattr("builtin_plugins.repo.blob_lifecycle.LATER_SECONDS", 0.01)
    async with hall.server.service(BlobStorage).deletes_held_back(hall.server.data, "b1"):
        await write_and_delete(hall, repository, GONE)
        assert await kept(GONE)
    while await kept(GONE):
        await repository.blobs.settled()


async def test_a_backup_that_died_holds_nothing_back_for_long(hall, repository, kept):
    holding = hall.server.service(BlobStorage).deletes_held_back(hall.server.data, "b1")
    await holding.__aenter__()
    hall.clock.advance(seconds=121)
    await write_and_delete(hall, repository, GONE)
    assert not await kept(GONE)
    await holding.__aexit__(None, None, None)


async def test_an_upload_that_is_refused_meanwhile_is_refused_as_ever(hall, repository, kept):
    async with hall.server.service(BlobStorage).deletes_held_back(hall.server.data, "b1"):
        answer = await hall.acme.member.put("/api/repo/x", content=REFUSED, headers={"If-Match": '"stale"'})
        assert answer.status_code == 412
        await repository.blobs.settled()
        assert await kept(REFUSED)
