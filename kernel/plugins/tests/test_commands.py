"""`guildhall plugin` and `doctor`: what they say of plugins that a server would, or did, leave out."""

import shutil

import pytest

from guildhall_sdk import Statement
from kernel.plugins.tests.restarting import environment, restarted

pytestmark = pytest.mark.any_database

MIGRATED = """
    from pathlib import Path

    @hookimpl
    def declare_migrations():
        return Migrations(Path(__file__).with_name("migrations"))
"""
BOXES = "CREATE TABLE boxes (id $ID PRIMARY KEY)"


def migrated(folder, text=BOXES, name="0001_boxes.sql", source=""):
    home = folder.write("toy", MIGRATED + source)
    (home / "migrations").mkdir()
    (home / "migrations" / name).write_text(text)
    return home


@pytest.mark.parametrize(
    ("text", "name", "source", "reason"),
    [
        ("CREATE TABEL boxes", "0001_boxes.sql", "", "[migration] toy: 0001_boxes.sql failed: "),
        (BOXES, "oops.sql", "", "[migration] toy: oops.sql is not named like 0001_name.sql"),
        (BOXES, "0001_boxes.sqlite.sql", "", "[migration] toy: 0001_boxes is missing for postgresql"),
        (
            BOXES,
            "0001_boxes.sql",
            """
    @hookimpl
    async def on_start(host):
        raise RuntimeError("no boxes today")
    """,
            "on_start failed: RuntimeError: no boxes today (plugin.py:",
        ),
    ],
)
async def test_check_tries_migrations_and_on_start(folder, command, text, name, source, reason):
    home = migrated(folder, text, name, source)
    code, printed = await command("plugin", "check", str(home))
    assert (code, printed.startswith("toy: ")) == (1, True), printed
    assert reason in printed
    assert printed.count("\n") == 1


async def test_check_lets_in_what_starts_and_leaves_nothing_behind(folder, command, tmp_path):
    migrated(folder)
    folder.write("other", "raise RuntimeError('nobody asked for this one')")
    code, printed = await command("plugin", "check", "toy")
    first, *brought = printed.splitlines()
    assert (code, first) == (0, "toy 1 would be let in: 2 routes, 1 tools")
    assert [line.split(maxsplit=1) for line in brought] == [
        ["route", "GET /api/toy (bearer)"],
        ["route", "GET /api/x/toy/mounted (search)"],
        ["feature", "toys"],
        ["tool", "toy_tool"],
        ["migration", "0001_boxes.sql"],
    ]
    assert not (tmp_path / "data").exists()


async def test_list_and_doctor_know_what_the_last_start_found(folder, open_with, command):
    migrated(folder, "CREATE TABEL boxes")
    async with open_with() as hall:
        code, listed = await command("plugin", "list", **environment(hall))
        row = next(line for line in listed.splitlines() if " toy " in line)
        assert code == 0
        assert row.startswith("quarantined") and "at the last start: toy: 0001_boxes.sql failed" in row
        code, printed = await command("doctor", **environment(hall))
        assert code == 1
        assert "toy is quarantined: at the last start: toy: 0001_boxes.sql failed" in printed


async def test_a_newer_version_beside_a_running_server_asks_for_a_restart(folder, open_with, command):
    home = folder.write("toy", version="1.0.0")
    async with open_with() as hall:
        manifest = home / "plugin.json"
        code, printed = await command("plugin", "list", **environment(hall))
        assert code == 0 and "restart" not in printed
        manifest.write_text(manifest.read_text().replace("1.0.0", "1.1.0"))
        (found,) = [
            one for one in (await hall.acme.member.get("/api/plugins")).json()["items"] if one["id"] == "toy"
        ]
        assert (found["version"], found["installed_version"]) == ("1.0.0", "1.1.0")
        asked = "1.1.0 is installed, 1.0.0 is running: restart"
        code, printed = await command("plugin", "list", **environment(hall))
        (row,) = [line for line in printed.splitlines() if " toy " in line]
        assert code == 0 and row.startswith("loaded") and asked in row
        _, printed = await command("doctor", **environment(hall))
        assert f"toy {asked}" in printed
        folder.write_renamed("other", "", {})
        _, printed = await command("plugin", "list", **environment(hall))
        (row,) = [line for line in printed.splitlines() if " other " in line]
        assert "1 is installed and not running: restart" in row
        await hall.server.stop()
        _, printed = await command("plugin", "list", **environment(hall))
        assert "restart" not in printed, "nobody runs the older one"


async def test_what_is_as_it_was_installed_says_so(hall):
    listed = (await hall.acme.member.get("/api/plugins")).json()["items"]
    assert listed and all(one["installed_version"] == one["version"] for one in listed)


async def test_list_says_when_there_is_no_database_to_look_into(folder, command):
    code, printed = await command("plugin", "list")
    assert code == 0
    assert "What a server found when it started cannot be told: there is no database" in printed


async def test_a_folder_that_is_not_there_is_one_clear_line(folder, command):
    for asked in (["plugin", "list"], ["serve"], ["scrub"]):
        code, printed = await command(*asked, SERVICE_PLUGINS="/nowhere/at/all")
        assert (code, printed) == (2, "guildhall: SERVICE_PLUGINS: there is no folder /nowhere/at/all\n")
    home = folder.write("toy")
    code, printed = await command("plugin", "list", SERVICE_PLUGINS=str(home))
    assert code == 2
    assert f"SERVICE_PLUGINS: {home} is a plugin itself; name the folder that it lies in" in printed


async def test_a_blocked_id_that_nobody_has_is_told(folder, command, open_with, caplog):
    async with open_with(SERVICE_PLUGINS_BLOCKED="nobdy") as hall:
        (told,) = [record for record in caplog.records if record.msg == "plugin.unknown_blocked"]
        assert told.fields["plugin"] == "nobdy"
        asked = {**environment(hall), "SERVICE_PLUGINS_BLOCKED": "nobdy"}
        _, printed = await command("doctor", **asked)
        assert "SERVICE_PLUGINS_BLOCKED: there is no plugin nobdy to block" in printed


JOBS = """
    from guildhall_sdk import JobKind

    @hookimpl
    def declare_job_kinds():
        return [JobKind("x.toy.box", "A box", validator=lambda result: None)]
"""
TWO_TABLES = """
CREATE TABLE crates (id $ID PRIMARY KEY);
CREATE TABLE boxes (id $ID PRIMARY KEY, crate_id $ID NOT NULL REFERENCES crates (id));
CREATE VIEW full_boxes AS SELECT id FROM boxes;
INSERT INTO crates (id) VALUES ('one');
INSERT INTO boxes (id, crate_id) VALUES ('a', 'one');
"""
LEFT = (
    "The plugin toy is not installed and has left: the table boxes, the table crates, the view full_boxes; "
    "1 applied migrations; 1 waiting jobs."
)


def both(name, text):
    return Statement(name, text, text)


STATE = both("state", "SELECT state, error_code FROM jobs WHERE id = :id")
PURGED = both("purged", "SELECT target_id FROM audit_events WHERE action = 'plugin.purged'")


@pytest.mark.every_database
async def test_what_an_uninstalled_plugin_left_is_named_and_can_be_purged(folder, open_with, command, caplog):
    home = migrated(folder, TWO_TABLES, source=JOBS)
    async with open_with() as hall:
        job = (await hall.acme.owner.post("/api/jobs", {"kind": "x.toy.box", "payload": {}})).json()
        async with hall.server.data.write() as writer:
            await writer.run(both("forget", "DELETE FROM schema_objects"))  # as before anybody kept a list
        refused = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert refused == (2, "guildhall: the plugin toy is installed; uninstall it first\n")
        broken = folder.write("other")
        home.rename(home.parent.parent / "toy")
        (broken / "plugin.json").write_text("{")
        code, printed = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert code == 2 and "cannot be read, and may be that of toy; mend it first" in printed
        shutil.rmtree(broken)
        code, printed = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        reason = "stop the server first"
        assert code == 2 and reason in printed
        await hall.server.stop()
        home.parent.joinpath("../toy").resolve().rename(home)
        await (await restarted(hall)).stop()
        home.rename(home.parent.parent / "toy")
        server = await restarted(hall)
        (told,) = [record for record in caplog.records if record.msg == "plugin.orphaned"]
        assert told.fields["detail"].startswith(LEFT)
        await server.stop()
        _, examined = await command("doctor", **environment(hall))
        assert LEFT in examined
        nobody = await command("plugin", "purge", "toy", **environment(hall))
        assert nobody[0] == 2 and "say --yes" in nobody[1]
        code, printed = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert (code, printed.splitlines()[-1]) == (0, "removed all that the plugin toy had left")
        again = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert again == (0, "the plugin toy has left nothing in the database\n")
        home.parent.joinpath("../toy").resolve().rename(home)
        server = await restarted(hall)
        try:
            assert "toy" in server.registry.plugin_ids(), "its migrations begin anew"
            async with server.data.read() as reader:
                state = await reader.one(STATE, id=job["id"])
                event = await reader.one(PURGED)
        finally:
            await server.stop()
        assert (state["state"], state["error_code"]) == ("cancelled", "plugin_removed")
        assert event["target_id"] == "toy"


LISTENING = """
    from guildhall_sdk import JobFailed, Subscription

    async def fail(call):
        raise JobFailed("later", "Not now.", retry=True)

    @hookimpl
    def declare_subscriptions():
        return [Subscription(name="notes", event="note.changed", handler=fail, doc="Fails.")]
"""
OUTBOX = both(
    "outbox",
    """
    INSERT INTO event_outbox
        (id, event_id, event, subscription, org_id, team_id, user_id, depth, payload, created_at)
    VALUES ('out_1', 'event_1', 'note.changed', 'events.toy.notes', 'org_1', :team_id, 'user_1', 0, '{}', 0)
    """,
)
PREFERENCE = both(
    "preference",
    """
    INSERT INTO team_preferences (team_id, plugin, name, value, schema, version, updated_at, updated_by)
    VALUES (:team_id, 'toy', 'colour', '"red"', '{}', 1, 0, 'user_1')
    """,
)


async def test_a_purge_removes_events_and_preferences_too(folder, open_with, command, caplog):
    home = folder.write("toy", LISTENING)
    async with open_with() as hall:
        await hall.acme.owner.post("/api/notes", {"title": "Boxes"})
        await hall.drain_jobs()
        await hall.server.stop()
        home.rename(home.parent.parent / "toy")
        server = await restarted(hall)
        async with server.data.write() as writer:
            await writer.run(OUTBOX, team_id=hall.acme.id)
            await writer.run(PREFERENCE, team_id=hall.acme.id)
        await server.stop()
        code, printed = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert code == 0
        left = "1 waiting jobs; 1 waiting events; 1 preferences"
        assert f"The plugin toy is not installed and has left: {left}." in printed
        again = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert again == (0, "the plugin toy has left nothing in the database\n")
        caplog.clear()
        await (await restarted(hall)).stop()
        assert not [
            record for record in caplog.records if record.msg in ("events.waiting", "plugin.orphaned")
        ]
