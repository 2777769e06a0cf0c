"""Installed plugins are loaded one by one, by the same rules as everybody's."""

import shutil
import sys

import pytest

pytestmark = pytest.mark.hall_databases("sqlite")

MANIFEST = "\nPLUGIN = Plugin({!r}, 'Toy', '1.0', 'Installed.'{})\n"


@pytest.fixture
def install(tmp_path, monkeypatch, whole_plugin):
    """Puts a distribution with one entry point where Python finds it, as pip would."""
    root = tmp_path / "site-packages"
    root.mkdir()
    monkeypatch.syspath_prepend(root)

    def put(module, source, name="toy"):
        distribution = root / f"{module}-1.0.dist-info"
        distribution.mkdir()
        (distribution / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (distribution / "entry_points.txt").write_text(f"[guildhall.plugins]\n{name} = {module}\n")
        (root / f"{module}.py").write_text(whole_plugin + source)
        monkeypatch.delitem(sys.modules, module, raising=False)

    yield put
    for name in [name for name in sys.modules if name.startswith("toy_plugin")]:
        del sys.modules[name]


async def test_an_installed_plugin_is_loaded_as_an_entry_point(install, open_with, expect_in):
    install("toy_plugin", MANIFEST.format("toy", ""))
    async with open_with() as hall:
        found = await expect_in(hall)
        assert (found["source"], found["description"]) == ("entry-point", "Installed.")


async def test_what_pip_installs_beside_a_running_server_is_told(install, open_with, tmp_path):
    install("toy_plugin", MANIFEST.format("toy", ""))
    metadata = tmp_path / "site-packages" / "toy_plugin-1.0.dist-info" / "METADATA"
    async with open_with() as hall:

        async def versions():
            listed = (await hall.operator.get("/api/plugins")).json()["items"]
            return [(one["version"], one["installed_version"]) for one in listed if one["id"] == "toy"]

        assert await versions() == [("1.0", "1.0")]
        metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
        assert await versions() == [("1.0", "1.1")]
        shutil.rmtree(metadata.parent)
        assert await versions() == [("1.0", None)]


BAD = (
    ("import no_such_module_anywhere\n", "No module named 'no_such_module_anywhere' ({module}.py:"),
    ("", "{module} holds no PLUGIN manifest"),
    ("PLUGIN = {{'id': '{id}'}}\n", "{module} holds no PLUGIN manifest"),
    (MANIFEST.format("other", ""), "the entry point is named {id} but the manifest says other"),
    (MANIFEST.format("{id}", ", api=0"), "it is written for API 0; this server speaks 1"),
    (MANIFEST.format("{id}", ", requires='notes'"), "requires must be a list of plugin ids"),
    (MANIFEST.format("{id}", ", requires=['nowhere']"), "requires nowhere, which is not loaded"),
    (MANIFEST.format("{id}", "") + "raise SystemExit('bye')\n", "SystemExit: bye"),
    (
        MANIFEST.format("{id}", "") + "@hookimpl\nasync def declare_tools():\n    return []\n",
        "declare_tools must be a plain function, not async",
    ),
)


async def test_a_bad_entry_point_costs_one_plugin(install, open_with, expect_out):
    """All of them in one server, each under an id of its own."""
    named = [{"id": f"toy-{number}", "module": f"toy_plugin_{number}"} for number in range(len(BAD))]
    for names, (source, _) in zip(named, BAD, strict=True):
        install(names["module"], source.format(**names), names["id"])
    async with open_with() as hall:
        for names, (_, reason) in zip(named, BAD, strict=True):
            await expect_out(hall, names["id"], reason.format(**names))


async def test_a_module_that_is_not_there_costs_one_plugin(install, open_with, expect_out, tmp_path):
    install("toy_plugin", "")
    (tmp_path / "site-packages" / "toy_plugin.py").unlink()
    async with open_with() as hall:
        await expect_out(hall, "toy", "No module named 'toy_plugin'")


async def test_a_blocked_entry_point_is_not_even_imported(install, open_with, expect_out):
    install("toy_plugin", MANIFEST.format("toy", ""))
    async with open_with(SERVICE_PLUGINS_BLOCKED="other, toy") as hall:
        await expect_out(hall, "toy", "blocked by SERVICE_PLUGINS_BLOCKED", status="blocked")
        assert "toy_plugin" not in sys.modules
    async with open_with() as hall:
        assert "toy_plugin" in sys.modules


async def test_an_installed_plugin_comes_before_a_folder_of_the_same_id(install, folder, open_with):
    install("toy_plugin", MANIFEST.format("toy", ""))
    folder.write("toy")
    async with open_with() as hall:
        listed = (await hall.operator.get("/api/plugins")).json()["items"]
    assert {one["source"]: one["status"] for one in listed if one["id"] == "toy"} == {
        "entry-point": "loaded",
        "directory": "quarantined",
    }


async def test_builtins_take_the_same_door(hall):
    listed = (await hall.operator.get("/api/plugins")).json()["items"]
    builtin = {one["id"]: one["status"] for one in listed if one["source"] == "builtin"}
    assert builtin.items() >= {"admin": "loaded", "identity": "loaded", "notes": "loaded"}.items()
