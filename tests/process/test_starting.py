"""What a start leaves behind for the time after it."""

import subprocess
import sys

import pytest

from tests import commands

COLLECTING = """
import gc
from guildhall_sdk import Auth, Reply, Route, hookimpl

async def collecting(call):
    return Reply({"collects": gc.isenabled(), "frozen": gc.get_freeze_count()})

@hookimpl
def declare_routes():
    return [Route("GET", "/api/collecting", "collecting", "Whether garbage is collected", auth=Auth.PUBLIC)]

@hookimpl
def declare_handlers():
    return {"collecting": collecting}
"""
LARGE = ("_awscrt", "anyio", "asyncpg", "certifi", "httpcore", "httpx", "jsonschema", "mcp", "pypdf")


@pytest.mark.hall_databases("sqlite")
async def test_a_server_that_has_started_collects_garbage_but_what_the_start_made(
    serve, bearer, plugin_folder
):
    async with serve(SERVICE_PLUGINS=plugin_folder("collecting", COLLECTING)) as server:
        async with bearer(server, server.people.acme.team.people["member"]) as http:
            answer = (await http.get("/api/collecting")).json()
        assert answer["collects"] is True
        assert answer["frozen"] > 100_000


def _end_well_where_all_is_imported():
    sys.exit(0 if "tests.warm_boot" in sys.modules else "it has not booted")


def test_servers_are_forked_from_a_process_that_has_booted():
    """Where it cannot import what it should, nobody is told, and every server and command takes longer."""
    process = commands.processes.Process(target=_end_well_where_all_is_imported)
    process.start()
    process.join()
    assert process.exitcode == 0


def test_no_plugin_loads_a_large_library_before_it_is_needed():
    code = f"""
import sys
import kernel.boot, kernel.cli.serve
from importlib.metadata import entry_points

for found in entry_points(group="guildhall.plugins"):
    found.load()
print(*sorted({{*{LARGE!r}}} & {{*sys.modules}}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
