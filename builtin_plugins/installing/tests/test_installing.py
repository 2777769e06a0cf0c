"""`guildhall plugin install` and `plugin rollback` in an environment of their own, killed at any step too."""

import json
import shutil
import signal
import subprocess
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest
from hatchling.build import build_wheel

from tests import commands
from tests.separate_plugin.forking import Forks

pytestmark = pytest.mark.any_database

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "guildhall-shelf"
version = "{version}"
[project.entry-points."guildhall.plugins"]
shelf = "guildhall_shelf"
[tool.hatch.build.targets.wheel]
packages = ["guildhall_shelf"]
"""
MODULE = """
from pathlib import Path
from guildhall_sdk import Migrations, Permission, Plugin, hookimpl

PLUGIN = Plugin(id="shelf", name="Shelf", version="{version}", description="A shelf.")

@hookimpl
def declare_migrations():
    return Migrations(Path(__file__).with_name("migrations"))

@hookimpl
def declare_permissions():
    return [Permission(name="shelf:" + name, description="Read.") for name in {permissions}]
"""
FIRST = {"0001_items.sql": "CREATE TABLE shelf_items (id $ID, team_id $ID)"}
SECOND = {**FIRST, "0002_more.sql": "CREATE TABLE shelf_more (id $ID, team_id $ID)"}
THIRD = {**SECOND, "0003_less.sql": "-- no way back: the items are gone\nDROP TABLE shelf_items"}


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """The folder of the wheels of three versions."""
    home = tmp_path_factory.mktemp("shelf")
    for version, migrations, permissions in (
        ("1.0", FIRST, ["read"]),
        ("2.0", SECOND, ["read", "write"]),
        ("3.0", THIRD, ["read"]),
    ):
        project = home / version
        (project / "guildhall_shelf/migrations").mkdir(parents=True)
        (project / "pyproject.toml").write_text(PROJECT.format(version=version))
        source = MODULE.format(version=version, permissions=permissions)
        (project / "guildhall_shelf/__init__.py").write_text(source)
        for name, text in migrations.items():
            (project / "guildhall_shelf/migrations" / name).write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(project)
            build_wheel(str(home))
    return home


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An environment beside the one of the tests, which it sees: what is installed goes into it alone."""
    folder = tmp_path_factory.mktemp("installing") / "environment"
    venv.create(folder)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    ours = sysconfig.get_path("purelib")
    (site / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    # A plugin is tried in a process of its own.
    forks = Forks(folder / "bin/python", commands.bare_environment(), folder / "bin/guildhall")
    yield folder, site, forks
    forks.close()


@pytest.fixture
def environment(made, tmp_path):
    folder, site, forks = made
    before = {*site.iterdir()}
    yield Environment(folder, site, tmp_path / "data", forks)
    for path in {*site.iterdir()} - before:
        shutil.rmtree(path)


@dataclass(frozen=True)
class Environment:
    folder: Path
    site: Path
    data: Path
    forks: Forks

    def run(self, *words, **settings):
        environ = commands.bare_environment(SERVICE_DATA=str(self.data), **settings)
        said = self.folder / "stdout", self.folder / "stderr"
        code = self.forks.start([*map(str, words)], environ, self.folder, said).wait(60)
        return subprocess.CompletedProcess(words, code, *(path.read_text() for path in said))

    def dies(self, step, *words):
        """Runs a command that is killed before it makes something last for the `step`th time."""
        hook = f"""
import itertools, os, signal, sys
from kernel.cli import main
steps = itertools.count(1)
def mortal(call):
    def counted(*given, **more):
        if next(steps) == {step}:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **more)
    return counted
import builtin_plugins.installing.pip as pip
os.replace = mortal(os.replace)
pip.put = mortal(pip.put)
sys.exit(main({[*map(str, words)]!r}))
"""
        environ = commands.bare_environment(SERVICE_DATA=str(self.data))
        return subprocess.run(
            [self.folder / "bin/python", "-c", hook], env=environ, capture_output=True, text=True
        )

    def prepared(self):
        """What a start of a server does before it imports plugins."""
        code = "import os; from builtin_plugins.installing import before_serve; before_serve(os.environ)"
        environ = commands.bare_environment(SERVICE_DATA=str(self.data))
        done = subprocess.run(
            [self.folder / "bin/python", "-c", code], env=environ, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done

    @property
    def versions(self):
        return sorted(path.name.split("-")[1][:3] for path in self.site.glob("guildhall_shelf-*.dist-info"))

    @property
    def migrations(self):
        return sorted(path.name for path in (self.site / "guildhall_shelf/migrations").glob("*.sql"))


def wheel(wheels, version):
    return next(wheels.glob(f"*-{version}-*.whl"))


def installed(environment, wheels, version, *more):
    done = environment.run("plugin", "install", wheel(wheels, version), "--no-index", "--yes", *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_installed_widened_and_gone_back_on(environment, wheels):
    asked = environment.run("plugin", "install", wheel(wheels, "1.0"), "--no-index")
    assert (asked.returncode, environment.versions) == (2, [])
    assert "nobody is there to ask; say --yes to install it" in asked.stderr
    assert "shelf 1.0 is installed" in installed(environment, wheels, "1.0")
    said = installed(environment, wheels, "2.0")
    assert "shelf 1.0 → 2.0" in said
    assert "+ permission           shelf:write  (widens)" in said
    environment.prepared()  # a start tries 2.0, and does not come to its end
    environment.prepared()  # the next one goes back, and knows what the first may have migrated
    assert environment.versions == ["1.0"]
    assert environment.migrations == ["0001_items.sql", "0002_more.sql"]
    journal = json.loads((environment.data / "plugins/journal.json").read_text())
    assert [one["action"] for one in journal["events"]] == [
        "plugin.installed",
        "plugin.installed",
        "plugin.rolled_back",
    ]
    installed(environment, wheels, "3.0")
    environment.prepared()
    kept = environment.run("plugin", "rollback", "shelf")
    assert (kept.returncode, environment.versions) == (2, ["3.0"])
    assert "0003_less.sql has no way back: the items are gone" in kept.stderr


LONG = pytest.mark.long_form


# A way back that is killed installs too, and goes through the same journal.
@pytest.mark.long_form
@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_kill_leaves_one_whole_version(environment, wheels, step):
    installed(environment, wheels, "1.0")
    done = environment.dies(step, "plugin", "install", wheel(wheels, "2.0"), "--no-index", "--yes")
    assert done.returncode == -signal.SIGKILL
    for torn in environment.site.glob("guildhall_shelf-2.0.dist-info/RECORD"):
        torn.unlink()  # as a pip that is killed itself leaves it
    environment.prepared()
    assert (environment.versions, environment.migrations) == (["1.0"], sorted(FIRST))
    assert "shelf 2.0 is installed" in installed(environment, wheels, "2.0")


@pytest.mark.parametrize("step", [*(pytest.param(step, marks=LONG) for step in (1, 2, 4, 5)), 3])
def test_a_killed_way_back_leaves_one_whole_version_and_is_gone_again(environment, wheels, step):
    for version in ("1.0", "2.0"):
        installed(environment, wheels, version)
    environment.prepared()  # a start has tried 2.0, so that its migrations may be there
    done = environment.dies(step, "plugin", "rollback", "shelf")
    assert done.returncode == -signal.SIGKILL, done.stderr
    mended = environment.run("plugin", "rollback", "shelf")
    whole = {"1.0": ["0001_items.sql", "0002_more.sql"], "2.0": ["0001_items.sql", "0002_more.sql"]}
    (version,) = environment.versions
    assert environment.migrations == whole[version]
    # It was undone and is done now, or its last word was written: then there is nothing before it.
    assert (mended.returncode, version) == (0, "1.0"), mended.stderr
    assert len(list(environment.site.glob("guildhall_shelf*.dist-info"))) == 1
    assert not list(environment.site.glob("~*"))
    check = environment.run("plugin", "check", "shelf")
    assert "shelf 1.0 would be let in" in check.stdout, check.stdout + check.stderr


def test_signatures_are_demanded(environment, wheels, tmp_path):
    key, keys = tmp_path / "author.key", tmp_path / "keys"
    keys.write_text(environment.run("plugin", "keygen", key).stdout)
    rules = {"SERVICE_PLUGINS_KEYS": str(keys), "SERVICE_PLUGINS_SIGNED": "require"}
    own = tmp_path / wheel(wheels, "1.0").name
    own.write_bytes(wheel(wheels, "1.0").read_bytes())
    words = ("plugin", "install", own, "--no-index", "--yes")
    refused = environment.run(*words, **rules)
    assert refused.returncode == 2 and "has no signature beside it" in refused.stderr
    other = tmp_path / "other.key"
    environment.run("plugin", "keygen", other)
    environment.run("plugin", "sign", own, "--key", other)
    refused = environment.run(*words, **rules)
    assert refused.returncode == 2 and "fits none of the keys" in refused.stderr
    environment.run("plugin", "sign", own, "--key", key)
    assert environment.run(*words, **rules).returncode == 0
    assert environment.versions == ["1.0"]
