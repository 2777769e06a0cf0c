"""The event loop of a server: uvloop's where it can be imported, and the standard library's where not."""

import pytest

from tests import commands

WITHOUT_UVLOOP = ("-m", "tests.process.without_uvloop")
pytestmark = pytest.mark.hall_databases("sqlite")

LOOP = """
import asyncio
from guildhall_sdk import Auth, Reply, Route, hookimpl

async def loop(call):
    return Reply({"loop": type(asyncio.get_running_loop()).__module__})

@hookimpl
def declare_routes():
    return [Route("GET", "/api/loop", "loop", "The event loop", auth=Auth.PUBLIC)]

@hookimpl
def declare_handlers():
    return {"loop": loop}
"""


async def loop_of(server, bearer):
    async with bearer(server, server.people.acme.team.people["member"]) as http:
        return (await http.get("/api/loop")).json()["loop"]


async def test_a_server_runs_on_uvloop_where_it_is_installed(serve, bearer, plugin_folder):
    pytest.importorskip("uvloop")
    async with serve(SERVICE_PLUGINS=plugin_folder("loops", LOOP)) as server:
        assert await loop_of(server, bearer) == "uvloop"
        server.signal()
        assert await server.exit_code() == 0


async def test_a_server_runs_without_it_too(serve, bearer, plugin_folder):
    settings = {"SERVICE_PLUGINS": plugin_folder("loops", LOOP), "WORDS": "serve"}
    async with serve(WITHOUT_UVLOOP, **settings) as server:
        assert await loop_of(server, bearer) == "asyncio.unix_events"


def test_doctor_names_the_event_loop_and_what_to_do_about_the_slower_one(tmp_path):
    uvloop = pytest.importorskip("uvloop")
    assert event_loop_line(tmp_path, "doctor") == f"uvloop {uvloop.__version__}"
    line = event_loop_line(tmp_path, *WITHOUT_UVLOOP)
    assert line.startswith("asyncio; uvloop,") and line.endswith("pip install 'guildhall-server[fast]'")


def event_loop_line(tmp_path, *words):
    environ = commands.bare_environment(SERVICE_DATA=str(tmp_path / "data"), WORDS="doctor")
    said = commands.run(environ, words).stdout
    (line,) = [line for line in said.splitlines() if line.startswith("event loop")]
    return line.removeprefix("event loop").strip()
