"""A company leaves with all that is its own, comes to another instance, or is erased; so is a person."""

import hashlib
import io
import json
import os
import signal
import sqlite3
import urllib.error
import zipfile

import pytest

from builtin_plugins.backup.erasing import BELONGING, OF_TEAMS, PRIVATE, SHARED
from builtin_plugins.backup.ownership import read_ownership
from builtin_plugins.backup.tests.conftest import ADA, call
from builtin_plugins.backup.tests.test_killed import some_of
from builtin_plugins.passkeys.authenticator import SoftwareAuthenticator
from tests.test_readme import post

pytestmark = pytest.mark.any_database
BOB = {"username": "bob", "password": "a long enough password"}


@pytest.fixture
def lived_in(place):
    """A company with notes, files and people; returns the place and what Ada found there."""
    with place.serving() as base_url:
        token = post(f"{base_url}/api/bootstrap", ADA)["token"]
        slug = call(base_url, token, "GET", "/api/whoami")["org"]["slug"]
        bob = post(f"{base_url}/api/members", {"username": "bob", "role": "member"}, token)
        link = post(f"{base_url}/api/members/{bob['member']['user_id']}/invitation", {}, token)["url"]
        its = link.split("token=")[1]
        theirs = post(f"{base_url}/api/activate", {"token": its, "password": BOB["password"]})["token"]
        post(f"{base_url}/api/notes", {"title": "findable team", "visibility": "team"}, theirs)
        post(f"{base_url}/api/notes", {"title": "findable secret", "body": "of bob alone"}, theirs)
        for name, size in (("small", 300), ("large", 700_000)):
            call(base_url, token, "PUT", f"/api/repo/{name}", os.urandom(size), "application/octet-stream")
        own = call(base_url, theirs, "PUT", "/api/repo/bobs", os.urandom(600_000), "application/octet-stream")
        post(f"{base_url}/api/repo-obj/{own['id']}/visibility", {"visibility": "private"}, theirs)
        found = contents(base_url)
    return place, slug, found


def contents(base_url, who=ADA):
    token = post(f"{base_url}/api/login", who)["token"]
    files = {
        item["id"]: hashlib.sha256(
            call(base_url, token, "GET", f"/api/repo-obj/{item['id']}/content")
        ).hexdigest()
        for item in call(base_url, token, "GET", "/api/repo")["items"]
    }
    notes = {note["id"]: note["title"] for note in call(base_url, token, "GET", "/api/notes")["items"]}
    hits = call(base_url, token, "GET", "/api/search?q=findable")["items"]
    return {
        "files": files,
        "notes": notes,
        "found": sorted(hit["title"] for hit in hits),
        "me": call(base_url, token, "GET", "/api/whoami")["user"]["id"],
    }


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
def test_a_company_goes_to_another_instance_with_ids_and_passwords(lived_in, places, dialect, tmp_path):
    place, slug, before = lived_in
    done = place.run("export", "--org", slug, tmp_path / "out")
    assert done.returncode == 0, done.output
    other = places.make("sqlite" if dialect == "postgresql" else "postgresql")
    with other.serving() as base_url:
        zoe = {"username": "zoe", "password": "another long password", "org": "Others"}
        post(f"{base_url}/api/bootstrap", zoe)
        done = other.run("import", tmp_path / "out")
        assert done.returncode == 0, done.output
        assert contents(base_url) == before
        assert contents(base_url, BOB)["found"] == ["findable secret", "findable team"]
        token = post(f"{base_url}/api/login", BOB)["token"]
        post(f"{base_url}/api/notes", {"title": "goes on"}, token)
        with pytest.raises(urllib.error.HTTPError) as refused:
            call(base_url, post(f"{base_url}/api/login", ADA)["token"], "GET", "/api/orgs")
        assert refused.value.code in (403, 404), "nobody becomes an operator by it"
        again = other.run("import", tmp_path / "out")
        assert again.returncode == 2 and "is here already; nothing was imported" in again.output
    for command in (("audit", "verify"), ("scrub",)):
        done = other.run(*command)
        assert done.returncode == 0, (command, done.output)


def test_an_import_refuses_a_username_that_is_taken_and_what_was_changed(lived_in, another, tmp_path):
    place, slug, _ = lived_in
    assert place.run("export", "--org", slug, tmp_path / "out").returncode == 0
    with another.serving() as base_url:
        post(f"{base_url}/api/bootstrap", {**ADA, "org": "Others"})
    done = another.run("import", tmp_path / "out")
    assert done.returncode == 2 and "nothing was imported" in done.output
    notes = tmp_path / "out/tables/notes.jsonl"
    notes.write_text(notes.read_text().replace("findable team", "findable tram"))
    done = another.run("import", tmp_path / "out")
    assert done.returncode == 2 and "notes.jsonl is missing or damaged" in done.output


def test_there_is_no_export_of_a_company_that_is_not_there(lived_in, tmp_path):
    place, _, _ = lived_in
    for words in (("export", "--org", "nobody", tmp_path / "out"), ("erase", "--org", "nobody", "--yes")):
        done = place.run(*words)
        assert done.returncode == 2 and "there is no company nobody" in done.output
    assert not (tmp_path / "out").exists()


def words_in(place, dialect):
    """Every text that the database holds, with what pages of a file were freed."""
    if dialect == "sqlite":
        with sqlite3.connect(place.data / "guildhall.db") as connection:
            return "\n".join(connection.iterdump())
    return None


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_an_erased_company_is_gone_and_another_one_stays(lived_in, tmp_path, dialect):
    place, _, _ = lived_in
    with place.serving(SERVICE_MULTITENANT="1") as base_url:
        token = post(f"{base_url}/api/login", ADA)["token"]
        owner = {"username": "lee", "password": "a long enough password"}
        made = post(f"{base_url}/api/orgs", {"name": "Leavers", "owner": owner}, token)["org"]
        org_id, their_slug = made["id"], made["slug"]
        theirs = post(f"{base_url}/api/login", owner)["token"]
        post(f"{base_url}/api/notes", {"title": "of the leavers"}, theirs)
        call(base_url, theirs, "PUT", "/api/repo/large", os.urandom(600_000), "application/octet-stream")
        unasked = place.run("erase", "--org", their_slug)
        assert unasked.returncode == 2 and "nothing was erased" in unasked.output
        done = place.run("erase", "--org", their_slug, "--yes")
        assert done.returncode == 0, done.output
        receipt = json.loads(done.stdout)
        assert receipt["id"] == org_id and receipt["rows"]["users"] == 1 and len(receipt["signature"]) == 64
        assert receipt["not_covered"] == []
        assert contents(base_url)["notes"], "the other company works on"
    assert await place.read(f"SELECT id FROM orgs WHERE id = '{org_id}'") == []
    kept = await place.read(f"SELECT actor_name, detail FROM audit_events WHERE chain = '{org_id}'")
    assert kept and all(row["actor_name"] == "erased" and "lee" not in row["detail"] for row in kept)
    if (said := words_in(place, dialect)) is not None:
        assert "Leavers" not in said and their_slug not in said
    for command in (("audit", "verify"), ("scrub",), ("doctor",)):
        done = place.run(*command)
        assert done.returncode == 0, (command, done.output)


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_an_erased_person_is_gone_and_what_the_team_sees_stays(lived_in, dialect):
    place, _, before = lived_in
    blobs = {path.name for path in (place.data / "blobs").rglob("*") if path.is_file()}
    with place.serving() as base_url:
        theirs = post(f"{base_url}/api/login", BOB)["token"]
        done = place.run("erase", "--person", "bob", "--yes")
        assert done.returncode == 0, done.output
        assert json.loads(done.stdout)["erased"] == "person"
        with pytest.raises(urllib.error.HTTPError) as refused:
            call(base_url, theirs, "GET", "/api/whoami")
        assert refused.value.code in (401, 403)
        assert contents(base_url) == before
        again = place.run("erase", "--person", "bob", "--yes")
        assert again.returncode == 2 and "there is no person bob" in again.output
    after = {path.name for path in (place.data / "blobs").rglob("*") if path.is_file()}
    assert len(blobs - after) == 1, "the contents of what was theirs alone"
    if (said := words_in(place, dialect)) is not None:
        assert "findable secret" not in said and "'bob'" not in said and '"bob"' not in said
    for command in (("audit", "verify"), ("scrub",)):
        done = place.run(*command)
        assert done.returncode == 0, (command, done.output)


#: Rows of a person, by table; what they belong to comes first.
OF_A_PERSON = {
    "oauth_clients": "'app', 'An app', '[]', 1, 1",
    "oauth_grants": "'grant', '{org}', '{team}', '{user}', 'app', 's', 'u', 'c', 'h', 1, 1, 1, 1, NULL",
    "oauth_tokens": "'t', 'id', 'grant', '{org}', 'a', 'ah', 1, 1, 0",
    "passkeys": "'key', '{user}', '{org}', 'h', 'c', 'p', 0, '[]', 1, 0, 'n', 1, 1",
    "push_devices": "'push', '{org}', '{user}', '{session}', 'https://push.test/1', 'h', 'p', 's', NULL, 1",
    "push_messages": "'push', 'ntf', '{org}', '{{}}', 0, 1",
    "scim_tokens": "'st', '{org}', '{team}', '{user}', 'h', 'n', NULL, 1, NULL, NULL, NULL",
    "scim_users": "'{user}', '{org}', 'bob', 'bob', 'x', '{{}}', 1",
    "scim_groups": "'group', '{org}', '{team}', NULL, 'g', NULL, 0, 1, 1",
    "scim_members": "'group', '{user}', '{org}', NULL",
    "sign_in_ways": "'way', '{org}', 'oidc', 'w', '{{}}', '[]', '{{}}', 0, 1",
    "sign_in_links": "'way', 'subject', '{user}', '{org}', 1",
    "sign_in_grants": "'way', '{team}', '{user}', '{org}'",
    "sign_in_sessions": "'{session}', 'way', '{org}', '{user}', NULL, 'h'",
}
STAYS = {"oauth_clients", "scim_groups", "sign_in_ways"}


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_a_person_with_every_way_to_come_in_is_erased(lived_in, tmp_path):
    place, slug, _ = lived_in
    find = "SELECT m.user_id, u.org_id, m.team_id, c.id FROM memberships AS m"
    (row,) = await place.read(
        f"{find} JOIN users AS u ON u.id = m.user_id JOIN credentials AS c ON c.user_id = u.id"
        " WHERE u.username = 'bob' LIMIT 1"
    )
    ids = {"user": row["user_id"], "org": row["org_id"], "team": row["team_id"], "session": row["id"]}
    for table, values in OF_A_PERSON.items():
        await place.change(f"INSERT INTO {table} VALUES ({values.format(**ids)})")
    done = place.run("export", "--org", slug, tmp_path / "out")
    assert done.returncode == 0, done.output
    written = {path.stem for path in (tmp_path / "out/tables").iterdir()}
    assert {"passkeys", "scim_users", "sign_in_links"} <= written
    assert not written & {"oauth_clients", "oauth_grants", "oauth_tokens", "passkey_answers", "sign_in_used"}
    done = place.run("erase", "--person", "bob", "--yes")
    assert done.returncode == 0, done.output
    for table in OF_A_PERSON:
        left = await place.read(f"SELECT * FROM {table}")
        assert bool(left) == (table in STAYS), table
    again = place.run("erase", "--org", slug, "--yes")
    assert again.returncode == 0, again.output


def test_a_killed_export_import_or_erase_goes_on_by_the_same_command(lived_in, places, dialect, tmp_path):
    place, slug, _ = lived_in
    steps = place.run("export", "--org", slug, tmp_path / "out").steps
    for number, step in enumerate(some_of(steps, in_short=1)):
        target = tmp_path / f"killed-{number}"
        place.run("export", "--org", slug, target, dies_at=step)
        if not target.exists():
            assert place.run("export", "--org", slug, target).returncode == 0
        assert [path.name for path in tmp_path.glob(".killed*")] == []
    counted = places.make(dialect)
    counted.boot()
    steps = counted.run("import", tmp_path / "out").steps
    for step in some_of(steps, in_short=1):
        other = places.make(dialect)
        other.boot()
        assert other.run("import", tmp_path / "out", dies_at=step).returncode == -signal.SIGKILL
        done = other.run("import", tmp_path / "out")
        assert done.returncode == 0 or "is here already" in done.output, done.output
        with other.serving() as base_url:
            assert contents(base_url)["found"] == ["findable team"]
    steps = counted.run("erase", "--org", slug, "--yes").steps
    for step in some_of(steps, in_short=1):
        assert other.run("erase", "--org", slug, "--yes", dies_at=step).returncode == -signal.SIGKILL
        done = other.run("erase", "--org", slug, "--yes")
        assert done.returncode == 0 or "there is no company" in done.output
        assert other.run("audit", "verify").returncode == 0


async def test_every_table_is_a_companys_or_said_to_be_the_instances(hall):
    """Whoever adds one gives it `org_id`, `team_id`, or a key to a table that has one."""
    async with hall.server.data.read() as reader:
        ownership = await read_ownership(reader)
    assert ownership.uncovered == []
    owners = {one.name for one in ownership.owned if "owner_id" in one.columns}
    assert owners == set(PRIVATE) | OF_TEAMS, "whose are they when their owner is forgotten?"
    assert not SHARED - ownership.tables.keys()
    their = {one.name for one in ownership.owned if "user_id" in one.columns} - SHARED - {"memberships"}
    belong = {
        one.name
        for one in ownership.owned
        if "user_id" not in one.columns and {reference.table for reference in one.references} & their
    }
    assert belong - set(PRIVATE) == set(BELONGING), "what is erased with them?"


async def test_an_owner_downloads_the_company_without_what_one_signs_in_with(hall):
    assert (await hall.acme.org_admin.post("/api/org/export")).status_code == 403
    owner = hall.acme.org_owner
    answer = await owner.post("/api/org/export")
    assert answer.status_code == 202, answer.text
    await hall.drain_jobs()
    job = (await owner.get(f"/api/jobs/{answer.json()['job']['id']}")).json()
    assert job["state"] == "succeeded", job
    path = "/api/org/export/download?" + job["result"]["url"].split("?")[1]
    packed = await hall.anonymous.get(path)
    assert packed.status_code == 200 and packed.headers["content-type"] == "application/zip"
    assert int(packed.headers["content-length"]) == len(packed.content)
    # Another server has another data folder: the file is where all of them find it.
    assert [*(hall.server.settings.data / "exports").iterdir()] == []
    with zipfile.ZipFile(io.BytesIO(packed.content)) as files:
        names = files.namelist()
        users = [json.loads(line) for line in files.read("tables/users.jsonl").splitlines()]
    assert "company.json" in names and "tables/scim_users.jsonl" in names
    for table in ("credentials", "oauth_tokens", "passkeys", "scim_tokens", "sign_in_sessions"):
        assert f"tables/{table}.jsonl" not in names
    assert users and all(user["password_hash"] is None for user in users)
    assert {user["org_id"] for user in users} == {hall.acme.org_id}
    assert (await hall.anonymous.get(path[:-1])).status_code == 404
    hall.clock.advance(hours=24)
    assert (await hall.anonymous.get(path)).status_code == 404


async def test_a_download_is_for_who_still_owns_the_company(hall):
    person = await hall.join(hall.acme, "member")
    row = f"/api/org/members/{person.user_id}"
    assert (await hall.acme.org_owner.patch(row, {"org_role": "org_owner"})).status_code == 200
    asked = (await person.post("/api/org/export")).json()["job"]["id"]
    await hall.drain_jobs()
    url = (await person.get(f"/api/jobs/{asked}")).json()["result"]["url"]
    path = "/api/org/export/download?" + url.split("?")[1]
    assert (await hall.anonymous.get(path)).status_code == 200
    assert (await hall.acme.org_owner.patch(row, {"org_role": "org_admin"})).status_code == 200
    assert (await hall.anonymous.get(path)).status_code == 404


async def test_an_owner_with_a_passkey_takes_the_company_along_in_a_fresh_session_alone(hall):
    owner, key = hall.acme.org_owner, SoftwareAuthenticator(hall.base_url)
    await owner.post("/api/session/confirm", {"password": hall.password})
    options = (await owner.post("/api/passkeys/options", {})).json()
    made = await owner.post("/api/passkeys/register", {"name": "Key", "credential": key.create(options)})
    assert made.status_code == 201, made.text
    hall.clock.advance(minutes=20)
    refused = await owner.post("/api/org/export")
    assert (refused.status_code, refused.json()["code"]) == (403, "reauthentication_required")
    assert (await owner.get("/api/jobs")).json()["items"] == []
    await owner.post("/api/session/confirm", {"password": hall.password})
    assert (await owner.post("/api/org/export")).status_code == 202
