"""Few bytes live in the database, in the transaction of what refers to them; more are in the blob store."""

import asyncio
import os

import pytest

from builtin_plugins.repo import small_blobs
from builtin_plugins.repo.small_blobs import MAX_BYTES
from builtin_plugins.repo.sweeping import DAY_MS
from guildhall_sdk import Actor, NotFound, Statement
from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.services.stored_objects import NewVersion

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

ACTOR = Actor("a test")
BOUNDARY = [0, 1, MAX_BYTES - 1, MAX_BYTES, MAX_BYTES + 1]


def everywhere(text):
    return Statement("of_a_test", text, text)


DAMAGE = everywhere("UPDATE small_blobs SET content = :content WHERE org_id = :org_id AND sha256 = :sha256")
ROWS = everywhere("SELECT sha256 FROM small_blobs WHERE org_id = :org_id ORDER BY sha256")
MARKS = everywhere("SELECT COUNT(*) FROM blob_releases")
WAITERS = everywhere(
    "SELECT COUNT(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'"
)


async def in_pieces(content, size):
    for start in range(0, len(content), size):
        yield content[start : start + size]


@pytest.fixture
def places(hall, repository):
    """The digests of a company in the database, and those in the blob store."""

    async def places(company):
        await repository.blobs.settled()
        async with hall.server.data.read() as reader:
            rows = [row["sha256"] for row in await reader.all(ROWS, org_id=company.org_id)]
        return rows, [blob.sha256 async for blob in hall.server.service(BlobStore).list(company.org_id)]

    return places


@pytest.fixture
def waits(hall):
    """Until somebody waits for the lock of a digest; on SQLite writers wait for their turn before that."""

    async def waits():
        async with asyncio.timeout(60):
            while hall.database == "postgresql":
                async with hall.server.data.read() as reader:
                    if await reader.value(WAITERS):
                        return

    return waits


@pytest.mark.parametrize("size", BOUNDARY)
@pytest.mark.parametrize("streamed", [False, True])
async def test_up_to_sixteen_kib_are_in_the_database(hall, upload, content, places, size, streamed):
    body = os.urandom(size)
    found = await upload(hall.acme.member, "a", in_pieces(body, 1000) if streamed else body)
    assert await places(hall.acme) == (
        ([found["sha256"]], []) if size <= MAX_BYTES else ([], [found["sha256"]])
    )
    assert (found["size"], await content(hall.acme.member, found)) == (size, body)
    path = f"/api/repo-obj/{found['id']}/content"
    part = await hall.acme.member.get(path, headers={"Range": "bytes=-5"})
    assert (part.status_code, part.content) == ((206, body[-5:]) if size else (416, part.content))


async def test_the_same_bytes_are_there_once_for_each_company(hall, upload, content, places):
    acme, second, globex = hall.acme.member, hall.acme.second_team.member, hall.globex.member
    ours = [await upload(client, key, b"same") for client, key in ((acme, "a"), (acme, "b"), (second, "a"))]
    theirs = await upload(globex, "a", b"same")
    assert (await places(hall.acme), await places(hall.globex)) == (([theirs["sha256"]], []),) * 2
    for client, found in zip((acme, acme, second), ours, strict=True):
        assert await content(client, found) == b"same"
        await client.delete(f"/api/repo-obj/{found['id']}")
    assert await places(hall.acme) == ([], [])
    assert await content(globex, theirs) == b"same"


@pytest.mark.own_server  # it counts what is left for later, of all companies
async def test_a_delete_takes_them_along_in_its_own_transaction(hall, upload, repository, principal, places):
    found, who = await upload(hall.acme.member, "a", b"few"), await principal(hall.acme.member)
    with pytest.raises(ZeroDivisionError):
        async with hall.server.data.write(ACTOR) as writer:
            await repository.delete(writer, who, found["id"])
            assert await writer.all(ROWS, org_id=hall.acme.org_id) == []
            raise ZeroDivisionError
    assert await places(hall.acme) == ([found["sha256"]], [])
    await hall.acme.member.delete(f"/api/repo-obj/{found['id']}")
    async with hall.server.data.read() as reader:
        assert await reader.value(MARKS) == 0, "nothing is left to be done later"
    assert await places(hall.acme) == ([], [])


async def test_what_is_refused_was_never_there(hall, upload, places):
    found = await upload(hall.acme.member, "a", b"first")
    refused = await hall.acme.member.put("/api/repo/a", content=b"second", headers={"If-None-Match": "*"})
    assert refused.status_code == 412
    assert await places(hall.acme) == ([found["sha256"]], [])


@pytest.mark.every_database
async def test_a_delete_waits_for_whoever_is_about_to_refer_to_the_same_bytes(
    hall, upload, repository, principal, content, waits
):
    author, who = hall.acme.member, await principal(hall.acme.member)
    old = await upload(author, "old", b"wanted")
    staged = await repository.stage(author.org_id, author.team_id, in_pieces(b"wanted", 6))
    async with hall.server.data.write(ACTOR, within=author.org_id) as writer:
        version = await repository.put(writer, who, author.team_id, "new", staged, NewVersion())
        deleting = asyncio.create_task(author.delete(f"/api/repo-obj/{old['id']}"))
        await waits()
    assert (await deleting).status_code == 204
    assert await content(author, {"id": version.object_id}) == b"wanted"


@pytest.mark.every_database
async def test_whoever_refers_to_bytes_waits_for_their_delete(
    hall, upload, repository, principal, content, waits
):
    author, who = hall.acme.member, await principal(hall.acme.member)
    old = await upload(author, "old", b"wanted")
    async with hall.server.data.write(ACTOR, within=author.org_id) as writer:
        await repository.delete(writer, who, old["id"])
        writing = asyncio.create_task(upload(author, "new", b"wanted"))
        await waits()
    assert await content(author, await writing) == b"wanted"


async def test_what_is_deleted_between_being_found_and_being_read_is_not_found(
    hall, upload, repository, principal
):
    author, who = hall.acme.member, await principal(hall.acme.member)
    found = await upload(author, "a", b"gone soon")
    async with hall.server.data.read() as reader:
        chunks = repository.open(await repository.version(reader, who, found["id"], 1))
    await author.delete(f"/api/repo-obj/{found['id']}")
    with pytest.raises(NotFound):
        await anext(chunks)


async def test_what_is_deleted_and_comes_again_while_it_is_read_is_given_out(
    hall, upload, repository, principal, monkeypatch
):
    author, who = hall.acme.member, await principal(hall.acme.member)
    found = await upload(author, "a", b"gone and back")
    async with hall.server.data.read() as reader:
        chunks = repository.open(await repository.version(reader, who, found["id"], 1), 5)
    await author.delete(f"/api/repo-obj/{found['id']}")
    store = hall.server.service(BlobStore)
    real = store.get

    async def get(*arguments):
        await upload(author, "b", b"gone and back")
        async for chunk in real(*arguments):
            yield chunk

    monkeypatch.setattr(store, "get", get)
    assert [chunk async for chunk in chunks] == [b"and back"]


async def test_damaged_bytes_are_never_given_out_and_heal_when_they_come_again(hall, upload, content):
    found = await upload(hall.acme.member, "a", b"intact")
    async with hall.server.data.write() as writer:
        await writer.run(DAMAGE, org_id=hall.acme.org_id, sha256=found["sha256"], content=b"intacT")
    assert await content(hall.acme.member, found) == 500
    await upload(hall.acme.member, "b", b"intact")
    assert await content(hall.acme.member, found) == b"intact"


async def test_small_files_of_earlier_versions_stay_readable_until_they_are_deleted(
    hall, upload, content, repository, principal, places, as_files
):
    await repository.blobs.settled()  # what the start itself had to look after
    author, who = hall.acme.member, await principal(hall.acme.member)
    old = await upload(author, "old", b"a file")
    as_files()
    assert await places(hall.acme) == ([], [old["sha256"]])
    assert await content(author, old) == b"a file"
    async with hall.server.data.write(ACTOR) as writer:
        source = await repository.at_key(writer, who, author.team_id, "old")
        copied = await repository.copy(writer, who, source, author.team_id, "copy", NewVersion())
    await author.delete(f"/api/repo-obj/{old['id']}")
    assert await places(hall.acme) == ([], [old["sha256"]])
    assert await content(author, {"id": copied.object_id}) == b"a file"
    await author.delete(f"/api/repo-obj/{copied.object_id}")
    assert await places(hall.acme) == ([], [])


@pytest.mark.own_server  # it sweeps the whole instance
async def test_a_file_of_earlier_versions_goes_a_day_after_its_bytes_came_again(
    hall, upload, content, repository, places, as_files, monkeypatch
):
    await repository.blobs.settled()  # what the start itself had to look after
    old = await upload(hall.acme.member, "old", b"a file")
    as_files()
    await upload(hall.acme.member, "new", b"a file")
    assert await places(hall.acme) == ([old["sha256"]], [old["sha256"]])
    (file,) = [blob async for blob in hall.server.service(BlobStore).list()]
    monkeypatch.setattr(hall.clock, "now_ms", lambda: file.stored_at_ms + DAY_MS + 1)
    assert await repository.blobs.sweep() == 1
    assert await places(hall.acme) == ([old["sha256"]], [])
    assert await content(hall.acme.member, old) == b"a file"


@pytest.mark.own_server  # it sweeps the whole instance
async def test_rows_that_somebody_cut_off_are_swept(hall, upload, repository, places):
    await repository.blobs.settled()  # what the start itself had to look after
    found = await upload(hall.acme.member, "a", b"used")
    async with hall.server.data.write() as writer:
        await small_blobs.put(writer, hall.acme.org_id, "0" * 64, b"unused")
    assert await repository.blobs.sweep() == 1
    assert await places(hall.acme) == ([found["sha256"]], [])


async def test_a_part_of_an_upload_holds_its_bytes(hall, repository, places):
    staged = await repository.stage(hall.acme.org_id, hall.acme.team_id, in_pieces(b"part", 4))
    assert await places(hall.acme) == ([], [])
    assert b"".join([chunk async for chunk in repository.open_staged(staged)]) == b"part"
    async with hall.server.data.write() as writer:
        await repository.hold(writer, staged, "upload_1")
    assert await places(hall.acme) == ([staged.sha256], [])
    async with hall.server.data.write() as writer:
        await repository.let_go(writer, hall.acme.org_id, "upload_1")
    assert await places(hall.acme) == ([], [])
