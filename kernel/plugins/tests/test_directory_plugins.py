"""A directory plugin comes in whole, or stays out with a reason that says where to look."""

import sys
from dataclasses import dataclass, field

import pytest

pytestmark = pytest.mark.hall_databases("sqlite")


async def test_a_whole_plugin_is_loaded_with_all_it_brings(folder, open_with, expect_in):
    folder.write("toy", name="Toys", version="3.1", description="Things to play with.")
    async with open_with() as hall:
        found = await expect_in(hall)
        assert (found["name"], found["version"], found["description"]) == (
            "Toys",
            "3.1",
            "Things to play with.",
        )
        assert (found["source"], found["tools"]) == ("directory", ["toy_tool"])
        assert [(row["method"], row["path"], row["permission"]) for row in found["routes"]] == [
            ("GET", "/api/toy", None),
            ("GET", "/api/x/toy/mounted", "search"),
        ]
        assert (await hall.acme.viewer.get("/api/toy")).json() == {"toy": True}


async def test_a_plugin_may_import_its_neighbours(folder, open_with, expect_in):
    home = folder.write("toy", "from .neighbour import NAME\nassert NAME == 'next door'\n")
    (home / "neighbour.py").write_text("NAME = 'next door'\n")
    async with open_with() as hall:
        await expect_in(hall)


MANIFESTS = {
    "not JSON": ("{", "plugin.json cannot be read"),
    "not UTF-8": (b"\xff\xfe", "plugin.json cannot be read"),
    "nested without end": ("[" * 100_000, "plugin.json cannot be read"),
    "a list": ("[]", "plugin.json must hold an object"),
    "no id": ({"id": None}, "plugin.json must have a text field 'id'"),
    "an empty name": ({"name": ""}, "plugin.json must have a text field 'name'"),
    "a version that is a number": ({"version": 1}, "plugin.json must have a text field 'version'"),
    "an unknown field": ({"enrty": "x.py"}, "plugin.json has an unknown or malformed field 'enrty'"),
    "requires that is text": ({"requires": "admin"}, "unknown or malformed field 'requires'"),
    "an entry that is not there": ({"entry": "other.py"}, "the entry 'other.py' is not a Python file"),
    "an entry elsewhere": ({"entry": "../toy/plugin.py"}, "the entry '../toy/plugin.py' is not"),
}


IDS = ["Toy", "toy_box", "toy box", "1toy", "../toy", "t" * 65]


FAULTS = {
    "a syntax error": ("def broken(:\n", "SyntaxError: invalid syntax (plugin.py:"),
    "an import that fails": (
        "import no_such_module_anywhere\n",
        "No module named 'no_such_module_anywhere' (plugin.py:",
    ),
    "an import that exits": ("raise SystemExit(1)\n", "SystemExit: 1 (plugin.py:"),
    "a library that raises": ("import json\njson.loads('{')\n", "(plugin.py:"),
    "an unknown hook": (
        "@hookimpl\ndef declare_fetures():\n    return []\n",
        "there is no hook named declare_fetures; did you mean declare_features?",
    ),
    "an async declare_": (
        "@hookimpl\nasync def declare_features():\n    return []\n",
        "declare_features must be a plain function, not async",
    ),
    "a plain on_": ("@hookimpl\ndef on_start(host):\n    pass\n", "on_start must be async"),
    "a plain decide_": (
        "@hookimpl\ndef decide_password(username, password):\n    pass\n",
        "decide_password must be async",
    ),
    "a wrong argument": (
        "@hookimpl\nasync def on_start(server):\n    pass\n",
        "on_start has an unknown argument 'server'; it takes host",
    ),
    "an argument too many": (
        "@hookimpl\ndef declare_features(host):\n    return []\n",
        "declare_features has an unknown argument 'host'; it takes no arguments",
    ),
    "an unmarked hook": (
        "def declare_migrations():\n    return None\n",
        "declare_migrations lacks the @hookimpl mark",
    ),
    "a wrapper": (
        "@hookimpl(wrapper=True)\ndef declare_features():\n    return (yield)\n",
        "declare_features: hooks cannot be wrapped",
    ),
    "a declaration that raises": (
        "@hookimpl\ndef declare_tools():\n    return 1 // 0\n",
        "ZeroDivisionError",
    ),
    "a declaration that exits": (
        "@hookimpl\ndef declare_tools():\n    raise SystemExit(2)\n",
        "SystemExit: 2",
    ),
    "rows of another kind": (
        "@hookimpl\ndef declare_features():\n    return ['toys']\n",
        "declare_features must give Feature rows, not str",
    ),
    "factories of another kind": (
        "@hookimpl\ndef declare_factories():\n    return [toy]\n",
        "declare_factories must give Factory rows, not function",
    ),
    "a migrations folder that is not there": (
        "from pathlib import Path\n"
        "@hookimpl\ndef declare_migrations():\n    return Migrations(Path('/nowhere'))\n",
        "declare_migrations must give Migrations with a folder that is there",
    ),
    "a handler without a row": (
        "@hookimpl\ndef declare_handlers():\n    return {'toy': toy, 'spare': toy}\n",
        "the handler spare has no row",
    ),
    "a row without a handler": (
        "@hookimpl\ndef declare_handlers():\n    return {}\n",
        "row GET /api/toy: there is no handler named toy",
    ),
    "a handler that is not async": (
        "def plain(call):\n    pass\n@hookimpl\ndef declare_handlers():\n    return {'toy': plain}\n",
        "row GET /api/toy: the handler toy must be async",
    ),
    "a tool that somebody has": (
        "@hookimpl\ndef declare_tools():\n    return [Tool('toy_tool', 'A', 'search', toy_tool)] * 2\n",
        "the tool toy_tool is declared twice",
    ),
    "a tool without a permission that exists": (
        "@hookimpl\ndef declare_tools():\n    return [Tool('toy_tool', 'A', 'toys:use', toy_tool)]\n",
        "tool toy_tool: there is no permission toys:use",
    ),
    "a feature that somebody has": (
        "@hookimpl\ndef declare_features():\n    return [Feature('toys', 'T'), Feature('chat', 'Mine')]\n",
        "the feature chat is declared twice",
    ),
}

ROWS = {
    "a duplicate of its own": (
        "Route('GET', '/api/toy', 'toy', 'T')",
        "row GET /api/toy can never be reached",
    ),
    "a duplicate of another's": (
        "Route('GET', '/api/whoami', 'toy', 'T')",
        "row GET /api/whoami: identity has rows below /api/whoami; use a prefix of your own",
    ),
    "one below another's prefix": (
        "Route('GET', '/api/notes/:id/toys', 'toy', 'T')",
        "row GET /api/notes/:id/toys: notes has rows below /api/notes",
    ),
    "one below a prefix of the specification": (
        "Route('GET', '/login/toys', 'toy', 'T')",
        "row GET /login/toys: console has rows below /login",
    ),
    "one that takes anything": (
        "Route('GET', '/api/:anything', 'toy', 'T')",
        "row GET /api/:anything: it would take the paths of others",
    ),
    "one that takes the root": ("Route('GET', '/*rest', 'toy', 'T')", "it would take the paths of others"),
    "the root": (
        "Route('GET', '/', 'toy', 'T')",
        "row GET /: console has rows below /; use a prefix of your own",
    ),
    "one that cannot be reached": (
        "Route('GET', '/api/play/:id', 'toy', 'T'), Route('GET', '/api/play/now', 'toy', 'T')",
        "row GET /api/play/now can never be reached: GET /api/play/:id of toy",
    ),
    "one behind a wildcard": (
        "Route('GET', '/api/play/*all', 'toy', 'T'), Route('GET', '/api/play/a/:b', 'toy', 'T')",
        "row GET /api/play/a/:b can never be reached",
    ),
    "an unknown permission": (
        "Route('GET', '/api/play', 'toy', 'T', permission='toys:use')",
        "row GET /api/play: there is no permission toys:use",
    ),
    "an unknown feature": (
        "Route('GET', '/api/play', 'toy', 'T', feature='fun')",
        "row GET /api/play: nobody declares the feature fun",
    ),
    "no doc line": ("Route('GET', '/api/play', 'toy', '')", "row GET /api/play: the doc line is missing"),
    "an unknown method": (
        "Route('BREW', '/api/play', 'toy', 'T')",
        "row BREW /api/play: the method must be one of",
    ),
    "an empty segment": ("Route('GET', '/api//play', 'toy', 'T')", "no empty segment"),
    "a segment of strange letters": ("Route('GET', '/api/pl ay', 'toy', 'T')", "'pl ay' is not a segment"),
    "a wildcard in the middle": (
        "Route('GET', '/api/*all/x', 'toy', 'T')",
        "*all takes the rest of the path",
    ),
    "a parameter twice": ("Route('GET', '/api/play/:a/:a', 'toy', 'T')", "a parameter stands there twice"),
    "the extension prefix": (
        "Route('GET', '/api/x/other/y', 'toy', 'T')",
        "/api/x/ is for rows whose path has no leading /",
    ),
    "a plane without a permission": (
        "Route('GET', '/api/play', 'toy', 'T', auth=Auth.SUPERADMIN)",
        "row GET /api/play: the class SA wants a permission",
    ),
    "a public row with a permission": (
        "Route('GET', '/api/play', 'toy', 'T', auth=Auth.PUBLIC, permission='search')",
        "row GET /api/play: the class P knows no caller",
    ),
}

MOUNTED = {
    "the reserved prefix": ("'bundle/x', mounted, 'M'", "the path prefix bundle/ is reserved"),
    "no permission": (
        "'x', mounted, 'M', permission=None",
        "row GET /api/x/toy/x: the permission is missing",
    ),
    "an unknown permission": (
        "'x', mounted, 'M', permission='toys:use'",
        "row GET /api/x/toy/x: there is no permission toys:use",
    ),
    "a duplicate": (
        "'mounted', mounted, 'M', permission='search'",
        "row GET /api/x/toy/mounted can never be reached",
    ),
    "no path": ("'', mounted, 'M', permission='search'", "row GET /api/x/toy/: the path must start with /"),
    "for everybody": (
        "'x', mounted, 'M', auth=Auth.PUBLIC",
        "row GET /api/x/toy/x: a row below /api/x/ is for everybody with its permission: leave out auth",
    ),
    "a handler that is none": (
        "'x', 5, 'M', permission='search'",
        "row GET /api/x/toy/x: the handler must be a function, or the name of one",
    ),
    "a name of no handler": (
        "'x', 'nobody', 'M', permission='search'",
        "row GET /api/x/toy/x: there is no handler named nobody",
    ),
}


ONE_ROW = (
    "@hookimpl\ndef declare_routes():\n"
    "    return [Route('GET', '/api/toy', 'toy', 'A toy', feature='toys'),\n"
    "            Route('GET', 'mounted', mounted, 'M', permission='search'), {}]\n"
)
ONE_MOUNTED = (
    "@hookimpl\ndef declare_routes():\n"
    "    return [Route('GET', '/api/toy', 'toy', 'A toy', feature='toys'),\n"
    "            Route('GET', 'mounted', mounted, 'M', permission='search'),\n"
    "            Route('GET', {})]\n"
)
MARKING = "from pathlib import Path\nPath(__file__).with_name('imported').touch()\n"


@dataclass(frozen=True)
class Broken:
    """A plugin that is called otherwise than `toy`, and the reason why it is out."""

    name: str
    reason: str
    source: str = ""
    manifest: dict | bytes = field(default_factory=dict)


def _broken():
    """Each by its test and its case: what it adds to the source or the manifest, and the reason."""
    for case, (written, reason) in MANIFESTS.items():
        yield ("manifest", case), "", written.encode() if isinstance(written, str) else written, reason
    for plugin_id in IDS:
        yield ("id", plugin_id), MARKING, {"id": plugin_id}, "must be small letters, digits and hyphens"
    for case, (source, reason) in FAULTS.items():
        yield ("fault", case), source, {}, reason
    for case, (row, reason) in ROWS.items():
        yield ("row", case), ONE_ROW.format(row), {}, reason
    for case, (row, reason) in MOUNTED.items():
        yield ("mounted", case), ONE_MOUNTED.format(row), {}, reason
    yield ("api", "2"), "", {"api": 2}, "it is written for API 2; this server speaks 1"


def _named(number, source, manifest, reason):
    name = f"toy{number}"
    if isinstance(manifest, dict) and "entry" in manifest:
        manifest = {"entry": manifest["entry"].replace("toy", name)}
    return Broken(name, reason.replace("toy", name), source, manifest)


BROKEN = {key: _named(number, *rest) for number, (key, *rest) in enumerate(_broken())}


@pytest.fixture
def expect_broken(crowd, expect_out):
    """`await expect_broken("row", "no doc line")`: all of it is out, for its reason; where it lies."""

    async def expect(*key):
        broken = BROKEN[key]
        await expect_out(crowd, broken.name, broken.reason, name=broken.name)
        return crowd.server.settings.plugins[0] / broken.name

    return expect


@pytest.mark.parametrize("name", MANIFESTS)
async def test_an_unreadable_manifest_shows_under_its_folders_name(expect_broken, name):
    await expect_broken("manifest", name)


@pytest.mark.parametrize("plugin_id", IDS)
async def test_an_id_that_is_no_id_is_refused_before_the_import(expect_broken, plugin_id):
    home = await expect_broken("id", plugin_id)
    assert home.is_dir()
    assert not (home / "imported").exists()


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_keeps_the_whole_plugin_out(expect_broken, name):
    await expect_broken("fault", name)


@pytest.mark.parametrize("name", ROWS)
async def test_a_bad_row_keeps_the_whole_plugin_out(expect_broken, name):
    await expect_broken("row", name)


@pytest.mark.parametrize("name", MOUNTED)
async def test_a_bad_relative_row_keeps_the_whole_plugin_out(expect_broken, name):
    await expect_broken("mounted", name)


async def test_another_api_version_is_refused(expect_broken):
    await expect_broken("api", "2")


async def test_an_id_is_taken_by_whoever_comes_first(folder, open_with):
    folder.write("first", id="toy", version="1")
    folder.write("second", id="toy", version="2")
    async with open_with() as hall:
        listed = (await hall.operator.get("/api/plugins")).json()["items"]
    toys = {one["version"]: (one["status"], one["reason"]) for one in listed if one["id"] == "toy"}
    assert toys == {
        "1": ("loaded", None),
        "2": (
            "quarantined",
            f"the id toy is taken by the folder {folder.path}/first; "
            f"this is the folder {folder.path}/second: remove one",
        ),
    }


async def test_a_builtin_cannot_be_replaced(folder, open_with):
    folder.write("notes")
    async with open_with() as hall:
        listed = (await hall.operator.get("/api/plugins")).json()["items"]
        assert {(one["source"], one["status"]) for one in listed if one["id"] == "notes"} == {
            ("builtin", "loaded"),
            ("directory", "quarantined"),
        }
        assert (await hall.acme.member.get("/api/notes")).status_code == 200


async def test_a_blocked_plugin_is_not_even_imported(folder, open_with, expect_out, tmp_path):
    mark = tmp_path / "imported"
    folder.write("toy", f"open({str(mark)!r}, 'w').close()\n")
    async with open_with(SERVICE_PLUGINS_BLOCKED="toy") as hall:
        await expect_out(hall, "toy", "blocked by SERVICE_PLUGINS_BLOCKED", status="blocked")
    assert not mark.exists()
    async with open_with() as hall:
        assert (await hall.acme.owner.get("/api/toy")).status_code == 200
    assert mark.exists()


async def test_an_import_that_fails_leaves_no_module_behind(folder, open_with):
    folder.write("toy", "from . import neighbour\nraise RuntimeError('too late')\n")
    (folder.path / "toy" / "neighbour.py").write_text("")
    before = {*sys.modules}
    async with open_with():
        new = {*sys.modules} - before
        assert not [name for name in new if name.startswith("guildhall_directory_plugins.toy")]
