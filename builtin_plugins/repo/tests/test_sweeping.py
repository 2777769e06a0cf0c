"""Bytes that nothing needs are looked for a portion at a time, by one process, from where it was left."""

import pytest

from builtin_plugins.repo import small_blobs, sweeping
from builtin_plugins.repo.sweeping import DAY_MS, HELD_MS, OrphanSweep
from guildhall_sdk import Statement
from guildhall_sdk.blobs import BlobStore, BlobStoreUnavailable

pytestmark = pytest.mark.any_database

FILE = b"f" * (small_blobs.MAX_BYTES + 1)
PLACE = "SELECT stage, sha256, swept_at FROM blob_sweeps"


class Killed(Exception):
    pass


@pytest.fixture
def portions(monkeypatch):
    monkeypatch.setattr(sweeping, "PORTION", 2)


@pytest.fixture
async def orphans(hall, repository, monkeypatch):
    """Seven files that nothing refers to and that are more than a day old; their digests in order."""
    staged = [
        await repository.stage(hall.acme.org_id, hall.acme.team_id, one_chunk(FILE + str(number).encode()))
        for number in range(7)
    ]
    newest = max([blob.stored_at_ms async for blob in hall.server.service(BlobStore).list()])
    hall.clock.advance(milliseconds=newest - hall.clock.now_ms() + DAY_MS + 1)
    return sorted(one.sha256 for one in staged)


async def one_chunk(content):
    yield content


async def place(hall):
    async with hall.server.data.read() as reader:
        return await reader.one(Statement("place", PLACE, PLACE))


async def due(repository):
    return await repository.blobs.sweeping.sweep_if_due(pause_seconds=0)


def killed_after(hall, repository, deleted):
    """A sweep of another process, which dies when it is about to delete one more."""
    left = iter(range(deleted))

    async def give_up(org_id, sha256):
        if next(left, None) is None:
            raise Killed
        return await repository.blobs._give_up(org_id, sha256)

    return OrphanSweep(hall.server.host, lambda: hall.server.service(BlobStore), give_up)


async def test_all_portions_are_swept_once_a_day(hall, repository, portions, orphans, kept):
    assert await due(repository) == 7
    assert await kept(hall.acme) == set()
    assert (await place(hall))["stage"] == ""
    assert (await place(hall))["swept_at"] == hall.clock.now_ms()
    await repository.stage(hall.acme.org_id, hall.acme.team_id, one_chunk(FILE + b"later"))
    assert await due(repository) == 0
    hall.clock.advance(milliseconds=DAY_MS + 1)
    assert await due(repository) == 1


@pytest.mark.every_database
async def test_what_a_killed_process_left_is_swept_by_the_next(hall, repository, portions, orphans, kept):
    with pytest.raises(Killed):
        await killed_after(hall, repository, 5).sweep_if_due(pause_seconds=0)
    assert await kept(hall.acme) == set(orphans[5:])
    assert tuple((await place(hall)).values())[:2] == ("store", orphans[3])
    assert await due(repository) == 0  # the other one may be alive
    hall.clock.advance(milliseconds=HELD_MS + 1000)
    assert await due(repository) == 2
    assert await kept(hall.acme) == set()


async def test_a_sweep_that_the_store_stops_keeps_its_place_and_is_in_the_log(
    hall, repository, portions, orphans, kept, caplog, monkeypatch
):
    store, list_after = hall.server.service(BlobStore), hall.server.service(BlobStore).list_after

    def broken_after(namespace, sha256):
        if sha256 >= orphans[3]:
            raise BlobStoreUnavailable("The disk did not give this.") from PermissionError(
                13, "denied", "blobs/ab"
            )
        return list_after(namespace, sha256)

    with monkeypatch.context() as patch:
        patch.setattr(store, "list_after", broken_after)
        assert await repository.blobs.sweeping.sweep_or_put_off(pause_seconds=0) == 0
    (line,) = [record for record in caplog.records if record.msg == "blobs.sweep_put_off"]
    assert line.fields["reason"] == "The disk did not give this. ([Errno 13] denied: 'blobs/ab')"
    assert await kept(hall.acme) == set(orphans[4:])
    hall.clock.advance(milliseconds=HELD_MS + 1000)
    assert await repository.blobs.sweeping.sweep_or_put_off(pause_seconds=0) == 3
    assert await kept(hall.acme) == set()


async def test_a_process_that_was_taken_for_dead_stops(hall, repository, portions, orphans, kept):
    swept = []

    async def give_up(org_id, sha256):
        swept.append(sha256)
        if len(swept) == 1:
            hall.clock.advance(milliseconds=HELD_MS + 1000)
            swept.append(await due(repository))
        return await repository.blobs._give_up(org_id, sha256)

    slow = OrphanSweep(hall.server.host, lambda: hall.server.service(BlobStore), give_up)
    await slow.sweep_if_due(pause_seconds=0)
    assert swept == [orphans[0], 7, orphans[1]]  # the rest of its portion, and no more
    assert (await place(hall))["stage"] == ""


async def test_a_portion_of_rows_ends_whether_anything_in_it_is_unused_or_not(
    hall, repository, portions, upload
):
    for number in range(5):
        await upload(hall.acme.member, f"k{number}", str(number).encode())
    found, following = await repository.blobs.sweeping._portion(sweeping.Place())
    assert (found, following.stage) == (0, "rows") and following.sha256
