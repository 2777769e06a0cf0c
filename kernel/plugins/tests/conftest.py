"""Plugins as files: folders with a manifest, and installed distributions with an entry point."""

import asyncio
import json
import os
import re
import textwrap
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType

import pytest
import pytest_asyncio

from guildhall_testing.admissions import Admissions
from guildhall_testing.hall import open_hall as hall_of
from kernel.cli import main
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover, given
from tests import commands

REFERENCE = Path(__file__).resolve().parents[3] / "docs/plugins/hooks.md"

WHOLE = """
from guildhall_sdk import Auth, Feature, Migrations, Plugin, Reply, Route, Tool, UserError, hookimpl

async def toy(call):
    return Reply({"toy": True})

async def mounted(call):
    return {"mounted": True}

async def toy_tool(reader, principal, arguments):
    return "toy"

@hookimpl
def declare_routes():
    return [
        Route("GET", "/api/toy", "toy", "A toy", feature="toys"),
        Route("GET", "mounted", mounted, "Mounted", permission="search"),
    ]

@hookimpl
def declare_handlers():
    return {"toy": toy}

@hookimpl
def declare_features():
    return [Feature("toys", "Toys")]

@hookimpl
def declare_tools():
    return [Tool("toy_tool", "A toy", "search", toy_tool)]
"""


class Folder:
    """A folder for `SERVICE_PLUGINS`."""

    def __init__(self, path):
        self.path = path
        path.mkdir()

    def write(self, folder, source="", /, **manifest):
        """A whole plugin, and on top of it what the source adds or replaces."""
        return self._write(folder, WHOLE + textwrap.dedent(source), manifest)

    def write_renamed(self, name, source, manifest):
        """Writes a whole plugin and more where all that is called `toy` has another name.

        The manifest is fields, or all that stands in its file.
        """
        home = self._write(
            name, (WHOLE + source).replace("toy", name), manifest if isinstance(manifest, dict) else {}
        )
        if not isinstance(manifest, dict):
            (home / "plugin.json").write_bytes(manifest)

    def _write(self, folder, source, manifest):
        home = self.path / folder
        home.mkdir()
        fields = {"id": folder, "name": folder, "version": "1", "description": "A toy.", "entry": "plugin.py"}
        (home / "plugin.json").write_text(json.dumps({**fields, **manifest}))
        (home / "plugin.py").write_text(source)
        return home


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "plugins")


@pytest.fixture
def open_with(open_hall, folder):
    """`async with open_with(SERVICE_…=…) as hall`: a hall with the plugins of the folder."""

    @asynccontextmanager
    async def opened(*plugins, **settings):
        settings = {"SERVICE_PLUGINS": str(folder.path), **settings}
        async with open_hall(*plugins, allow_refused=True, **settings) as hall:
            yield hall

    return opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def crowd(request, hall_sites, hall_watch, tmp_path_factory):
    """One server with each plugin of the module's `BROKEN`, under a name of its own in place of `toy`."""
    folder = Folder(tmp_path_factory.mktemp("crowd") / "plugins")
    for broken in request.module.BROKEN.values():
        folder.write_renamed(broken.name, broken.source, broken.manifest)
    settings = {"SERVICE_PLUGINS": str(folder.path)}
    async with hall_of(hall_sites, "sqlite", hall_watch, allow_refused=True, **settings) as hall:
        yield hall


async def statuses(hall):
    """`GET /api/plugins` by id, as an operator reads it."""
    listed = (await hall.operator.get("/api/plugins")).json()["items"]
    assert len({one["id"] for one in listed}) == len(listed)
    return {one["id"]: one for one in listed}


async def documented_paths(hall):
    """The paths of the document, which a server makes once."""
    if "paths" not in hall.cache:
        document = (await hall.anonymous.get("/api/openapi.json")).json()
        hall.cache["paths"] = frozenset(document["paths"])
    return hall.cache["paths"]


@pytest.fixture
def expect_out():
    """Asserts that a plugin is out, why, that nothing of it is left, and that everything else runs."""

    async def expect(hall, plugin_id, reason, status="quarantined", *, name="toy"):
        found = (await statuses(hall))[plugin_id]
        assert found["status"] == status
        assert reason in found["reason"]
        for brought in ("tools", "routes", "workflows", "job_kinds"):
            assert found[brought] == []
        assert (await hall.acme.owner.get(f"/api/{name}")).status_code == 404
        assert (await hall.acme.owner.get(f"/api/x/{plugin_id}/mounted")).status_code == 404
        tools = (await hall.acme.owner.get("/api/tools")).json()["items"]
        assert f"{name}_tool" not in {tool["name"] for tool in tools}
        features = (await hall.acme.owner.get("/api/features")).json()["items"]
        assert f"{name}s" not in {feature["name"] for feature in features}
        assert f"/api/{name}" not in await documented_paths(hall)
        assert hall.server.admission.hooks.manager.get_plugin(plugin_id) is None
        assert (await hall.acme.member.get("/api/whoami")).status_code == 200

    return expect


@pytest.fixture
def expect_in():
    async def expect(hall, plugin_id="toy"):
        found = (await statuses(hall))[plugin_id]
        assert (found["status"], found["reason"]) == ("loaded", None)
        assert (await hall.acme.owner.get(f"/api/x/{plugin_id}/mounted")).json() == {"mounted": True}
        return found

    return expect


@pytest.fixture
def whole_plugin():
    """The source of a plugin that brings one of everything."""
    return WHOLE


@pytest.fixture
def guildhall(tmp_path):
    """`guildhall("doctor", SERVICE_…=…)`: the exit code, output and errors of a command."""

    def run(*words, **settings):
        places = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_PLUGINS": str(tmp_path)}
        done = commands.run(commands.bare_environment(**{**places, **settings}), words)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def documented():
    """`documented("boxes")`: the plugin of that name in the reference of hooks."""

    def load(name):
        marked = rf"<!-- file: {name}\.py -->\n```python\n(.*?)```"
        (source,) = re.findall(marked, REFERENCE.read_text("utf-8"), re.DOTALL)
        module = ModuleType(name)
        exec(compile(source, f"{name}.py", "exec"), vars(module))
        return module

    return load


@pytest.fixture
def admit():
    """`admit(plugin, …)`: why each of them is kept out, or None, without a server."""

    def admit(*plugins):
        admission = Admission([*discover([]), *(given(plugin) for plugin in plugins)])
        refused = {status.id: status.reason for status in admission.registry.refused}
        return {plugin.PLUGIN.id: refused.get(plugin.PLUGIN.id) for plugin in plugins}

    return admit


@pytest.fixture(scope="session")
def admissions():
    return Admissions()


@pytest.fixture
def command(capsys, monkeypatch, folder, tmp_path, admissions):
    """`await command("plugin", "list", SERVICE_…=…)`: the exit code, and all that was printed.

    It and servers that are started meanwhile let in at once what is installed.
    """
    monkeypatch.setattr("kernel.boot.admit", admissions.of)
    monkeypatch.setattr("kernel.plugins.admission.admit", admissions.of)

    async def run(*arguments, **settings):
        for name in [name for name in os.environ if name.startswith("SERVICE_")]:
            monkeypatch.delenv(name)
        defaults = {"SERVICE_PLUGINS": str(folder.path), "SERVICE_DATA": str(tmp_path / "data")}
        for name, value in {**defaults, **settings}.items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        code = await asyncio.to_thread(main, arguments)
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run
