"""What the files of the store go through: crashes, full disks, sweeps, and people who look."""

import asyncio
import fcntl
import os
import resource
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from builtin_plugins.blobs.stores import StoreRefused, open_swept_blob_store
from guildhall_sdk.blobs import BlobCorrupt, BlobStore, BlobStoreKind, BlobStoreRefused, BlobStoreUnavailable
from guildhall_testing.selection import registry_of
from guildhall_testing.servers import settings_from
from libs.blob_layout import BLOCK
from libs.blob_layout.tests.earlier_release import stored_by_an_earlier_release

HERE = Path(__file__).parent
KILLS = int(os.environ.get("GUILDHALL_KILLS", "1"))


async def in_chunks(content, size=100_000):
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def content_of(store, sha256, namespace="org_a"):
    return b"".join([chunk async for chunk in store.get(namespace, sha256)])


def incoming(tmp_path):
    return list((tmp_path / "blobs/.incoming").iterdir())


def open_files():
    return len(list(Path("/proc/self/fd").iterdir()))


def killed_while(program: str, folder: Path, after: int) -> list[str]:
    """What a process said it has done, up to the moment it was killed."""
    said = []
    command = [sys.executable, str(HERE / program), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            said.append(line)
            if len(said) == after:
                process.kill()
    return [line for line in said if line.endswith("\n")]


async def test_what_was_answered_survives_a_kill_and_nothing_half_is_left(pytestconfig, tmp_path):
    kinds = {one.name: one for one in registry_of(pytestconfig).declared(BlobStoreKind)}
    settings = settings_from({"SERVICE_DATA": str(tmp_path)})
    answered = {}
    for round_number in range(KILLS):
        for line in killed_while("putting.py", tmp_path, after=20 + 7 * round_number):
            sha256, size = line.split()
            answered[sha256] = int(size)
        store = await open_swept_blob_store(kinds, settings)
        kept = {blob.sha256: blob.size async for blob in store.list()}
        assert incoming(tmp_path) == []
        assert answered.items() <= kept.items()
        for sha256, size in kept.items():
            assert len(await content_of(store, sha256)) == size
        await store.close()
    assert len(answered) > 10 * KILLS


async def test_a_kill_while_blobs_of_an_earlier_release_are_stored_anew_loses_none(store, tmp_path):
    contents = [os.urandom(9 * BLOCK + number) for number in range(8)]
    blobs = [await store.put("org_a", in_chunks(content)) for content in contents]
    now, earlier = {}, {}
    for blob, content in zip(blobs, contents, strict=True):
        (path,) = (tmp_path / "blobs").rglob(blob.sha256)
        now[path], earlier[path] = path.read_bytes(), stored_by_an_earlier_release(content)
    for round_number in range(KILLS):
        for path, content in earlier.items():
            path.write_bytes(content)
        done = killed_while("renewing.py", tmp_path, after=1 + 2 * round_number)
        assert {path.name for path in now if path.read_bytes() == now[path]} >= {
            line.strip() for line in done
        }
        assert all(path.read_bytes() in (now[path], earlier[path]) for path in now)
        for blob, content in zip(blobs, contents, strict=True):
            assert await content_of(store, blob.sha256) == content
        await store.sweep()
        assert incoming(tmp_path) == []


async def test_a_sweep_removes_what_a_dead_process_left(store, tmp_path):
    (tmp_path / "blobs/.incoming/0123").write_bytes(b"half")
    assert await store.sweep() == 1
    assert incoming(tmp_path) == []


async def test_a_sweep_leaves_what_another_process_is_writing(store, tmp_path):
    path = tmp_path / "blobs/.incoming/0123"
    with path.open("wb") as being_written:
        fcntl.flock(being_written, fcntl.LOCK_EX)
        assert await store.sweep() == 0
        assert path.exists()
    assert await store.sweep() == 1


async def test_a_sweep_leaves_what_this_process_is_writing(store, open_store, tmp_path):
    beside = await open_store()
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly():
        for _ in range(5):
            yield bytes(1024 * 1024)
        begun.set()
        await go_on.wait()
        yield b"the end"

    putting = asyncio.create_task(store.put("org_a", slowly()))
    await begun.wait()
    assert await beside.sweep() == 0
    go_on.set()
    blob = await putting
    assert len(await content_of(beside, blob.sha256)) == blob.size
    await beside.close()


async def test_a_sweep_that_comes_between_making_and_locking_a_file_costs_nothing(
    store, tmp_path, monkeypatch
):
    real, swept = fcntl.flock, []

    def sweep_first(descriptor, operation):
        if not swept:
            swept.extend(incoming(tmp_path))
            for path in swept:
                path.unlink()
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", sweep_first)
    blob = await store.put("org_a", in_chunks(b"content"))
    assert len(swept) == 1
    assert await content_of(store, blob.sha256) == b"content"


async def test_a_put_that_breaks_while_every_thread_is_busy_leaves_nothing(store, tmp_path, monkeypatch):
    real, disk_answers = os.fsync, threading.Event()

    def wait_for_the_disk(descriptor):
        disk_answers.wait(60)
        real(descriptor)

    async def breaking():
        for _ in range(2):
            yield bytes(1024 * 1024)
        raise ConnectionResetError

    monkeypatch.setattr(os, "fsync", wait_for_the_disk)
    others = [asyncio.create_task(store.put("org_a", in_chunks(os.urandom(10)))) for _ in range(16)]
    while len(incoming(tmp_path)) < len(others):
        await asyncio.to_thread(lambda: None)
    with pytest.raises(ConnectionResetError):
        await store.put("org_a", breaking())
    disk_answers.set()
    await asyncio.gather(*others)
    await store.close()
    assert incoming(tmp_path) == []


async def test_only_the_owner_may_look(store, tmp_path):
    await store.put("org_a", in_chunks(b"content"))
    for path in (tmp_path / "blobs", *(tmp_path / "blobs").rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


async def test_a_small_blob_is_a_file_of_its_own_bytes(store, tmp_path):
    blob = await store.put("org_a", in_chunks(b"content"))
    path = tmp_path / "blobs/org_a" / blob.sha256[:2] / blob.sha256
    assert path.read_bytes() == b"content"


async def test_whoever_reads_while_it_is_deleted_reads_on(store):
    content = os.urandom(8 * BLOCK)
    blob = await store.put("org_a", in_chunks(content))
    chunks = store.get("org_a", blob.sha256)
    read = await anext(chunks)
    await store.delete("org_a", blob.sha256)
    async for chunk in chunks:
        read += chunk
    assert read == content


async def test_a_piece_that_is_corrupt_is_refused_after_one_that_is_not(store, tmp_path):
    content = os.urandom(12 * BLOCK)
    blob = await store.put("org_a", in_chunks(content))
    (path,) = (tmp_path / "blobs").rglob(blob.sha256)
    with path.open("r+b") as file:
        file.seek(5 * BLOCK)
        file.write(bytes([content[5 * BLOCK] ^ 1]))
    chunks = store.get("org_a", blob.sha256)
    assert await anext(chunks) == content[: 4 * BLOCK]
    with pytest.raises(BlobCorrupt):
        await anext(chunks)


async def test_readers_let_go_of_their_files(store):
    blob = await store.put("org_a", in_chunks(os.urandom(4 * BLOCK)))
    before = open_files()
    for _ in range(20):
        await content_of(store, blob.sha256)
        chunks = store.get("org_a", blob.sha256)
        await anext(chunks)
        await chunks.aclose()
    await store.close()
    assert open_files() < before + 10


async def test_a_file_that_may_not_grow_is_a_full_disk_and_leaves_nothing(store, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * 1024 * 1024, hard))
    try:
        with pytest.raises(BlobStoreUnavailable, match="no room left") as refusal:
            await store.put("org_a", in_chunks(bytes(5 * 1024 * 1024)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert refusal.value.status == 503
    assert incoming(tmp_path) == []
    assert [blob async for blob in store.list()] == []
    await store.put("org_a", in_chunks(bytes(5 * 1024 * 1024)))


@pytest.mark.parametrize("size", [10, 9 * BLOCK])
async def test_a_flush_that_fails_keeps_nothing(store, tmp_path, monkeypatch, size):
    def fail(descriptor):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(BlobStoreUnavailable):
        await store.put("org_a", in_chunks(bytes(size)))
    monkeypatch.undo()
    assert incoming(tmp_path) == []
    assert [blob async for blob in store.list()] == []


async def test_bytes_are_flushed_before_they_have_a_name_and_the_name_before_the_answer(store, monkeypatch):
    done = []
    real_fsync, real_rename = os.fsync, Path.rename

    def fsync(descriptor):
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        real_fsync(descriptor)

    def rename(path, target):
        done.append("name")
        return real_rename(path, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "rename", rename)
    await store.put("org_a", in_chunks(b"content"))
    assert done == ["file", "folder", "folder", "name", "folder"]
    done.clear()
    await store.put("org_a", in_chunks(b"content"))
    assert done == ["file", "name", "folder"]


async def test_a_link_in_place_of_a_blob_is_not_followed(store, tmp_path):
    blob = await store.put("org_a", in_chunks(b"content"))
    path = tmp_path / "blobs/org_a" / blob.sha256[:2] / blob.sha256
    secret = tmp_path / "secret"
    secret.write_bytes(b"content")
    path.unlink()
    path.symlink_to(secret)
    with pytest.raises(BlobStoreUnavailable):
        await content_of(store, blob.sha256)


async def test_files_that_are_no_blobs_are_not_listed(store, tmp_path):
    blob = await store.put("org_a", in_chunks(b"content"))
    (tmp_path / "blobs/org_a" / blob.sha256[:2] / "notes.txt").write_text("x")
    (tmp_path / "blobs/stray").write_text("x")
    assert [one.sha256 async for one in store.list()] == [blob.sha256]


def test_memory_stays_flat():
    """The full form is the same with 1024."""
    done = subprocess.run(
        [sys.executable, str(HERE / "flat_memory.py"), "64"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


async def test_a_folder_that_cannot_be_used_is_said_in_one_line(pytestconfig, tmp_path):
    (tmp_path / "blobs").write_text("a file in the way")
    kinds = {one.name: one for one in registry_of(pytestconfig).declared(BlobStoreKind)}
    with pytest.raises(BlobStoreRefused, match="cannot be used"):
        await kinds["rs3"].open(tmp_path, {})
    with pytest.raises(StoreRefused, match="SERVICE_BLOB_STORE: the store rs3 cannot be opened"):
        await open_swept_blob_store(kinds, settings_from({"SERVICE_DATA": str(tmp_path)}))


async def test_it_is_the_store_of_a_server_that_was_told_nothing_else(shared_hall):
    store = shared_hall.server.service(BlobStore)
    blob = await store.put("org_of_a_test", in_chunks(b"content"))
    assert await content_of(store, blob.sha256, "org_of_a_test") == b"content"
    await store.delete("org_of_a_test", blob.sha256)


async def test_whoever_goes_on_after_a_blob_looks_at_no_file_before_it(store, tmp_path, monkeypatch):
    names = [f"ab{number:062x}" for number in range(20)]
    fan = tmp_path / "blobs/org_a/ab"
    fan.mkdir(parents=True)
    for name in names:
        (fan / name).touch()
    looked_at = []
    module = type(store._layout).blobs_after.__globals__
    monkeypatch.setitem(module, "content_size", lambda size: looked_at.append(size) or size)
    found = [blob.sha256 async for blob in store.list_after("org_a", names[14])]
    assert (found, len(looked_at)) == (names[15:], 5)


async def put_many(store, count):
    blobs = [await store.put("org_a", in_chunks(str(number).encode())) for number in range(count)]
    return sorted(blob.sha256 for blob in blobs)


async def test_what_lies_where_no_blob_can_is_not_listed_and_no_place_to_go_back_to(store, tmp_path):
    names = await put_many(store, 3)
    home = tmp_path / "blobs/org_a"
    (home / "zz").mkdir()
    (home / "zz" / names[0]).write_bytes(b"in the wrong folder")
    (home / names[1][:2] / f"{names[1][:2]}{'0' * 62}").mkdir()
    (home / "empty").mkdir()
    (home / "00").write_bytes(b"no folder")
    assert sorted([blob.sha256 async for blob in store.list("org_a")]) == names
    assert [blob.sha256 async for blob in store.list_after("", "")] == names
    assert [blob.sha256 async for blob in store.list_after("org_a", names[0])] == names[1:]


async def test_nobody_looks_into_a_folder_of_somebody_else(store, tmp_path, monkeypatch):
    """A volume of its own has one that only its owner may open."""
    names = await put_many(store, 3)
    closed = [tmp_path / "blobs/lost+found", tmp_path / "blobs/org_a/lost+found"]
    for folder in closed:
        folder.mkdir()
    scandir = os.scandir

    def scan(folder):
        if Path(folder) in closed:
            raise PermissionError(13, "Permission denied", str(folder))
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", scan)
    assert sorted([blob.sha256 async for blob in store.list()]) == names
    assert [blob.sha256 async for blob in store.list_after("", "")] == names


async def test_a_folder_that_goes_while_it_is_walked_holds_up_nothing(store, monkeypatch):
    names = await put_many(store, 3)
    module = type(store._layout).blobs_after.__globals__
    folders = module["_folders"]
    monkeypatch.setitem(module, "_folders", lambda *given: [*folders(*given), given[0] / "gone"])
    assert sorted([blob.sha256 async for blob in store.list()]) == names
    assert [blob.sha256 async for blob in store.list_after("", "")] == names


async def test_a_folder_that_somebody_removed_when_it_was_empty_is_made_again(store, tmp_path):
    blob = await store.put("org_a", in_chunks(b"again"))
    await store.delete("org_a", blob.sha256)
    for folder in (tmp_path / "blobs/org_a" / blob.sha256[:2], tmp_path / "blobs/org_a"):
        folder.rmdir()
        assert (await store.put("org_a", in_chunks(b"again"))).sha256 == blob.sha256
        assert await content_of(store, blob.sha256) == b"again"
        await store.delete("org_a", blob.sha256)
        (tmp_path / "blobs/org_a" / blob.sha256[:2]).rmdir()
    assert incoming(tmp_path) == []


async def test_a_volume_that_is_not_there_any_more_takes_nothing(store, tmp_path):
    """What is left is the folder that it was mounted on, and that is another disk."""
    blob = await store.put("org_a", in_chunks(b"kept"))
    (tmp_path / "blobs").rename(tmp_path / "volume")
    (tmp_path / "blobs").mkdir()
    with pytest.raises(BlobStoreUnavailable):
        await store.put("org_a", in_chunks(b"kept"))
    assert list((tmp_path / "blobs").iterdir()) == []
    (tmp_path / "blobs").rmdir()
    (tmp_path / "volume").rename(tmp_path / "blobs")
    assert await content_of(store, blob.sha256) == b"kept"
