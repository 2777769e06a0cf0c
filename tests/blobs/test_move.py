"""The file contents go into another store while the server serves; killed, the same command goes on."""

import os
import signal
from dataclasses import replace

import pytest

from builtin_plugins.backup.tests.conftest import ADA, Places, call, post
from builtin_plugins.backup.tests.test_killed import some_of

pytestmark = pytest.mark.any_database


@pytest.fixture
def places(tmp_path):
    made = Places(tmp_path)
    yield made
    made.remove()


@pytest.fixture
def stores(places, hall_database, s3_environment):
    """The same instance with its store in files, and with it in a bucket."""
    place = replace(places.make(hall_database), more=s3_environment)
    return place, replace(place, more={**s3_environment, "SERVICE_BLOB_STORE": "s3"})


class Files:
    """Files of Ada, and what was put into them."""

    def __init__(self) -> None:
        self.contents = {}

    def put(self, base_url, token, *names):
        for name in names:
            content = os.urandom(40_000)
            made = call(base_url, token, "PUT", f"/api/repo/{name}", content, "application/octet-stream")
            self.contents[made["id"]] = content

    def check(self, base_url):
        token = post(f"{base_url}/api/login", ADA)["token"]
        for id, content in self.contents.items():
            assert call(base_url, token, "GET", f"/api/repo-obj/{id}/content") == content
        return token


def said(place, *words, code=0):
    done = place.run(*words)
    assert done.returncode == code, done.output
    return done.output


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
def test_contents_move_while_serving_and_what_is_written_meanwhile_follows(stores):
    here, there = stores
    files = Files()
    with here.serving() as base_url:
        token = post(f"{base_url}/api/bootstrap", ADA)["token"]
        files.put(base_url, token, "one", "two")
        assert "2 blobs copied from rs3 to s3" in said(here, "blobs", "move", "--to", "s3")
        files.put(base_url, token, "meanwhile")
        assert "a move from rs3 to s3 has not ended" in said(here, "doctor")
    with there.serving() as base_url:
        assert "a move from rs3 to s3 has not ended" in said(there, "doctor")
        output = said(there, "blobs", "move", "--to", "s3")
        assert "1 blobs copied from rs3 to s3" in output and "nothing is missing in s3" in output
        files.put(base_url, files.check(base_url), "after")
        assert "ok (s3)\n" in said(there, "doctor") and "all sound" in said(there, "scrub")
        assert "in s3 already; nothing was moved" in said(there, "blobs", "move", "--to", "s3", code=2)
        assert "1 blobs copied from s3 to rs3" in said(there, "blobs", "move", "--to", "rs3")
    with here.serving() as base_url:
        assert "nothing is missing in rs3" in said(here, "blobs", "move", "--to", "rs3")
        files.check(base_url)


@pytest.mark.short_on("sqlite")
def test_a_killed_move_goes_on_by_the_same_command(stores):
    here, there = stores
    files = Files()
    with here.serving() as base_url:
        token = post(f"{base_url}/api/bootstrap", ADA)["token"]
        files.put(base_url, token, *(f"file-{number}" for number in range(20)))
    other = replace(here, more={**here.more, "S3_PREFIX": here.more["S3_PREFIX"] + "counted/"})
    steps = other.run("blobs", "move", "--to", "s3").steps
    for step in some_of(steps, in_short=1):
        assert here.run("blobs", "move", "--to", "s3", dies_at=step).returncode == -signal.SIGKILL
    said(here, "blobs", "move", "--to", "s3")
    with there.serving() as base_url:
        files.check(base_url)
        assert "0 blobs copied" in said(there, "blobs", "move", "--to", "s3")


def test_a_damaged_content_is_named_and_not_carried_along(stores):
    here, _ = stores
    files = Files()
    with here.serving() as base_url:
        files.put(base_url, post(f"{base_url}/api/bootstrap", ADA)["token"], "one", "two")
    damaged, gone = [path for path in (here.data / "blobs").rglob("??/*") if "store-mark" not in path.parts]
    damaged.write_bytes(b"x" + damaged.read_bytes()[1:])
    gone.unlink()
    output = said(here, "blobs", "move", "--to", "s3", code=1)
    assert f"corrupt  {damaged.parts[-3]} {damaged.name}" in output
    assert f"missing  {gone.parts[-3]} {gone.name}" in output
    assert "0 blobs copied" in output and "2 blobs are missing or corrupt" in output


def test_the_store_of_another_instance_is_left_alone(stores, places, hall_database):
    here, there = stores
    another = replace(places.make(hall_database), more=there.more)
    for place in (here, another):
        place.boot()
    output = said(here, "blobs", "move", "--to", "s3", code=2)
    assert "holds the file contents of another instance" in output


def test_a_store_that_nobody_brings_is_named_with_those_that_are_there(stores):
    here, _ = stores
    here.boot()
    output = said(here, "blobs", "move", "--to", "cellar", code=2)
    assert "no plugin brings a store named cellar; there is rs3, s3" in output
