"""Upgrades in two halves: what a version takes away waits until no server of another version runs."""

import pytest

from builtin_plugins.operations.upgrade_commands import _way_back
from builtin_plugins.operations.upgrades import HELD, UpgradeState, UpgradeWatch, upgrade_state
from guildhall_sdk import Migrations, Plugin, hookimpl
from guildhall_sdk.data import Statement
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.services.server import InstanceFacts, SchemaUpgrade
from guildhall_testing.databases import statement

FIRST = "CREATE TABLE shelf_items (id $ID PRIMARY KEY, old_name TEXT);"
EXPAND = "ALTER TABLE shelf_items ADD COLUMN name TEXT;"
CONTRACT = "-- contract\nALTER TABLE shelf_items DROP COLUMN old_name;"
PUT_OFF = ["shelf: 0003_names.sql"]
COLUMNS = Statement(
    "columns",
    "SELECT name FROM pragma_table_info('shelf_items')",
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'shelf_items'",
)


ANOTHER = statement(
    "INSERT INTO processes (id, started_at, seen_at, host, pid, version)"
    " VALUES ('proc_other', 1, 9999999999999, 'elsewhere', 1, :version)"
)
GONE = statement("DELETE FROM processes WHERE id = 'proc_other'")


class Shelf:
    """A plugin of two versions: the second names its column otherwise."""

    PLUGIN = Plugin("shelf", "Shelf", "1.0", "Has a table.")

    def __init__(self, folder, *steps):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        for number, text in enumerate(steps, start=1):
            (folder / f"{number:04d}_names.sql").write_text(text)

    @hookimpl
    def declare_migrations(self):
        return Migrations(self.folder)


async def columns(hall):
    async with hall.server.data.read() as reader:
        rows = await reader.all(COLUMNS)
    return {row["name"] for row in rows}


async def state_of(hall):
    async with hall.server.data.read() as reader:
        return await upgrade_state(hall.server.host, reader, hall.server.settings.version)


@pytest.fixture
async def upgraded(open_again, tmp_path):
    """Opens the data of the first version with the second, and again with the first."""
    yield open_again, Shelf(tmp_path / "old", FIRST), Shelf(tmp_path / "new", FIRST, EXPAND, CONTRACT)


async def test_what_is_taken_away_waits_for_its_time(upgraded):
    opened, old, new = upgraded
    async with opened(old):
        pass
    async with opened(new, SERVICE_UPGRADE_FINISH_SECONDS="3600") as hall:
        assert await columns(hall) == {"id", "old_name", "name"}
        assert (await state_of(hall)).put_off == PUT_OFF
        watch = UpgradeWatch(hall.server.host_of("operations"))
        assert await watch.look()
        hall.clock.advance(seconds=3700)
        assert not await watch.look()
        assert await columns(hall) == {"id", "name"}
        assert not (await state_of(hall)).put_off


async def test_a_new_plugin_has_its_last_tables_at_once(open_hall, tmp_path):
    async with open_hall(Shelf(tmp_path / "new", FIRST, EXPAND, CONTRACT)) as hall:
        assert await columns(hall) == {"id", "name"} and not (await state_of(hall)).put_off


async def test_the_version_before_serves_beside_what_was_added_and_not_after_what_was_taken(upgraded):
    opened, old, new = upgraded
    async with opened(old):
        pass
    async with opened(new):
        pass
    async with opened(old) as hall:  # back again
        assert await columns(hall) == {"id", "old_name", "name"}
    async with opened(new) as hall:
        assert await hall.server.service(SchemaUpgrade).finish() == PUT_OFF
    async with opened(old, allow_refused=True) as hall:
        (refused,) = [one for one in hall.registry.refused if one.id == "shelf"]
        assert "a newer version made it" in refused.reason


async def test_nothing_is_taken_away_while_a_server_of_another_version_runs(upgraded):
    opened, old, new = upgraded
    async with opened(old):
        pass
    async with opened(new, SERVICE_UPGRADE_FINISH_SECONDS="3600") as hall:
        if not hall.server.data.shared_by_processes:
            return  # another server cannot be there
        async with hall.server.data.write() as writer:
            await writer.run(ANOTHER, version="0.1.9")
        with pytest.raises(OperatorError, match=r"is of version 0\.1\.9, and this is"):
            await hall.server.service(SchemaUpgrade).finish()
        watch = UpgradeWatch(hall.server.host_of("operations"))
        assert await watch.look()
        hall.clock.advance(seconds=3700)
        assert await watch.look() and "old_name" in await columns(hall)
        async with hall.server.data.write() as writer:
            await writer.run(GONE)
        assert not await watch.look() and "old_name" not in await columns(hall)


async def test_a_way_back_that_is_wanted_holds_what_is_still_to_come(upgraded):
    opened, old, new = upgraded
    async with opened(old):
        pass
    async with opened(new, SERVICE_UPGRADE_FINISH_SECONDS="3600") as hall:
        watch = UpgradeWatch(hall.server.host_of("operations"))
        assert await watch.look()
        async with hall.server.data.write() as writer:
            await hall.server.service(InstanceFacts).set(writer, HELD, hall.server.settings.version)
        hall.clock.advance(seconds=3700)
        assert await watch.look()
        assert "old_name" in await columns(hall)


def test_what_the_way_back_needs_is_said():
    known = {"0.1.9": 1_000, "0.2.0": 5_000}
    after = UpgradeState("0.2.0", [], known, PUT_OFF, {}, held=False)
    assert after.before == "0.1.9" and _way_back(after) == (True, "open, to 0.1.9")
    taken = UpgradeState("0.2.0", [], known, [], {"shelf: 0003_names.sql": 6_000}, held=False)
    assert not _way_back(taken)[0] and "0003_names.sql" in _way_back(taken)[1]
    first = UpgradeState("0.2.0", [], {"0.2.0": 5_000}, [], {"shelf: 0003_names.sql": 4_000}, held=False)
    assert not _way_back(first)[0] and "no version before 0.2.0" in _way_back(first)[1]
