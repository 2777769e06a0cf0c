"""`guildhall plugin check`: what a server refuses, what breaks the rules, and what an instance would see."""

import hashlib
from textwrap import dedent

import pytest

from kernel.plugins.tests.test_commands import BOXES, migrated

pytestmark = pytest.mark.any_database

PREFERENCE = """
    from guildhall_sdk import Preference
    from guildhall_sdk.schema import integer

    @hookimpl
    def declare_preferences():
        return [Preference(name="size", help="how large", schema=integer(1, 9), default=12,
                           write_permission="settings:manage")]
"""
ROUTE = """
    {handler}

    @hookimpl
    def declare_routes():
        return [
            Route("GET", "/api/toy", "toy", "A toy"),
            Route("GET", "open", open_box, "Open", permission="search"),
        ]
"""
READS = """
    from pathlib import Path
    from guildhall_sdk import load_queries
    sql = load_queries(Path(__file__).with_name("queries.sql"))
"""
#: What a server refuses of a plugin, and what it says; all that is called `toy` has another name there.
REFUSED = {
    "a hook that returns None": (
        "@hookimpl\ndef declare_dimensions():\n    pass",
        "declare_dimensions returns None; return what it declares, or leave it out",
    ),
    "a relative row's handler that is not async": (
        ROUTE.format(handler="def open_box(call): return {}"),
        "row GET /api/x/toy/open: the handler open_box must be async",
    ),
    "a relative row's handler with another signature": (
        ROUTE.format(handler="async def open_box(call, box): return {}"),
        "the handler open_box is called with (call): missing a required argument: 'box'",
    ),
    "a row's handler with another signature": (
        "async def toy(call, more): return Reply({})",
        "row GET /api/toy: the handler toy is called with (call): missing a required argument: 'more'",
    ),
    "a tool with another signature": (
        "async def toy_tool(arguments): return 'toy'\n"
        "@hookimpl\ndef declare_tools():\n    return [Tool('toy_tool', 'A toy', 'search', toy_tool)]",
        "Tool toy_tool: its handler is called with (reader, principal, arguments): too many positional",
    ),
    "a default that breaks its schema": (
        PREFERENCE,
        "preference size: its default does not fit its schema: ",
    ),
}


async def test_what_a_server_refuses_check_refuses_too(folder, open_with, command):
    reasons = {}
    for number, (source, reason) in enumerate(REFUSED.values()):
        name = f"box{number}"
        reasons[name] = reason.replace("toy", name)
        folder.write_renamed(name, dedent(source), {})
        code, printed = await command("plugin", "check", str(folder.path / name))
        assert code == 1 and printed.startswith(f"{name}: ") and reasons[name] in printed, printed
    async with open_with() as hall:
        found = {one.id: one for one in hall.server.registry.statuses() if one.id in reasons}
        assert {one.status for one in found.values()} == {"quarantined"}
        assert all(reason in found[name].reason for name, reason in reasons.items())


async def test_an_id_that_is_taken_is_refused(folder, command):
    home = folder.write("mine", id="notes")
    code, printed = await command("plugin", "check", str(home))
    assert (code, printed) == (
        1,
        "notes: [id-taken] the id notes is taken by the distribution guildhall-server; "
        f"this is the folder {home}: give it another id\n",
    )


async def test_an_import_of_the_kernel_breaks_the_rules(folder, command):
    home = folder.write("toy", "def later():\n    from kernel.boot import Server\n    return Server")
    (home / "more.py").write_text("import builtin_plugins.notes\n")
    (home / "tests").mkdir()
    (home / "tests" / "test_toy.py").write_text("from guildhall_testing.heartbeat import heartbeat\n")
    code, printed = await command("plugin", "check", str(home))
    assert code == 1 and "would be let in" not in printed
    assert (
        "toy: [forbidden-import] more.py:1 imports builtin_plugins.notes, which changes with every release"
        in printed
    )
    assert " imports kernel.boot, which changes with every release" in printed
    assert "heartbeat" not in printed


async def test_a_statement_about_a_table_of_another_breaks_the_rules(folder, command):
    home = folder.write("toy", READS)
    (home / "queries.sql").write_text(
        "-- name: titles\nSELECT title FROM notes WHERE team_id = :team_id\n\n"
        "-- name: people\nSELECT id FROM published_people WHERE org_id = :org_id\n"
    )
    code, printed = await command("plugin", "check", str(home))
    assert code == 1
    assert (
        "toy: [foreign-table] queries.sql: the statement titles names the table notes of notes: " in printed
    )
    assert "published_people" not in printed


HIDES = """
    from guildhall_sdk import Route, Statement

    async def peek(call):
        text = "the text of nobody"
        async with call.read() as reader:
            return await reader.one(Statement("hashes", "SELECT password_hash FROM users", text))
"""


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("select title from notes n join runs on runs.id = n.id", ["notes", "runs"]),
        ('SELECT title FROM published_people p, "notes" AS n', ["notes"]),
        ("SELECT title FROM main.notes", ["notes"]),
    ],
)
async def test_a_table_of_another_is_found_however_it_is_written(folder, command, statement, named):
    home = folder.write("toy", READS)
    (home / "queries.sql").write_text(f"-- name: titles\n{statement}\n")
    code, printed = await command("plugin", "check", str(home))
    assert code == 1
    for table in named:
        assert f"the statement titles names the table {table} of" in printed


async def test_a_statement_in_the_code_is_read_too(folder, command):
    home = folder.write("toy", HIDES)
    code, printed = await command("plugin", "check", str(home))
    assert code == 1 and " names the table users of kernel: read the views" in printed


OPENED = """
    from guildhall_sdk import Permission

    @hookimpl
    def declare_permissions():
        return [Permission(name="toy:open", description="Open toys")]
"""


def digest_of(path):
    """Every file of an instance with its content, but for what SQLite shares in memory."""
    return {
        file.relative_to(path): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(path.rglob("*"))
        if file.is_file() and not file.name.endswith(("-shm", "-wal"))
    }


@pytest.mark.hall_databases("sqlite")
async def test_with_data_it_says_what_would_change_in_that_instance(folder, open_with, command, tmp_path):
    migrated(folder)
    newer = tmp_path / "newer" / "toy"
    newer.parent.mkdir()
    async with open_with() as hall:
        data = hall.server.settings.data
        where = {"SERVICE_DATABASE_URL": hall.server.settings.database_url}
        code, printed = await command("plugin", "check", "--data", str(data), "toy", **where)
        assert code == 0
        assert "toy 1 was loaded at the last start\nnothing of it would change" in printed
        await hall.server.stop()
        before = digest_of(data)
        home = next(folder.path.iterdir()).rename(newer)
        (home / "migrations" / "0002_lids.sql").write_text("CREATE TABLE lids (id $ID PRIMARY KEY)")
        text = (home / "plugin.py").read_text().replace('"/api/toy"', '"/api/toy/all"')
        (home / "plugin.py").write_text(text + dedent(OPENED))
        code, printed = await command("plugin", "check", "--data", str(data), str(newer), **where)
        assert code == 0, printed
        assert printed.splitlines()[-5:] == [
            printed.splitlines()[-5],
            "would apply the migration 0002_lids.sql",
            "would add the permission toy:open",
            "would remove the route GET /api/toy (bearer)",
            "would add the route GET /api/toy/all (bearer)",
        ]
        (home / "migrations" / "0001_boxes.sql").write_text(BOXES + ";")
        code, printed = await command("plugin", "check", "--data", str(data), str(newer), **where)
        assert code == 1 and "0001_boxes.sql was changed after it had been applied" in printed
        assert digest_of(data) == before
        nowhere = await command("plugin", "check", "--data", str(tmp_path / "nothing"), str(newer))
        assert nowhere[0] == 2 and "there is no database" in nowhere[1]
        assert not (tmp_path / "nothing").exists()
