"""`guildhall plugin purge`: what others stored for a plugin goes with it, is shown before, and only then."""

from textwrap import dedent

import pytest

from guildhall_sdk import Statement
from kernel.plugins.tests.restarting import environment, restarted, serving_again
from tests.documented import files_of

pytestmark = pytest.mark.any_database

SHELF = """
    from pathlib import Path
    from guildhall_sdk import SearchSource, Setting, Workflow, load_queries, new_id
    from guildhall_sdk.dimensions import Dimension
    from guildhall_sdk.retention import Retained, days_setting
    from guildhall_sdk.services.localization import MessageCatalogs
    from guildhall_sdk.dimensions import Quotas
    from guildhall_sdk.services.search import Findable, SearchIndex

    HERE = Path(__file__).parent
    sql = load_queries(HERE / "queries.sql")
    DAYS = days_setting("keep_days", what="boxes", default=30)

    async def none(*arguments):
        return 0

    async def add(call):
        caller, box = call.principal, new_id("box", call.now_ms)
        async with call.write() as writer:
            await writer.run(sql.insert, id=box, team_id=caller.team_id)
            found = Findable("box", box, caller.org_id, caller.team_id, "Secret crate", "with a lid")
            await call.service(SearchIndex).put(writer, found)
            await call.service(Quotas).adjust(writer, caller.org_id, caller.team_id, "toy.boxes", 1)
        return {"id": box}

    @hookimpl
    def declare_settings():
        return [DAYS]

    @hookimpl
    def declare_routes():
        return [
            Route("GET", "/api/toy", "toy", "A toy", feature="toys"),
            Route("POST", "boxes", add, "Add a box", permission="search", body={}),
        ]

    @hookimpl
    def declare_dimensions():
        return [Dimension("toy.boxes", "Boxes", "stock")]

    @hookimpl
    def declare_search_sources():
        return [SearchSource("box", "search", "/api/x/toy/{id}", sql.readable, sql.readable)]

    @hookimpl
    def declare_workflows():
        spec = {
            "slug": "boxing", "version": 1, "name": "Boxing", "start": "one",
            "steps": [{"name": "one", "kind": "tool", "tool": "toy_tool", "with": {}}],
        }
        return [Workflow(spec)]

    @hookimpl
    def declare_catalogs():
        return [MessageCatalogs(namespace="toy", folder=HERE / "texts")]

    @hookimpl
    def declare_retained():
        return [Retained(name="toy_boxes", title="boxes", keep_days=DAYS, count=none, delete_expired=none)]

    @hookimpl
    def declare_migrations():
        return Migrations(HERE / "migrations")
"""
QUERIES = """
-- name: insert
INSERT INTO boxes (id, team_id) VALUES (:id, :team_id)

-- name: readable
SELECT 1 FROM boxes WHERE boxes.id = hit.ref_id AND boxes.team_id = :team_id
"""
LEFT = (
    "The plugin toy is not installed and has left: the table boxes; 1 applied migrations; "
    "2 switches of teams for it and its features; 1 translated messages; 2 quota counters; "
    "1 retention periods; 1 search documents; 1 switches of teams for its tools; 1 workflow versions."
)
LEFT_ROWS = (
    "SELECT dimension FROM quota_counters WHERE dimension = 'toy.boxes'",
    "SELECT dimension FROM quota_holds WHERE dimension = 'toy.boxes'",
    "SELECT title FROM search_documents WHERE type = 'box'",
    "SELECT type FROM search_progress WHERE type = 'box'",
    "SELECT slug FROM workflow_versions WHERE source = 'toy'",
    "SELECT key FROM l10n_messages WHERE ns = 'toy'",
    "SELECT name FROM retention_periods WHERE name = 'toy_boxes'",
    "SELECT name FROM team_toggles WHERE name = 'toy_tool'",
    "SELECT switches FROM teams WHERE switches LIKE '%toy%'",
    "SELECT key FROM instance_facts WHERE key = 'plugin_names:toy'",
)


_PERIOD = "INSERT INTO retention_periods VALUES ('toy_boxes', 30, 0, 0, 0, 0)"
PERIOD = Statement("period", _PERIOD, _PERIOD)


def whole_shelf(folder, more=""):
    home = folder.write("toy", SHELF + more)
    for name, text in {
        "queries.sql": QUERIES,
        "migrations/0001_boxes.sql": "CREATE TABLE boxes (id $ID PRIMARY KEY, team_id $ID NOT NULL);",
        "texts/en.json": '{"toy.title": "Boxes"}',
    }.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text)
    return home


async def left_rows(server):
    async with server.data.read() as reader:
        return [dict(row) for text in LEFT_ROWS for row in await reader.all(Statement("left", text, text))]


async def rows_at_rest(hall):
    """What is left in the database of a server that has stopped."""
    server = await restarted(hall)
    try:
        return await left_rows(server)
    finally:
        await server.stop()


async def limit_boxes(hall):
    limit = {"dimension": "toy.boxes", "window": "none", "limit": 1}
    assert (await hall.operator.post(f"/api/orgs/{hall.acme.org_id}/quota", limit)).status_code == 200


async def use_all_of_it(hall):
    """Something of everything that other plugins store for this one."""
    owner = hall.acme.owner
    await limit_boxes(hall)
    assert (await owner.post("/api/x/toy/boxes", {})).status_code == 200
    assert (await owner.post("/api/x/toy/boxes", {})).status_code == 429
    assert [hit["title"] for hit in (await owner.get("/api/search?q=crate")).json()["items"]] == [
        "Secret crate"
    ]
    listed = (await owner.get("/api/workflows")).json()["items"]
    assert "boxing" in {one["slug"] for one in listed}
    assert (await hall.operator.post("/api/l10n/import", {"locale": "nl"})).status_code == 200
    async with hall.server.data.write() as writer:
        await writer.run(PERIOD)
    assert (await owner.post("/api/tools/toy_tool", {"enabled": False})).status_code == 200
    assert (await owner.post("/api/features/toys", {"enabled": False})).status_code == 200
    assert (await owner.post("/api/plugins/toy", {"enabled": False})).status_code == 200


async def uninstall(hall, home):
    """Starts the server once without the plugin, and stops it."""
    await hall.server.stop()
    home.rename(home.parent.parent / home.name)
    await (await restarted(hall)).stop()


async def test_what_others_stored_for_a_plugin_is_shown_and_goes_with_it(folder, open_with, command):
    home = whole_shelf(folder)
    async with open_with() as hall:
        await use_all_of_it(hall)
        await uninstall(hall, home)
        code, listed = await command("plugin", "list", **environment(hall))
        assert code == 0 and LEFT in listed
        code, printed = await command("plugin", "purge", "toy", **environment(hall))
        assert code == 2 and LEFT in printed, "it is shown before anybody is asked"
        code, printed = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert (code, LEFT in printed) == (0, True)
        again = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert again == (0, "the plugin toy has left nothing in the database\n")
        server = await restarted(hall)
        rows = await left_rows(server)
        await server.stop()
        assert rows == []


async def test_the_next_install_of_a_purged_plugin_begins_anew(folder, open_with, command):
    home = whole_shelf(folder)
    async with open_with() as hall:
        await use_all_of_it(hall)
        await uninstall(hall, home)
        await command("plugin", "purge", "toy", "--yes", **environment(hall))
        (home.parent.parent / "toy").rename(home)
        owner = hall.acme.owner
        async with serving_again(hall) as call:
            added = await call(owner, "POST", "/api/x/toy/boxes", {})
            assert added.status_code == 200, added.text
            found = (await call(owner, "GET", "/api/search?q=crate")).json()["items"]
            assert [hit["id"] for hit in found] == [added.json()["id"]]
            tools = (await call(owner, "GET", "/api/tools")).json()["items"]
            assert [one["enabled"] for one in tools if one["name"] == "toy_tool"] == [True]


async def test_what_a_run_began_with_stays_with_the_run(folder, open_with, command):
    home = whole_shelf(folder)
    async with open_with() as hall:
        owner = hall.acme.owner
        run = (await owner.post("/api/workflows/boxing/run", {"input": {}})).json()
        await hall.drain_jobs()
        await uninstall(hall, home)
        code, _ = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert code == 0
        async with serving_again(hall) as call:
            assert (await call(owner, "GET", f"/api/runs/{run['id']}")).json()["state"] == "succeeded"
            listed = (await call(owner, "GET", "/api/workflows")).json()["items"]
            assert "boxing" not in {one["slug"] for one in listed}


KEEPER = """
    from guildhall_sdk import SearchSource
    from guildhall_sdk.plugin import PluginData

    async def count(reader, removed):
        return len(removed.names(SearchSource))

    async def remove(writer, removed):
        if not Path(__file__).with_name("mended").exists():
            raise RuntimeError("killed here")

    @hookimpl
    def declare_plugin_data():
        return [PluginData(name="labels", count=count, remove=remove)]
"""


@pytest.mark.every_database
async def test_a_purge_that_breaks_off_removes_nothing_and_can_be_repeated(folder, open_with, command):
    home = whole_shelf(folder)
    folder.write_renamed("labels", "from pathlib import Path\n" + dedent(KEEPER), {})
    async with open_with() as hall:
        await use_all_of_it(hall)
        await uninstall(hall, home)
        before = await rows_at_rest(hall)
        code, printed = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert code == 2 and "1 labels" in printed
        assert "nothing was removed: killed here" in printed
        assert await rows_at_rest(hall) == before
        (folder.path / "labels" / "mended").touch()
        code, printed = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert code == 0
        assert await rows_at_rest(hall) == []


HEIR = """
    from guildhall_sdk.dimensions import Dimension

    @hookimpl
    def declare_routes():
        return []

    @hookimpl
    def declare_handlers():
        return {}

    @hookimpl
    def declare_tools():
        return []

    @hookimpl
    def declare_dimensions():
        return [Dimension("toy.boxes", "Boxes", "stock")]
"""


async def test_a_name_that_another_plugin_has_now_is_not_purged(folder, open_with, command):
    """The dimension and the type of thing moved to another plugin, which stays."""
    home = whole_shelf(folder)
    async with open_with() as hall:
        await use_all_of_it(hall)
        await hall.server.stop()
        home.rename(home.parent.parent / "toy")
        folder.write("heir", HEIR)
        async with serving_again(hall):
            pass
        code, printed = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert code == 0 and "quota counters" not in printed
        left = await rows_at_rest(hall)
        assert [row for row in left if "dimension" in row] == [{"dimension": "toy.boxes"}] * 2


async def test_the_plugin_of_the_page_has_what_it_stores_removed(folder, open_with, command):
    """`declare_plugin_data`, as docs/plugins/hooks.md shows it."""
    files_of("docs/plugins/hooks.md", "stamps", folder.path)
    async with open_with() as hall:
        for plugin in ("gone", "stamps"):
            await hall.acme.member.post("/api/x/stamps/stamps", {"plugin": plugin})
        await hall.server.stop()
        code, printed = await command("plugin", "purge", "gone", "--yes", **environment(hall))
        assert (code, printed.splitlines()[0]) == (
            0,
            "The plugin gone is not installed and has left: 1 stamps.",
        )
        again = await command("plugin", "purge", "gone", "--yes", **environment(hall))
        assert again == (0, "the plugin gone has left nothing in the database\n")
        server = await restarted(hall)
        text = "SELECT plugin FROM stamps"
        async with server.data.read() as reader:
            left = [row["plugin"] for row in await reader.all(Statement("stamps", text, text))]
        await server.stop()
        assert left == ["stamps"]


COUNTS_WRONGLY = KEEPER.replace("return len(", "raise RuntimeError(")


async def test_what_cannot_be_counted_stops_the_purge_and_not_the_boot(folder, open_with, command):
    home = whole_shelf(folder)
    folder.write_renamed("labels", "from pathlib import Path\n" + dedent(COUNTS_WRONGLY), {})
    async with open_with() as hall:
        await use_all_of_it(hall)
        await uninstall(hall, home)
        before = await rows_at_rest(hall)
        code, printed = await command("plugin", "purge", "toy", "--yes", **environment(hall))
        assert code == 2
        assert "labels of labels, which cannot be counted: RuntimeError" in printed
        assert "nothing was removed: labels cannot count its labels" in printed
        assert await rows_at_rest(hall) == before
