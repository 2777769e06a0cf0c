"""Whoever holds others up, or fails, is named: the plugin, and its own line."""

import json
import time

import pytest

from builtin_plugins.operations import loop_monitor
from guildhall_sdk import Route
from kernel.faults import BootRefused
from kernel.plugins import admission, hooks

pytestmark = pytest.mark.any_database


def told(caplog, action):
    return [record.fields for record in caplog.records if record.msg == action]


async def test_an_essential_plugin_that_crashes_at_its_import_refuses_the_boot(folder, open_with):
    folder.write("toy", "1 // 0\n", essential=True)
    reason = r"the plugin toy cannot be loaded and the server needs it: ZeroDivisionError.* \(plugin.py:\d+\)"
    with pytest.raises(BootRefused, match=reason):
        async with open_with():
            pass
    home = folder.path / "toy"
    fields = json.loads((home / "plugin.json").read_text())
    (home / "plugin.json").write_text(json.dumps({**fields, "unknown": 1}))
    with pytest.raises(BootRefused, match="unknown or malformed field 'unknown'"):
        async with open_with():
            pass


async def test_a_timeout_shows_the_line_where_the_plugin_hung(folder, open_with, expect_out, monkeypatch):
    monkeypatch.setattr(hooks, "ON_TIMEOUT", 0.05)
    source = (
        "import asyncio\n\n@hookimpl\nasync def on_start(host):\n    await asyncio.Event().wait()  # here\n"
    )
    home = folder.write("toy", source)
    lines = (home / "plugin.py").read_text().splitlines()
    line = 1 + next(number for number, text in enumerate(lines) if text.endswith("# here"))
    async with open_with() as hall:
        await expect_out(hall, "toy", f"on_start failed: TimeoutError (plugin.py:{line})")


async def test_a_slow_import_and_an_applied_migration_name_their_plugin(
    folder, open_with, monkeypatch, caplog
):
    monkeypatch.setattr(admission, "SLOW_IMPORT_SECONDS", 0.0)
    home = folder.write(
        "toy",
        "from pathlib import Path\n\n@hookimpl\ndef declare_migrations():\n"
        "    return Migrations(Path(__file__).with_name('migrations'))\n",
    )
    (home / "migrations").mkdir()
    (home / "migrations/0001_boxes.sql").write_text("CREATE TABLE boxes (id $ID PRIMARY KEY)")
    caplog.set_level("INFO", "guildhall")
    async with open_with():
        assert "toy" in {fields["plugin"] for fields in told(caplog, "plugin.slow_import")}
        applied = {"plugin": "toy", "files": ["0001_boxes.sql"]}
        assert told(caplog, "migrations.applied") == [applied]


@pytest.mark.hall_databases("sqlite")
async def test_a_request_that_fails_or_blocks_the_loop_names_its_plugin(
    open_with, make_plugin, monkeypatch, caplog
):
    monkeypatch.setattr(loop_monitor, "BLOCKED_SECONDS", 0.05)

    async def fail(call):
        raise ZeroDivisionError

    async def block(call):
        given_up_at = time.monotonic() + 60
        while not blocked_by_toy() and time.monotonic() < given_up_at:
            time.sleep(0.01)  # noqa: ASYNC251 - what it is about
        return {}

    def blocked_by_toy():
        return [fields for fields in told(caplog, "loop.blocked") if fields["plugin"] == "toy"]

    rows = [
        Route("GET", "fail", fail, "Fail", permission="search"),
        Route("GET", "block", block, "Block", permission="search"),
    ]
    toy = make_plugin("toy", routes=rows)
    toy.__name__ = __name__
    async with open_with(toy) as hall:
        assert (await hall.acme.owner.get("/api/x/toy/fail")).status_code == 500
        assert [fields["plugin"] for fields in told(caplog, "request.failed")] == ["toy"]
        assert (await hall.acme.owner.get("/api/x/toy/block")).status_code == 200
        assert blocked_by_toy()[0]["place"].startswith("test_named_in_the_log.py:")
