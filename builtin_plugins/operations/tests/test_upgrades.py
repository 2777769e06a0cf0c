"""Upgrades in two halves: what a version takes away waits until no server of another version runs."""

import pytest

from builtin_plugins.operations.upgrades import UpgradeWatch, upgrade_state
from guildhall_sdk import Migrations, Plugin, hookimpl

FIRST = "CREATE TABLE shelf_items (id $ID PRIMARY KEY, old_name TEXT);"
EXPAND = "ALTER TABLE shelf_items ADD COLUMN name TEXT;"
CONTRACT = "-- contract\nALTER TABLE shelf_items DROP COLUMN old_name;"
PUT_OFF = ["shelf: 0003_names.sql"]


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


from guildhall_sdk.data import Statement  # noqa: E402

COLUMNS = Statement(
    "columns",
    "SELECT name FROM pragma_table_info('shelf_items')",
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'shelf_items'",
)


async def state_of(hall):
    async with hall.server.data.read() as reader:
        return await upgrade_state(hall.server.host, reader, hall.server.settings.version)


@pytest.fixture
async def upgraded(open_again, tmp_path):
    """Opens the data of the first version with the second, and again with the first."""
    old, new = Shelf(tmp_path / "old", FIRST), Shelf(tmp_path / "new", FIRST, EXPAND, CONTRACT)
    async with open_again() as opened:
        yield opened, old, new


async def test_what_is_taken_away_waits_for_its_time(upgraded):
    opened, old, new = upgraded
    async with opened(old):
        pass
    async with opened(new, SERVICE_UPGRADE_FINISH_SECONDS="3600") as hall:
        assert await columns(hall) == {"id", "old_name", "name"}
        assert (await state_of(hall)).put_off == PUT_OFF
        watch = UpgradeWatch(hall.server.host_of("operations"))
        await watch.note_version()
        assert await watch.look()
        hall.clock.advance(seconds=3700)
        assert not await watch.look()
        assert await columns(hall) == {"id", "name"}
        assert not (await state_of(hall)).put_off
