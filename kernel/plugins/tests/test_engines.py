"""Engines that plugins declare with declare_engines, and what is said where the one needed is missing."""

from types import SimpleNamespace

import pytest

from builtin_plugins.sqlite.engine import SqliteEngine
from guildhall_sdk import Plugin, hookimpl
from guildhall_testing.hall import PluginRefused
from tests import commands

pytestmark = pytest.mark.hall_databases("sqlite")


class Other(SqliteEngine):
    """Another name for what there is."""

    name = "other"
    schemes = ("other",)
    form = "other:///path"


class Greedy(Other):
    schemes = ("other", "sqlite")


class Nameless(Other):
    schemes = ()


def toy(*engines):
    @hookimpl
    def declare_engines():
        return engines

    return SimpleNamespace(PLUGIN=Plugin("toy", "Toy", "1.0", "A toy."), declare_engines=declare_engines)


async def status(hall):
    items = (await hall.operator.get("/api/plugins?limit=200")).json()["items"]
    return next(item for item in items if item["id"] == "toy")


async def test_an_engine_that_nobody_needs_is_let_in(open_hall):
    async with open_hall(toy(Other())) as hall:
        assert (await status(hall))["status"] == "loaded"


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (SqliteEngine(), "the database engine sqlite is declared twice, by sqlite too"),
        (Greedy(), "database engine other: sqlite:// is another's already"),
        (Nameless(), "database engine other: give lists of its schemes and of its dialects"),
        ("sqlite", "declare_engines must give DatabaseEngine rows, not str"),
    ],
)
async def test_one_that_cannot_stand_beside_the_others_keeps_its_plugin_out(open_hall, engine, reason):
    with pytest.raises(PluginRefused) as refusal:
        async with open_hall(toy(engine)):
            pass
    assert str(refusal.value) == f"the plugin toy is quarantined: {reason}"


@pytest.mark.parametrize("command", [["serve"], ["audit", "verify"], ["backup", "copy"]])
def test_a_database_whose_engine_is_blocked_names_the_plugin(tmp_path, command):
    environ = commands.bare_environment(SERVICE_DATA=str(tmp_path / "data"), SERVICE_PLUGINS_BLOCKED="sqlite")
    done = commands.run(environ, command)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "guildhall: SERVICE_DATABASE_URL: the plugin sqlite, which opens sqlite://, is blocked: "
        "blocked by SERVICE_PLUGINS_BLOCKED\n"
    )


def test_a_database_that_no_plugin_opens_is_refused_with_what_there_is(tmp_path):
    url = "mysql://ada:sesame@127.0.0.1/hall"
    environ = commands.bare_environment(SERVICE_DATA=str(tmp_path / "data"), SERVICE_DATABASE_URL=url)
    done = commands.run(environ, ["serve"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "guildhall: SERVICE_DATABASE_URL: takes sqlite:///path or postgresql://user@host/name; "
        "no plugin brings an engine for mysql://: install one that declares it\n"
    )
    assert not (tmp_path / "data").exists()
