"""What keeps bytes alive, and that nothing else does."""

import os

import pytest

from builtin_plugins.repo import small_blobs
from builtin_plugins.repo.blob_lifecycle import REFERENCES
from builtin_plugins.repo.sweeping import DAY_MS
from guildhall_sdk import Actor
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.services.stored_objects import NewVersion

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

ACTOR = Actor("a test")
# Too many to be in the database.
FILE = b"f" * (small_blobs.MAX_BYTES + 1)


async def one_chunk(content):
    yield content


async def test_a_hold_keeps_bytes_until_it_is_let_go(hall, repository, kept):
    org_id = hall.acme.org_id
    staged = await repository.stage(org_id, hall.acme.team_id, one_chunk(b"a part"))
    async with hall.server.data.write() as writer:
        await repository.hold(writer, staged, "upload_1/1")
        await repository.hold(writer, staged, "upload_2/1")
    await repository.discard(staged)
    assert await kept(hall.acme) == {staged.sha256}
    assert b"".join([chunk async for chunk in repository.open_staged(staged)]) == b"a part"
    for holder, left in (("upload_1/1", {staged.sha256}), ("upload_2/1", set()), ("upload_2/1", set())):
        async with hall.server.data.write() as writer:
            await repository.let_go(writer, org_id, holder)
        assert await kept(hall.acme) == left


@pytest.mark.every_database
async def test_what_no_process_lived_to_release_goes_at_the_next_start(hall, upload, repository, kept):
    found = await upload(hall.acme.member, "a", FILE)
    await repository.blobs.settled()  # what the start itself had to look after
    repository.blobs._begin = lambda org_id, digests: None  # killed right after the commit
    await hall.acme.member.delete(f"/api/repo-obj/{found['id']}")
    assert await kept(hall.acme) == {found["sha256"]}
    repository.blobs.begin_upkeep()
    assert await kept(hall.acme) == set()


async def test_staged_bytes_that_nobody_came_back_for_are_swept_after_a_day(
    hall, upload, repository, kept, monkeypatch
):
    found = await upload(hall.acme.member, "a", FILE)
    lost = await repository.stage(hall.acme.org_id, hall.acme.team_id, one_chunk(FILE + b"never committed"))
    async with hall.server.data.write() as writer:
        part = await repository.stage(hall.acme.org_id, hall.acme.team_id, one_chunk(FILE + b"held"))
        await repository.hold(writer, part, "upload_1/1")
    newest = max([blob.stored_at_ms async for blob in hall.server.service(BlobStore).list()])
    monkeypatch.setattr(hall.clock, "now_ms", lambda: newest + DAY_MS - 60_000)
    assert await repository.blobs.sweep() == 0
    monkeypatch.setattr(hall.clock, "now_ms", lambda: newest + DAY_MS + 1)
    assert await repository.blobs.sweep() == 1
    assert await kept(hall.acme) == {found["sha256"], part.sha256}
    assert lost.sha256 not in await kept(hall.acme)


@pytest.mark.own_server  # it reads the references of all companies
async def test_the_references_are_those_of_versions_and_holds_each_once(hall, upload, repository):
    """Of what is in the blob store; what is in the database names itself."""
    first = await upload(hall.acme.member, "a", FILE)
    await upload(hall.acme.member, "b", FILE)
    await upload(hall.acme.member, "c", b"few bytes")
    second = await upload(hall.globex.member, "a", FILE + b"two")
    part = await repository.stage(hall.acme.org_id, hall.acme.team_id, one_chunk(FILE + b"part"))
    async with hall.server.data.write() as writer:
        await repository.hold(writer, part, "upload_1/1")
    found, after = [], {"namespace": "", "sha256": ""}
    async with hall.server.data.read() as reader:
        while rows := await reader.all(REFERENCES.statement, **after, limit=2):
            found += [(row["namespace"], row["sha256"]) for row in rows]
            after = {"namespace": found[-1][0], "sha256": found[-1][1]}
    assert found == sorted(
        [
            (hall.acme.org_id, first["sha256"]),
            (hall.acme.org_id, part.sha256),
            (hall.globex.org_id, second["sha256"]),
        ]
    )


async def test_companies_keep_the_same_bytes_apart(hall, upload, kept):
    theirs = await upload(hall.globex.member, "a", b"same")
    ours = await upload(hall.acme.member, "a", b"same")
    await hall.acme.member.delete(f"/api/repo-obj/{ours['id']}")
    assert (await kept(hall.acme), await kept(hall.globex)) == (set(), {theirs["sha256"]})


async def test_every_version_counts_as_storage_and_gives_it_back(hall, upload, used_bytes):
    author = hall.acme.member
    found = await upload(author, "a", b"12345")
    await upload(author, "a", b"12345")
    await upload(author, "b", b"123")
    assert await used_bytes(author) == 13
    await author.delete(f"/api/repo-obj/{found['id']}")
    assert await used_bytes(author) == 3


async def test_what_would_pass_the_limit_is_refused_and_leaves_nothing(
    hall, upload, used_bytes, kept, listed
):
    limit = {"dimension": "storage.bytes", "limit": 10, "window": "none"}
    response = await hall.operator.post(f"/api/orgs/{hall.acme.slug}/quota", limit)
    assert response.status_code == 200, response.text
    author = hall.acme.member
    found = await upload(author, "a", b"12345678")
    response = await author.put("/api/repo/b", content=b"123")
    assert (response.status_code, response.json()["code"]) == (429, "quota_exceeded")
    assert await used_bytes(author) == 8
    assert await listed(author) == ["a"]
    assert await kept(hall.acme) == {found["sha256"]}


@pytest.mark.parametrize("size", [0, 1, 300_000])
async def test_the_digests_are_of_the_bytes(hall, repository, principal, size):
    import hashlib

    body = os.urandom(size)
    who = await principal(hall.acme.member)
    also = hashlib.sha1(usedforsecurity=False)
    staged = await repository.stage(who.org_id, who.team_id, one_chunk(body), also=[also])
    async with hall.server.data.write(ACTOR, within=who.org_id) as writer:
        version = await repository.put(writer, who, who.team_id, "a", staged, NewVersion())
    assert version.sha256 == hashlib.sha256(body).hexdigest()
    assert version.etag == hashlib.md5(body).hexdigest()
    assert also.hexdigest() == hashlib.sha1(body).hexdigest()
    assert b"".join([chunk async for chunk in repository.open(version, 0, version.size)]) == body


async def test_what_a_check_refuses_is_not_kept(hall, repository, principal, kept):
    who = await principal(hall.acme.member)

    def refuse(_blob):
        raise ValueError("wrong checksum")

    with pytest.raises(ValueError, match="wrong checksum"):
        await repository.stage(who.org_id, who.team_id, one_chunk(b"x"), check=refuse)
    assert await kept(hall.acme) == set()
