"""SQL has owners: a statement names its own plugin's tables, and of others what they publish."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from builtin_plugins.passkeys.authenticator import SoftwareAuthenticator
from guildhall_sdk import Statement
from libs import source_reading
from tests.documented import files_of

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/plugins/views.md"
PLUGINS = ("builtin_plugins", "plugins", "tests/separate_plugin/project/src")

#: Tables that migrations of the kernel made, and the plugin that works on them since it left the kernel.
SHARED = {
    "audit_events": "audit",
    "audit_heads": "audit",
    "audit_checkpoints": "audit",
    "team_preferences": "preferences",
    "org_preferences": "preferences",
    "plugin_records": "operations",
    "provision_failures": "companies",
    "team_toggles": "tools",
}

#: What a trigger of a table of credentials does, as the page says.
MOVED_ACCESS = "UPDATE access_version SET version = hex(randomblob(16))"

_MADE = re.compile(r"\bCREATE\s+(?:VIRTUAL\s+)?(TABLE|VIEW)\s+(?:IF NOT EXISTS\s+)?(\w+)")


def code_of(path):
    return source_reading.code_of(path.read_text("utf-8"))


def files_by_owner():
    """The SQL of the kernel, and of each folder of a plugin."""
    homes = [home for group in PLUGINS for home in (ROOT / group).iterdir() if home.is_dir()]
    return {home.name: sorted(home.rglob("*.sql")) for home in [ROOT / "kernel", *homes]}


def made(kind):
    """Names of tables or views to whoever makes them."""
    return {
        name: owner
        for owner, files in files_by_owner().items()
        for path in files
        for made_kind, name in _MADE.findall(code_of(path))
        if made_kind == kind
    }


def documented_views():
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", (ROOT / PAGE).read_text("utf-8"), re.MULTILINE)
    return {view: re.findall(r"`(\w+)`", columns) for view, columns in rows}


def published_keys():
    keys = (ROOT / PAGE).read_text("utf-8").partition("\n## Keys\n")[2].partition("\n## ")[0]
    return re.findall(r"`(\w+) \(([\w, ]+)\)`", keys)


def foreign_names(owner, code, tables):
    """Tables of somebody else that the code names, but for the keys that are there to be referenced."""
    for table, columns in published_keys():
        code = re.sub(rf"\bREFERENCES {table} \({columns}\)", "", code)
    code = code.replace(MOVED_ACCESS, "")
    named = set(source_reading.tables_named_in(code))
    return {name for name in named if owner not in (tables.get(name, owner), SHARED.get(name))}


def test_a_statement_names_tables_of_its_own_plugin_alone():
    tables, foreign = made("TABLE"), defaultdict(set)
    for owner, files in files_by_owner().items():
        for path in files:
            if names := foreign_names(owner, code_of(path), tables):
                foreign[str(path.relative_to(ROOT))] |= names
    assert not foreign


@pytest.mark.parametrize(
    "code",
    [
        "SELECT 1 FROM mine JOIN\n    theirs ON theirs.id = mine.id",
        "SELECT 1 FROM mine AS m, json_each(:x) AS one, theirs WHERE 1 = 1",
        "SELECT (SELECT id FROM theirs) FROM mine",
        "INSERT INTO theirs (id) VALUES (1)",
        "UPDATE theirs SET id = 1",
        "DELETE FROM theirs",
        "CREATE INDEX theirs_by_id ON theirs (id)",
        "ALTER TABLE theirs ADD COLUMN x TEXT",
        "CREATE TABLE mine (id TEXT REFERENCES theirs (id))",
        "CREATE TABLE mine (id TEXT REFERENCES users (username_key))",
    ],
)
def test_every_way_to_name_a_foreign_table_is_found(code):
    assert foreign_names("me", code, {"mine": "me", "theirs": "them", "users": "kernel"})


def test_what_is_no_table_is_not_taken_for_one():
    code = "SELECT theirs, a.theirs FROM mine AS theirs JOIN b AS theirs ON theirs.x = :theirs"
    assert foreign_names("me", code, {"mine": "me", "theirs": "them"}) == set()


def test_every_view_is_documented():
    assert sorted(documented_views()) == sorted(made("VIEW"))


async def test_the_views_have_the_columns_that_are_documented(hall):
    made = (await hall.acme.owner.put("/api/repo/a.txt", content=b"a")).json()
    await hall.tool("doc_render", as_=hall.acme.owner, object=made["id"], template="a", data={})
    await hall.acme.owner.post("/api/profile", {"email": "owner@example.com"})
    invited = {"username": "ada", "role": "member", "email": "ada@example.com"}
    await hall.acme.owner.post("/api/members", invited)
    await hall.acme.member.post("/api/session/confirm", {"password": hall.password})
    options = (await hall.acme.member.post("/api/passkeys/options", {})).json()
    key = SoftwareAuthenticator(hall.base_url).create(options)
    await hall.acme.member.post("/api/passkeys/register", {"name": "Key", "credential": key})
    await hall.acme.member.post("/api/2fa/passkeys", {})
    for view, columns in documented_views().items():
        text = f"SELECT * FROM {view} LIMIT 1"
        async with hall.server.data.read() as reader:
            row = await reader.one(Statement("one", text, text))
        assert list(row) == columns, view


async def test_the_example_of_the_page_shows_names_and_forgets_who_left(open_hall, tmp_path):
    files_of(PAGE, "duty", tmp_path)
    path = "/api/x/duty/people"
    async with open_hall(SERVICE_PLUGINS=str(tmp_path)) as hall:
        owner, guest = hall.acme.owner, await hall.join(hall.acme)
        begun = (await guest.post(path)).json()
        assert begun == (await owner.get(path)).json() == {"names": [guest.person.username]}
        assert (await hall.globex.owner.get(path)).json() == {"names": []}
        assert (await owner.delete(f"/api/members/{guest.user_id}")).status_code < 300
        assert (await owner.get(path)).json() == {"names": []}
