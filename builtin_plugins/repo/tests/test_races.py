"""Several at once: at one key, and at the same bytes from both ends."""

import asyncio
import random

import pytest

from builtin_plugins.repo import blob_lifecycle as kept_module
from builtin_plugins.repo import small_blobs
from guildhall_sdk import Actor, NotFound, Unavailable
from guildhall_sdk.services.stored_objects import NewVersion

pytestmark = pytest.mark.shared_server

ACTOR = Actor("a test")


async def one_chunk(content):
    yield content


async def test_twenty_writers_of_one_key_make_twenty_versions(hall, upload, content):
    bodies = [f"writer {number}".encode() for number in range(20)]
    answers = await asyncio.gather(*(upload(hall.acme.member, "a", body) for body in bodies))
    assert sorted(answer["version"] for answer in answers) == list(range(1, 21))
    assert len({answer["id"] for answer in answers}) == 1
    read = [await content(hall.acme.member, answers[0], version=number) for number in range(1, 21)]
    assert sorted(read) == sorted(bodies)


async def test_one_of_many_wins_a_key_that_must_not_be_there(hall):
    async def create(number):
        return await hall.acme.member.put(
            "/api/repo/a", content=str(number).encode(), headers={"If-None-Match": "*"}
        )

    statuses = [answer.status_code for answer in await asyncio.gather(*map(create, range(16)))]
    assert sorted(statuses) == [201] + [412] * 15


async def test_one_of_many_wins_a_state_that_all_read(hall, upload):
    found = await upload(hall.acme.member, "a", b"first")
    path = f"/api/repo-obj/{found['id']}/content"
    tag = (await hall.acme.member.get(path)).headers["etag"]

    async def change(number):
        return await hall.acme.member.put(
            "/api/repo/a", content=str(number).encode(), headers={"If-Match": tag}
        )

    statuses = [answer.status_code for answer in await asyncio.gather(*map(change, range(16)))]
    assert sorted(statuses) == [200] + [412] * 15


async def test_what_was_acknowledged_has_its_bytes_whoever_deletes_the_same(hall, kept):
    """Writers and deleters of one content, over and over; whoever got 201 can read it until they delete."""
    author, body = hall.acme.member, b"the same bytes"
    chance = random.Random(7)

    async def write_and_delete(number):
        for _ in range(6):
            response = await author.put(f"/api/repo/k{number}", content=body)
            assert response.status_code in (200, 201), response.text
            path = f"/api/repo-obj/{response.json()['id']}"
            for _ in range(chance.randrange(3)):
                read = await author.get(f"{path}/content")
                assert (read.status_code, read.content) == (200, body)
            assert (await author.delete(path)).status_code == 204

    await asyncio.gather(*(write_and_delete(number) for number in range(8)))
    assert await kept(hall.acme) == set()


@pytest.mark.parametrize("size", [10, small_blobs.MAX_BYTES + 1, kept_module.MAX_COPY_BYTES + 1])
async def test_bytes_released_between_their_coming_and_their_commit(
    hall, upload, repository, principal, kept, size
):
    """The narrowest place: the put saw them kept, and they are gone before the version is written."""
    author, who = hall.acme.member, await principal(hall.acme.member)
    body = b"x" * size
    found = await upload(author, "old", body)
    staged = await repository.stage(author.org_id, author.team_id, one_chunk(body))
    await author.delete(f"/api/repo-obj/{found['id']}")
    await repository.blobs.settled()
    assert await kept(hall.acme) == set()

    async def commit():
        async with hall.server.data.write(ACTOR, within=author.org_id) as writer:
            return await repository.put(writer, who, author.team_id, "new", staged, NewVersion())

    if size <= kept_module.MAX_COPY_BYTES:
        version = await commit()
        assert b"".join([chunk async for chunk in repository.open(version)]) == body
    else:
        with pytest.raises(Unavailable):
            await commit()
        async with hall.server.data.read() as reader:
            with pytest.raises(NotFound):
                await repository.at_key(reader, who, author.team_id, "new")
        again = await upload(author, "new", body)
        assert again["size"] == size


@pytest.mark.parametrize("size", [12, small_blobs.MAX_BYTES + 1])
async def test_a_release_that_meets_a_commit_leaves_the_bytes(hall, upload, repository, principal, size):
    """The release is asked for, and before it is carried out a new version refers to the bytes."""
    author, who = hall.acme.member, await principal(hall.acme.member)
    body = b"w" * size
    found = await upload(author, "old", body)
    begin = repository.blobs._begin
    repository.blobs._begin = lambda org_id, digests: None  # killed right after the commit
    await author.delete(f"/api/repo-obj/{found['id']}")
    repository.blobs._begin = begin
    version = await repository.write(who, ACTOR, author.team_id, "new", one_chunk(body), NewVersion())
    await repository.blobs.finish_releases()
    assert b"".join([chunk async for chunk in repository.open(version)]) == body


@pytest.mark.parametrize("size", [100, small_blobs.MAX_BYTES + 1])
async def test_a_release_and_commits_in_any_order_never_lose_acknowledged_bytes(
    hall, repository, principal, kept, size
):
    """Below HTTP, where they meet more closely: stage, commit, delete and sweep of one digest."""
    author, who = hall.acme.member, await principal(hall.acme.member)
    body, data = b"y" * size, hall.server.data

    async def live(number):
        for _ in range(5):
            version = await repository.write(
                who, ACTOR, author.team_id, f"r{number}", one_chunk(body), NewVersion()
            )
            assert b"".join([chunk async for chunk in repository.open(version)]) == body
            async with data.write(ACTOR) as writer:
                await repository.delete(writer, who, version.object_id)

    async def give_up():
        for _ in range(10):
            await repository.discard(await repository.stage(author.org_id, author.team_id, one_chunk(body)))

    await asyncio.gather(*(live(number) for number in range(6)), give_up(), give_up())
    assert await kept(hall.acme) == set()


@pytest.mark.parametrize("size", [9, small_blobs.MAX_BYTES + 1])
async def test_a_copy_of_what_is_deleted_meanwhile_is_not_found(hall, upload, repository, principal, size):
    author, who = hall.acme.member, await principal(hall.acme.member)
    found = await upload(author, "old", b"g" * size)
    async with hall.server.data.read() as reader:
        source = await repository.at_key(reader, who, author.team_id, "old")
    await author.delete(f"/api/repo-obj/{found['id']}")
    await repository.blobs.settled()
    with pytest.raises(NotFound):
        async with hall.server.data.write(ACTOR) as writer:
            await repository.copy(writer, who, source, author.team_id, "new", NewVersion())


async def test_a_copy_that_cannot_be_made_just_now_does_not_say_that_its_source_is_gone(
    hall, upload, repository, principal, content, monkeypatch
):
    """Whoever hears 404 of a source may give it up."""
    author, who = hall.acme.member, await principal(hall.acme.member)
    found = await upload(author, "old", b"still here")
    async with hall.server.data.read() as reader:
        source = await repository.at_key(reader, who, author.team_id, "old")

    async def busy(*_):
        raise Unavailable("The database cannot take this just now.")

    monkeypatch.setattr(small_blobs, "exists", busy)
    with pytest.raises(Unavailable):
        async with hall.server.data.write(ACTOR) as writer:
            await repository.copy(writer, who, source, author.team_id, "new", NewVersion())
    assert await content(author, found) == b"still here"


@pytest.mark.parametrize("size", [4, small_blobs.MAX_BYTES + 1])
async def test_two_teams_deleting_the_same_bytes_release_them_once(hall, upload, kept, size):
    one = await upload(hall.acme.member, "a", b"b" * size)
    two = await upload(hall.acme.second_team.member, "a", b"b" * size)
    await asyncio.gather(
        hall.acme.member.delete(f"/api/repo-obj/{one['id']}"),
        hall.acme.second_team.member.delete(f"/api/repo-obj/{two['id']}"),
    )
    assert await kept(hall.acme) == set()
