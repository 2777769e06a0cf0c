"""What an earlier version left opens with this one, and nothing of it is lost.

`sqlite.tar.xz` is the data folder, `postgresql.tar.xz` a backup with its key, of halls that `fill.py` filled
when the last migration of the kernel was 0030. From there on migrations only grow.
"""

import json
import tarfile
from contextlib import contextmanager

import pytest

from guildhall_testing.postgres import session_server
from tests import commands
from tests.upgrade.fill import PASSWORD, TEXT
from tests.upgrade.released import ENGINES, HERE, answers, holds, serving

RELEASED = sorted(path.parent.name for path in HERE.glob("*/sqlite.json"))


@contextmanager
def left_by(archive, engine, tmp_path):
    """The environment of a server on a copy of what an earlier version left."""
    with tarfile.open(archive) as kept:
        kept.extractall(tmp_path, filter="data")
    settings = {"SERVICE_DATA": str(tmp_path), "SERVICE_LOG_LEVEL": "error"}
    if engine == "sqlite":
        yield commands.bare_environment(**settings)
        return
    url = session_server().create_database()
    environ = commands.bare_environment(**settings, SERVICE_DATABASE_URL=url)
    done = commands.run(environ, ["restore", tmp_path / "backup"])
    assert done.returncode == 0, done.output
    yield environ
    session_server().drop_database(url)


@pytest.fixture(params=ENGINES)
def environ(request, tmp_path):
    with left_by(HERE / f"{request.param}.tar.xz", request.param, tmp_path) as environ:
        yield environ


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("version", RELEASED)
async def test_data_of_every_released_version_is_answered_as_it_was(version, engine, tmp_path):
    before = json.loads((HERE / version / f"{engine}.json").read_text())
    with left_by(HERE / version / f"{engine}.tar.xz", engine, tmp_path) as environ:
        async with serving(environ) as http:
            now = await answers(http)
        assert [path for path in before if not holds(now[path], before[path])] == []
        for words in (["audit", "verify"], ["upgrade", "status"]):
            done = commands.run(environ, words)
            assert done.returncode == 0, done.output


def test_every_released_version_left_its_data():
    assert "0.2.0" in RELEASED


async def test_what_an_earlier_version_left_opens_and_holds(environ):
    async with serving(environ) as http:
        await _signs_in(http, "ada")

        async def get(path, expected=200):
            answer = await http.get(path)
            assert answer.status_code == expected, answer.text
            return answer

        notes = (await get("/api/notes")).json()["items"]
        assert {note["title"]: note["body"] for note in notes} == {
            "For Grace": "A better plan.",
            "For all": "The hall is open.",
        }
        files = (await get("/api/repo?prefix=minutes/")).json()["items"]
        assert [file["key"] for file in files] == ["minutes/monday.md", "minutes/tuesday.md"]
        assert (await get(f"/api/repo-obj/{files[0]['id']}/content")).text == TEXT
        documents = (await get("/api/documents")).json()["items"]
        assert {document["title"] for document in documents} == {"Handbook", "monday", "tuesday"}
        jobs = (await get("/api/jobs")).json()["items"]
        counted = [job for job in jobs if job["kind"] == "x.example-tools.word-count"]
        assert sorted((job["state"], (job["result"] or {}).get("words")) for job in counted) == [
            ("queued", None),
            ("succeeded", 2),
        ]
        [run] = (await get("/api/runs")).json()["items"]
        assert (await get(f"/api/runs/{run['id']}")).json()["state"] == "succeeded"
        [trigger] = (await get("/api/doc-triggers")).json()["items"]
        assert trigger["match_prefix"] == "inbox/"
        executors = (await get("/api/executors")).json()["items"]
        assert [executor["name"] for executor in executors] == ["local", "elsewhere"]
        features = {
            feature["name"]: feature["enabled"] for feature in (await get("/api/features")).json()["items"]
        }
        assert features["chat"] is False
        assert len((await get("/api/s3/credentials")).json()["items"]) == 1
        actions = {event["action"] for event in (await get("/api/audit?limit=100")).json()["items"]}
        assert {"note.created", "executor.created"} <= actions
        # What is new about old things works too.
        versions = (await get(f"/api/notes/{notes[0]['id']}/versions")).json()["items"]
        assert versions[0]["version"] >= 1
        assert (await http.put("/api/repo/inbox/new.md", content=b"one two")).status_code == 201
        await _signs_in(http, "grace")
        assert [note["title"] for note in (await get("/api/notes")).json()["items"]] == [
            "For Grace",
            "For all",
        ]
    done = commands.run(environ, ["audit", "verify"])
    assert done.returncode == 0, done.output
    done = commands.run(environ, ["secrets", "rotate"])
    assert done.returncode == 0, done.output


async def _signs_in(http, username):
    answer = await http.post("/api/login", json={"username": username, "password": PASSWORD})
    assert answer.status_code == 200, answer.text
    http.headers["Authorization"] = f"Bearer {answer.json()['token']}"
