"""`guildhall backup verify`: one byte that changed is found, and the file it is in is named."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_database


@pytest.fixture
def copy(backups, tmp_path):
    return Path(shutil.copytree(backups.late, tmp_path / "copy"))


def change_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def kinds_of_files(backup: Path, dialect: str) -> list[Path]:
    """One of each kind, and the largest of those; only that of the tables is another on each database."""
    tables = sorted((backup / "database").iterdir(), key=lambda path: path.stat().st_size)
    if dialect == "postgresql":
        return [tables[-1]]
    blobs = [path for path in (backup / "blobs").rglob("*") if path.is_file()]
    named = ["manifest.json", "blobs.jsonl", "audit-anchors.log", "secret.key"]
    return [tables[-1], blobs[0], *(backup / name for name in named)]


def test_each_kind_of_file_is_named_when_a_byte_of_it_changes_or_it_is_gone(place, copy, dialect):
    assert place.run("backup", "verify", copy).returncode == 0
    for path in kinds_of_files(copy, dialect):
        before = path.read_bytes()
        change_byte(path)
        done = place.run("backup", "verify", copy)
        assert done.returncode in (1, 2) and path.name in done.output, (path, done.output)
        refused = place.run("restore", copy)
        assert refused.returncode == 2 and path.name in refused.output, (path, refused.output)
        path.unlink()
        done = place.run("backup", "verify", copy)
        assert done.returncode in (1, 2) and path.name in done.output, (path, done.output)
        path.write_bytes(before)
        path.chmod(0o600)
    assert place.run("restore", copy).returncode == 0


def test_a_manifest_that_was_made_to_fit_does_not_hide_other_rows(place, copy, dialect):
    """Whoever can write a manifest can write any; but a mistake of ours would show."""
    from builtin_plugins.backup import manifest as manifests

    path = copy / "manifest.json"
    content = json.loads(path.read_text())
    del content["sha256"]
    content["tables"]["notes"]["rows"] += 1
    content["sha256"] = manifests.manifest_digest(content)
    path.write_text(json.dumps(content))
    done = place.run("backup", "verify", copy)
    assert done.returncode == 1 and "the table notes has" in done.output
    refused = place.run("restore", copy)
    assert refused.returncode == 2 and "nothing was restored" in refused.output
    assert dialect == "postgresql" or not (place.data / "guildhall.db").exists()


def test_a_backup_is_readable_by_its_owner_alone_and_tells_what_it_holds(backups):
    manifest = json.loads((backups.late / "manifest.json").read_text())
    assert manifest["tables"]["notes"]["rows"] == 2
    assert {"owner": "kernel", "number": 1} in [
        {"owner": step["owner"], "number": step["number"]} for step in manifest["schema"]
    ]
    assert manifest["blobs"] == 2 and manifest["blob_bytes"] == 1_400_000
    modes = {stat.S_IMODE(path.stat().st_mode) for path in backups.late.rglob("*") if path.is_file()}
    assert modes == {0o600}
    folders = {stat.S_IMODE(Path(path).stat().st_mode) for path, _, _ in os.walk(backups.late)}
    assert folders == {0o700}


def test_a_backup_without_the_key_says_so_and_a_restore_asks_for_it(restored, another, tmp_path):
    done = restored.run("backup", tmp_path / "nightly")
    assert done.returncode == 0 and "the secret key is not in it" in done.output
    assert not (tmp_path / "nightly/secret.key").exists()
    key = (restored.data / "secret.key").read_text()
    assert key.strip() not in (tmp_path / "nightly/manifest.json").read_text()
    refused = another.run("restore", tmp_path / "nightly")
    assert refused.returncode == 2 and "the secret key is not in this backup" in refused.output
    another.data.mkdir(exist_ok=True)
    (another.data / "secret.key").write_text("another key, and long enough\n")
    (another.data / "secret.key").chmod(0o600)
    refused = another.run("restore", tmp_path / "nightly")
    assert refused.returncode == 2 and "sealed with another secret key" in refused.output
    (another.data / "secret.key").write_text(key)
    assert another.run("restore", tmp_path / "nightly").returncode == 0


@pytest.mark.parametrize("words", [("backup",), ("backup", "verify"), ("backup", "one", "two")])
def test_a_command_that_is_none_is_refused(place, words):
    done = place.run(*words)
    assert done.returncode == 2 and "usage: guildhall backup" in done.output
