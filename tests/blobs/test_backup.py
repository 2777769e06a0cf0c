"""A backup of an instance whose bytes are with an object store, and back into another place there."""

import base64
import re
import shutil
from dataclasses import replace

import pytest

from builtin_plugins.backup.tests.conftest import ADA, Places, call, post
from builtin_plugins.s3_store.tests.object_store import s3_client


def test_bytes_in_an_object_store_are_backed_up_and_put_back(tmp_path, s3_environment):
    places = Places(tmp_path)
    more = {**s3_environment, "SERVICE_BLOB_STORE": "s3"}
    place = replace(places.make("sqlite"), more=more)
    elsewhere = {**more, "S3_PREFIX": more["S3_PREFIX"] + "restored/"}
    another = replace(places.make("sqlite"), more=elsewhere)
    content = b"0123456789" * 100_000
    with place.serving() as base_url:
        token = post(f"{base_url}/api/bootstrap", ADA)["token"]
        made = call(base_url, token, "PUT", "/api/repo/large", content, "text/plain")
        done = place.run("backup", "--with-key", tmp_path / "nightly")
    assert done.returncode == 0, done.output
    assert place.run("backup", "verify", tmp_path / "nightly").returncode == 0
    done = another.run("restore", tmp_path / "nightly")
    assert done.returncode == 0, done.output
    with another.serving() as base_url:
        token = post(f"{base_url}/api/login", ADA)["token"]
        assert call(base_url, token, "GET", f"/api/repo-obj/{made['id']}/content") == content


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(None, id="open", marks=pytest.mark.long_form),
        pytest.param(base64.b64encode(b"k" * 32).decode(), id="sealed"),
    ],
)
def test_backups_on_a_schedule_go_to_a_bucket_and_come_back(tmp_path, s3_environment, key):
    places = Places(tmp_path)
    prefix = s3_environment["S3_PREFIX"].replace(" ", "-") + "nightly"
    to = f"s3://{s3_environment['S3_BUCKET']}/{prefix}"
    more = {**s3_environment, "SERVICE_BACKUP_TO": to, "SERVICE_BACKUP_KEEP": "1"}
    more |= {"SERVICE_BACKUP_KEY": key} if key else {}
    place, another = (replace(places.make("sqlite"), more=more) for _ in range(2))
    bucket = s3_client(s3_environment["S3_ENDPOINT"])

    def kept():
        found = bucket.list_objects_v2(Bucket=s3_environment["S3_BUCKET"], Prefix=f"{prefix}/")
        return [entry["Key"].removeprefix(f"{prefix}/") for entry in found.get("Contents", ())]

    content = b"0123456789" * 100_000
    with place.serving() as base_url:
        token = post(f"{base_url}/api/bootstrap", ADA)["token"]
        made = call(base_url, token, "PUT", "/api/repo/large", content, "text/plain")
        first = place.run("backup", "now")
        assert first.returncode == 0 and "restored on trial" in first.output, first.output
        (older,) = kept()
        name = next(word for word in re.split(r"[\s/:,]", first.output) if word.startswith("backup-"))
        while name in (done := place.run("backup", "now")).output:  # each has a name by the second
            assert done.returncode == 0, done.output
        assert "1 older ones are removed" in done.output and older not in kept()
        assert "restored on trial" in place.run("doctor").output
    name = next(word for word in re.split(r"[\s/:,]", done.output) if word.startswith("backup-"))
    assert len(kept()) == 1 and name.endswith(".sealed") == bool(key)
    verified = place.run("backup", "verify", f"{to}/{name}")
    assert verified.returncode == 0 and "sound" in verified.output, verified.output
    assert "there is no backup" in place.run("backup", "verify", f"{to}/{name[:-3]}xyz").output
    another.data.mkdir()
    shutil.copy(place.data / "secret.key", another.data)
    restored = another.run("restore", f"{to}/{name}")
    assert restored.returncode == 0, restored.output
    with another.serving() as base_url:
        token = post(f"{base_url}/api/login", ADA)["token"]
        assert call(base_url, token, "GET", f"/api/repo-obj/{made['id']}/content") == content
    said = "".join(one.output for one in (first, done, verified, restored))
    assert s3_environment["S3_SECRET_ACCESS_KEY"] not in said
    assert [left.name for left in another.data.iterdir() if left.name.startswith(".opened")] == []
