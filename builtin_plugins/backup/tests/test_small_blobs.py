"""Bytes that lie in the database: scrubbed, backed up and restored with it, and there after a kill."""

import contextlib
import os
import re
from itertools import count

import pytest

from builtin_plugins.backup.tests.conftest import Clients, call

pytestmark = pytest.mark.any_database

SIZES = (0, 1, 16 * 1024, 16 * 1024 + 1)
DAMAGE = "UPDATE small_blobs SET content = :content WHERE sha256 = :sha256"
LOSE = "DELETE FROM small_blobs WHERE sha256 = :sha256"
CUT_OFF = "UPDATE small_blobs SET sha256 = :unused WHERE sha256 = :sha256"
# Versions without bytes in the database, and bytes without a version.
TORN = (
    "SELECT versions.sha256 FROM object_versions AS versions LEFT JOIN small_blobs AS small"
    " ON small.sha256 = versions.sha256 AND small.org_id = versions.org_id WHERE small.sha256 IS NULL"
    " UNION ALL SELECT small.sha256 FROM small_blobs AS small LEFT JOIN object_versions AS versions"
    " ON small.sha256 = versions.sha256 AND small.org_id = versions.org_id WHERE versions.sha256 IS NULL"
)


def put(base_url, token, key, content):
    return call(base_url, token, "PUT", f"/api/repo/{key}", content, "application/octet-stream")


def read(base_url, token, made):
    return call(base_url, token, "GET", f"/api/repo-obj/{made['id']}/content")


@pytest.mark.short_on("sqlite")
@pytest.mark.every_database
async def test_they_are_counted_verified_and_restored(place, another, bootstrap, tmp_path):
    bodies = [os.urandom(size) for size in SIZES]
    with place.serving() as base_url:
        token = bootstrap(base_url)["token"]
        made = [put(base_url, token, f"k{number}", body) for number, body in enumerate(bodies)]
        backed_up = place.run("backup", "--with-key", tmp_path / "nightly")
        assert backed_up.returncode == 0, backed_up.output
        assert re.search(r" 4 blobs \(3 in the tables\), 0\.0 MiB", backed_up.output), backed_up.output
        scrubbed = place.run("scrub")
        assert scrubbed.output.startswith("4 blobs, 0.0 MiB: all sound; 0 unused"), scrubbed.output
    verified = place.run("backup", "verify", tmp_path / "nightly")
    assert (verified.returncode, "4 blobs (3 in the tables)" in verified.output) == (0, True), verified.output
    restored = another.run("restore", tmp_path / "nightly")
    assert (restored.returncode, "4 blobs" in restored.output) == (0, True), restored.output
    assert another.run("scrub").returncode == 0
    with another.serving() as base_url:
        assert [read(base_url, token, one) for one in made] == bodies


async def test_what_is_damaged_lost_or_cut_off_is_named(place, bootstrap, tmp_path):
    with place.serving() as base_url:
        token = bootstrap(base_url)["token"]
        sound, bad, gone, cut = (
            put(base_url, token, key, key.encode())["sha256"] for key in ("sound", "bad", "gone", "cut")
        )
    await place.change(DAMAGE, content=b"baD", sha256=bad)
    await place.change(LOSE, sha256=gone)
    await place.change(CUT_OFF, unused="0" * 64, sha256=cut)
    scrubbed = place.run("scrub")
    assert scrubbed.returncode == 1
    (org,) = {row["org_id"] for row in await place.read("SELECT org_id FROM small_blobs")}
    expected = [f"corrupt  {org} {one}" for one in ("0" * 64, bad)]
    expected += [f"missing  {org} {one}" for one in sorted((gone, cut))]
    lines = scrubbed.output.splitlines()
    expected.append(f"unused   {org} {'0' * 64} 3 bytes")
    assert sorted(lines[:5]) == sorted(expected)
    assert lines[5].startswith("3 blobs, 0.0 MiB: 2 corrupt, 2 missing; 1 unused")
    backed_up = place.run("backup", tmp_path / "nightly")
    assert backed_up.returncode == 1, "its bytes cannot be had back"
    named = {tuple(line.split()) for line in backed_up.output.splitlines()}
    assert {("corrupt", org, bad), ("missing", org, gone), ("missing", org, cut)} <= named
    assert not any(sound in line for line in named)


async def test_after_a_kill_there_are_bytes_for_every_version_and_a_version_for_all_bytes(place, bootstrap):
    numbers = count()

    def write(name):
        """New ones, others' bytes, and some that are deleted again."""
        number = next(numbers)
        body = f"{number % 5}{name if number % 2 else 'the same'}".encode() * 40
        made = put(base_url, token, name, body)
        if number % 3 == 0:
            call(base_url, token, "DELETE", f"/api/repo-obj/{made['id']}")
            return None
        return made, body

    with place.killable() as (process, base_url):
        token = bootstrap(base_url)["token"]
        # One that is cut off does not know what became of its write.
        with contextlib.suppress(OSError), Clients(base_url, token, [write] * 4) as clients:
            clients.wait_for(20)
            process.kill()
    assert await place.read(TORN) == []
    with place.serving() as base_url:
        for kept in clients.acknowledged:
            if kept is not None:
                assert read(base_url, token, kept[0]) == kept[1]
    assert place.run("scrub").returncode == 0
