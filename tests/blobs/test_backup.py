"""A backup of an instance whose bytes are with an object store, and back into another place there."""

from dataclasses import replace

from builtin_plugins.backup.tests.conftest import ADA, Places, call, post


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
