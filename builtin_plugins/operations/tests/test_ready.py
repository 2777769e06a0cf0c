"""`/ready`: whether the server can do its work now, in the answer and in the log."""

import asyncio
import errno
import os
import resource

import pytest

from builtin_plugins.operations import readiness
from libs import disks

pytestmark = pytest.mark.any_database


@pytest.fixture
def forgetful(monkeypatch):
    """Looks anew each time it is asked."""
    monkeypatch.setattr(readiness, "REMEMBERED_SECONDS", 0)


@pytest.fixture
def full_disk(monkeypatch):
    """`full_disk(True)`: no byte of what is probed lands any more."""
    whole = os.write

    def write(descriptor, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return lambda full: monkeypatch.setattr(disks.os, "write", write if full else whole)


def told(caplog, action):
    return [record.fields for record in caplog.records if record.msg == action]


def told_of_disk(caplog, action, hall):
    """Returns what was logged of this hall's disk: those of other tests may look at theirs meanwhile."""
    folder = str(hall.server.settings.data)
    return [fields for fields in told(caplog, action) if fields["subject"] == folder]


async def begin_anew(hall):
    """Waits for the look that may be under way: it began before what the test has just changed."""
    await hall.anonymous.get("/ready")


async def not_ready(hall):
    answer = await hall.anonymous.get("/ready")
    assert (answer.status_code, answer.json().get("code")) == (503, "not_ready")
    assert answer.headers["retry-after"]
    return answer.json()["reason"]


async def test_a_server_that_lacks_nothing_is_ready(hall):
    answer = await hall.anonymous.get("/ready")
    assert (answer.status_code, answer.json()) == (200, {"ready": True})


async def test_a_full_disk_is_told_once_and_its_end_too(hall, forgetful, full_disk, caplog):
    full_disk(True)
    await begin_anew(hall)
    for _ in range(5):
        assert await not_ready(hall) == "disk"
    assert (await hall.anonymous.get("/health")).json() == {"ok": True, "multitenant": True}
    (lost,) = told_of_disk(caplog, "readiness.lost", hall)
    assert lost["reason"] == "disk"
    assert "No space left on device" in lost["detail"]
    full_disk(False)
    await begin_anew(hall)
    for _ in range(5):
        assert (await hall.anonymous.get("/ready")).status_code == 200
    assert len(told_of_disk(caplog, "readiness.regained", hall)) == 1
    assert len(told_of_disk(caplog, "readiness.lost", hall)) == 1
    assert not list(hall.server.settings.data.glob(".ready-*"))


async def test_a_disk_with_little_room_is_full_before_it_is(hall, forgetful, monkeypatch, caplog):
    monkeypatch.setattr(disks, "MIN_FREE_BYTES", 2**80)
    await begin_anew(hall)
    assert await not_ready(hall) == "disk"
    (lost,) = told_of_disk(caplog, "readiness.lost", hall)
    assert "is full" in lost["detail"]


async def test_the_answer_names_no_path(hall, forgetful, full_disk):
    full_disk(True)
    await begin_anew(hall)
    assert str(hall.server.settings.data) not in (await hall.anonymous.get("/ready")).text


async def test_a_disk_that_hangs_is_not_waited_for(hall, forgetful, monkeypatch):
    hanging = asyncio.Event()
    loop = asyncio.get_running_loop()
    probes = []

    def check(disk):
        probes.append(disk)
        asyncio.run_coroutine_threadsafe(hanging.wait(), loop).result()
        return 0

    # The database may take as long as it likes: the disk alone never answers.
    for subject in ("DATABASE", "DISK"):
        monkeypatch.setattr(readiness, f"{subject}_PATIENCE_SECONDS", 600)
    await begin_anew(hall)
    monkeypatch.setattr(disks.Disk, "check", check)
    monkeypatch.setattr(readiness, "DISK_PATIENCE_SECONDS", 0.05)
    await begin_anew(hall)
    assert [await not_ready(hall) for _ in range(3)] == ["disk"] * 3
    # The halls of other tests may look at theirs meanwhile.
    assert len([disk for disk in probes if disk.folder == hall.server.settings.data.absolute()]) == 1
    hanging.set()


async def test_it_is_measured_at_most_once_a_second(hall, monkeypatch):
    monkeypatch.setattr(readiness, "REMEMBERED_SECONDS", 600)
    await hall.anonymous.get("/ready")
    pings = []
    monkeypatch.setattr(hall.server.data, "ping", lambda: pings.append(1))
    answers = await asyncio.gather(*(hall.anonymous.get("/ready") for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert pings == []


@pytest.mark.every_database
async def test_a_database_that_does_not_answer_is_told_once(hall, forgetful, monkeypatch, caplog):
    async def hang():
        await asyncio.Event().wait()

    monkeypatch.setattr(readiness, "DISK_PATIENCE_SECONDS", 600)
    monkeypatch.setattr(readiness, "DATABASE_PATIENCE_SECONDS", 0.05)
    whole = hall.server.data.ping
    monkeypatch.setattr(hall.server.data, "ping", hang)
    await begin_anew(hall)
    assert [await not_ready(hall) for _ in range(3)] == ["database"] * 3
    monkeypatch.setattr(hall.server.data, "ping", whole)
    monkeypatch.setattr(readiness, "DATABASE_PATIENCE_SECONDS", 600)
    await begin_anew(hall)
    assert (await hall.anonymous.get("/ready")).status_code == 200
    assert len(told(caplog, "readiness.lost")) == len(told(caplog, "readiness.regained")) == 1


@pytest.mark.hall_databases("sqlite")
async def test_an_upload_that_meets_a_full_disk_is_told_once_with_the_folder(hall, caplog):
    """The limit on the size of a file stands for a disk that has no room for more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * 1024 * 1024, hard))
    try:
        answers = [
            await hall.acme.member.put("/api/repo/big.bin", content=bytes(5 * 1024 * 1024)) for _ in range(2)
        ]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [answer.json()["code"] for answer in answers] == ["storage_unavailable"] * 2
    (line,) = told(caplog, "disk.full")
    assert str(hall.server.settings.data) in line["folders"]


@pytest.mark.hall_databases("sqlite")
async def test_a_write_for_which_the_database_has_no_room_is_told_too(hall, caplog):
    await hall.server.data._pool._threads[0].call(lambda writer: writer.execute("PRAGMA max_page_count=1"))
    note = {"title": "x", "body": "y" * 500_000}
    answers = [await hall.acme.member.post("/api/notes", note) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [503, 503]
    assert len(told(caplog, "disk.full")) == 1
