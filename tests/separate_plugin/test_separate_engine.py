"""A database engine that its author wrote from the docs, as a distribution of its own."""

import shutil
import signal
from pathlib import Path

import pytest

PROJECT = Path(__file__).with_name("engine_project")


def at(folder: Path) -> dict[str, str]:
    return {"SERVICE_DATABASE_URL": f"plain-sqlite:///{folder / 'plain.db'}"}


def stop(hall):
    hall.process.send_signal(signal.SIGTERM)
    assert hall.process.wait(60) == 0


def test_a_hall_stands_on_it_and_serves_notes_after_a_restart_too(installation, serve, tmp_path):
    with serve(tmp_path, **at(tmp_path)) as hall:
        note = hall.call("acme.member", "POST", "/api/notes", {"title": "Tea", "body": "Buy some."})
        assert note.status_code == 201, note.text
        path = f"/api/notes/{note.json()['id']}"
        assert hall.call("globex.member", "GET", path).status_code == 404
        found = hall.call("acme.member", "GET", "/api/search?q=tea").json()["items"]
        assert [hit["id"] for hit in found] == [note.json()["id"]]
        beside = installation.run("doctor", where=tmp_path, **at(tmp_path))
        assert "database    ok (plain-sqlite)\n" in beside.stdout, beside.stdout + beside.stderr
        assert beside.returncode == 0
        tokens = hall.tokens
        stop(hall)
    again = installation.start("serve", where=tmp_path, SERVICE_BIND=hall.base_url[7:], **at(tmp_path))
    try:
        assert "Guildhall" in again.stdout.readline(), (tmp_path / "log").read_text()
        hall.tokens = tokens
        assert hall.call("acme.member", "GET", path).json()["title"] == "Tea"
    finally:
        again.kill()
        again.communicate()


@pytest.mark.long_form
def test_commands_open_it_beside_no_server(installation, serve, tmp_path):
    with serve(tmp_path, **at(tmp_path)) as hall:
        stop(hall)
    verified = installation.run("audit", "verify", where=tmp_path, **at(tmp_path))
    assert (verified.returncode, verified.stderr) == (0, ""), verified.stdout
    refused = installation.run("backup", "copy", where=tmp_path, **at(tmp_path))
    assert refused.returncode != 0
    assert "the engine plain-sqlite makes no copies" in refused.stderr


def test_what_it_cannot_do_is_said_before_anything_begins(installation, tmp_path):
    several = installation.run("serve", "--workers", 2, where=tmp_path, **at(tmp_path))
    assert (several.returncode, several.stdout) == (2, "")
    assert several.stderr == (
        "guildhall: --workers 2 needs a database that several processes share, or leave --workers out\n"
    )


@pytest.mark.long_form
def test_without_it_the_boot_says_what_is_missing(installation, tmp_path):
    blocked = {**at(tmp_path), "SERVICE_PLUGINS_BLOCKED": "plain-sqlite"}
    for words in (["serve"], ["audit", "verify"]):
        refused = installation.run(*words, where=tmp_path, **blocked)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "the plugin plain-sqlite, which opens plain-sqlite://, is blocked" in refused.stderr
        assert refused.stderr.count("\n") == 1
    unknown = {"SERVICE_DATABASE_URL": "mysql://ada:sesame@127.0.0.1/hall"}
    refused = installation.run("serve", where=tmp_path, **unknown)
    assert refused.returncode == 2
    assert "no plugin brings an engine for mysql://" in refused.stderr
    assert "plain-sqlite:///path" in refused.stderr
    assert "sesame" not in refused.stderr


def test_it_keeps_what_every_engine_promises(installation, tmp_path):
    folder = shutil.copytree(PROJECT, tmp_path / "project")
    tested = installation.run_python("-m", "pytest", "-q", where=folder)
    assert tested.returncode == 0, tested.stdout + tested.stderr
