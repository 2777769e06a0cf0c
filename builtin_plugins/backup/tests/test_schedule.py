"""Backups on a schedule: made, encrypted, rehearsed, pruned and watched."""

import asyncio
import base64
import json
import os
import re
import shutil
import signal
import time
from dataclasses import replace

import pytest

from builtin_plugins.backup.encryption import seal_folder, unseal_folder
from builtin_plugins.backup.manifest import BackupFault
from builtin_plugins.backup.schedule import LAST, BackupSchedule
from builtin_plugins.backup.tests.conftest import ADA, call
from builtin_plugins.backup.tests.test_killed import some_of, titles
from guildhall_sdk.services.server import InstanceFacts
from tests.test_readme import post

pytestmark = pytest.mark.any_database
AGE = re.compile(r"guildhall_backup_age_seconds\W.{0,200}?\d\.\d")
KEY = base64.b64encode(b"k" * 32).decode()


def scheduled(place, tmp_path, **more):
    return replace(place, more={"SERVICE_BACKUP_TO": str(tmp_path / "kept"), **more})


def kept(tmp_path):
    return sorted(path.name for path in (tmp_path / "kept").iterdir())


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_a_backup_is_made_rehearsed_and_pruned_and_goes_back(restored, another, tmp_path):
    place = scheduled(restored, tmp_path, SERVICE_BACKUP_KEEP="1")
    doctor = place.run("doctor")
    assert doctor.returncode == 1 and "none was made yet" in doctor.output
    for rehearse in ("off", "on"):
        place = replace(place, more={**place.more, "SERVICE_BACKUP_REHEARSE": rehearse})
        done = place.run("backup", "now")
        assert done.returncode == 0 and ("restored on trial" in done.output) is (rehearse == "on"), (
            done.output
        )
        await asyncio.sleep(1.0 - time.time() % 1)  # each has a name by the second
    assert "1 older ones are removed" in done.output and len(kept(tmp_path)) == 1
    assert "restored on trial" in place.run("doctor").output
    assert not any((place.data / "backup-work").iterdir())
    another.data.mkdir()
    shutil.copy(place.data / "secret.key", another.data)
    done = another.run("restore", tmp_path / "kept" / kept(tmp_path)[0])
    assert done.returncode == 0, done.output
    assert await titles(another) == {"early"}


async def test_an_encrypted_backup_opens_with_its_key_alone(restored, another, tmp_path):
    place = scheduled(restored, tmp_path, SERVICE_BACKUP_KEY=KEY)
    done = place.run("backup", "now")
    assert done.returncode == 0, done.output
    (name,) = kept(tmp_path)
    path = tmp_path / "kept" / name
    assert name.endswith(".sealed") and b"guildhall.db" not in path.read_bytes()
    assert path.stat().st_mode & 0o077 == 0
    done = place.run("backup", "verify", path)
    assert done.returncode == 0 and "sound" in done.output, done.output
    other = base64.b64encode(b"o" * 32).decode()
    for more, said in (
        ({}, "set SERVICE_BACKUP_KEY"),
        ({"SERVICE_BACKUP_KEY": other}, "SERVICE_BACKUP_KEY is not the key"),
    ):
        done = replace(another, more=more).run("backup", "verify", path)
        assert done.returncode == 2 and said in done.output and "k" * 32 not in done.output
    shutil.copy(place.data / "secret.key", another.data)
    done = replace(another, more={"SERVICE_BACKUP_KEY": KEY}).run("restore", path)
    assert done.returncode == 0, done.output
    assert await titles(another) == {"early"}
    assert [left for left in another.data.iterdir() if left.name.startswith(".opened")] == []


@pytest.mark.parametrize("harm", ["cut", "changed", "swapped"])
def test_what_was_changed_in_an_encrypted_file_is_found(tmp_path, harm):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/large").write_bytes(os.urandom(3_500_000))
    path, key = tmp_path / "file", b"k" * 32
    seal_folder(tmp_path / "in", path, key)
    unseal_folder(path, tmp_path / "out", key)
    assert (tmp_path / "out/large").read_bytes() == (tmp_path / "in/large").read_bytes()
    content = path.read_bytes()
    chunk, start = (
        1024 * 1024 + 16,
        len(content) - 3 * (1024 * 1024 + 16) - (len(content) - 35) % (1024 * 1024 + 16),
    )
    first, second = content[start : start + chunk], content[start + chunk : start + 2 * chunk]
    path.write_bytes(
        {
            "cut": content[: start + 2 * chunk],
            "changed": content[:-5] + b"!" + content[-4:],
            "swapped": content[:start] + second + first + content[start + 2 * chunk :],
        }[harm]
    )
    with pytest.raises(BackupFault, match="does not open"):
        unseal_folder(path, tmp_path / "again", key)


def test_a_server_makes_backups_by_itself_and_tells_their_age(restored, tmp_path):
    place = scheduled(restored, tmp_path, SERVICE_BACKUP_EVERY="1", SERVICE_BACKUP_REHEARSE="off")
    with place.serving() as base_url:
        token = post(f"{base_url}/api/login", ADA)["token"]
        ends = time.monotonic() + 60
        metrics = ""
        while AGE.search(metrics) is None and time.monotonic() < ends:
            metrics = str(call(base_url, token, "GET", "/api/metrics"))
        assert AGE.search(metrics), metrics
    assert kept(tmp_path)[0].startswith("backup-")


async def test_one_process_makes_it_and_a_failed_one_is_tried_again(open_hall, tmp_path):
    async with open_hall(SERVICE_BACKUP_TO=str(tmp_path), SERVICE_BACKUP_EVERY="3600") as hall:
        one, other = (BackupSchedule(hall.server.host_of("backup")) for _ in range(2))
        assert [await one.take_turn(), await other.take_turn()] == [True, False]
        hall.clock.advance(seconds=899)
        assert not await other.take_turn()
        hall.clock.advance(seconds=1)
        assert await other.take_turn(), "the first did not come to an end"


def test_a_key_that_is_none_is_refused_without_being_shown(place):
    done = replace(place, more={"SERVICE_BACKUP_KEY": "hunter2"}).run("backup", "now")
    assert done.returncode == 2 and "SERVICE_BACKUP_KEY" in done.output and "hunter2" not in done.output


def test_a_killed_one_leaves_none_that_passes_for_one(restored, tmp_path):
    place = scheduled(restored, tmp_path, SERVICE_BACKUP_KEY=KEY, SERVICE_BACKUP_REHEARSE="off")
    steps = place.run("backup", "now").steps
    for step in some_of(steps):
        shutil.rmtree(tmp_path / "kept")
        assert place.run("backup", "now", dies_at=step).returncode == -signal.SIGKILL
        if (tmp_path / "kept").exists():
            for name in kept(tmp_path):
                if not name.startswith("."):
                    assert place.run("backup", "verify", tmp_path / "kept" / name).returncode == 0
        time.sleep(max(0, 1.0 - time.time() % 1))
        done = place.run("backup", "now")
        assert done.returncode == 0, done.output


async def test_operators_alone_read_how_the_last_one_went(open_hall, tmp_path):
    async with open_hall(SERVICE_BACKUP_TO=str(tmp_path), SERVICE_BACKUP_EVERY="3600") as hall:
        assert (await hall.acme.org_owner.get("/api/admin/backups")).status_code == 403
        before = (await hall.operator.get("/api/admin/backups")).json()
        assert before["to"] == str(tmp_path) and (before["last"], before["overdue"]) == (None, False)
        assert (before["every_seconds"], before["encrypted"], before["rehearses"]) == (3600, False, True)
        host = hall.server.host_of("backup")
        last = {"name": "backup-1", "at_ms": hall.clock.now_ms(), "rehearsed": True}
        async with host.data.write() as writer:
            await host.service(InstanceFacts).set(writer, LAST, json.dumps(last))
        hall.clock.advance(seconds=2 * 3600 + 840)
        after = (await hall.operator.get("/api/admin/backups")).json()
        assert (after["last"]["name"], after["last"]["rehearsed"]) == ("backup-1", True)
        assert (after["last"]["age_seconds"] // 60, after["overdue"]) == (134, False)
        hall.clock.advance(seconds=60)
        assert (await hall.operator.get("/api/admin/backups")).json()["overdue"] is True


async def test_where_none_are_scheduled_none_is_overdue(hall):
    told = (await hall.operator.get("/api/admin/backups")).json()
    assert (told["to"], told["overdue"]) == (None, False)
