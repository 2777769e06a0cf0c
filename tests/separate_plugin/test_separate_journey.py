"""From nothing to a plugin that was published, upgraded and gone back on, in an environment of wheels."""

import json
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from pathlib import Path

import httpx
import pip
import pytest

from tests.processes import free_port
from tests.separate_plugin.conftest import outside_environment
from tests.separate_plugin.forking import Forks

BUILD = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
PLUGIN, PACKAGE = "pear-tree", "guildhall_pear_tree"


class Journey:
    """An environment with Guildhall from wheels that plugins can be installed into, and its server."""

    def __init__(self, home, installation):
        self.home, self.folder = home, home / "environment"
        venv.create(self.folder)
        site = Path(sysconfig.get_path("purelib", "venv", {"base": str(self.folder)}))
        (site / "guildhall.pth").write_text(
            f"import site; site.addsitedir({str(installation.site_packages)!r})\n"
        )
        (site / "pip").symlink_to(Path(pip.__file__).parent)
        self.forks = Forks(
            self.folder / "bin/python", outside_environment(home), self.folder / "bin/guildhall"
        )

    def run(self, *words, code=0):
        said = self.home / "stdout", self.home / "stderr"
        ended = self.forks.start([*map(str, words)], outside_environment(self.home), self.home, said).wait(
            None
        )
        text = "".join(path.read_text() for path in said)
        assert ended == code, text
        return text

    def serve(self, ask):
        """Starts a server, asks it something, and stops it."""
        bind, s3_bind = (f"127.0.0.1:{free_port()}" for _ in range(2))
        environ = outside_environment(self.home, SERVICE_BIND=bind, SERVICE_S3_BIND=s3_bind)
        server = self.forks.start(["serve"], environ, self.home, (self.home / "said", self.home / "log"))
        try:
            with httpx.Client(base_url=f"http://{bind}", timeout=60, trust_env=False) as http:
                self._wait(http, server)
                return ask(http)
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(60) == 0, (self.home / "log").read_text()

    def _wait(self, http, server):
        for _ in range(1200):
            assert server.poll() is None, (self.home / "log").read_text()
            try:
                if http.get("/ready").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise AssertionError("the server is never ready")


@pytest.fixture
def journey(installation, tmp_path):
    made = Journey(tmp_path, installation)
    yield made
    made.forks.close()


def wheel_of(project, target):
    """Builds the wheel of a project."""
    before = {*target.iterdir()}
    command = [sys.executable, "-c", BUILD, target]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = {*target.iterdir()} - before
    return wheel


def changed(file, *changes):
    text = file.read_text()
    for old, new in changes:
        assert old in text, f"{file} has no {old}"
        text = text.replace(old, new, 1)
    file.write_text(text)


def test_written_checked_built_installed_upgraded_and_gone_back_on(journey, tmp_path):
    project, wheels = tmp_path / "project", tmp_path / "wheels"
    wheels.mkdir()
    journey.run("plugin", "new", PLUGIN, "--table", "--yes", "--folder", project)
    assert f"{PLUGIN} 0.1.0 would be let in" in journey.run("plugin", "check", project)
    journey.run("plugin", "install", wheel_of(project, wheels), "--no-index", "--yes")
    token = journey.serve(lambda http: _sign_up(http, "The first"))

    package = project / f"src/{PACKAGE}"
    changed(project / "pyproject.toml", ("0.1.0", "0.2.0"))
    changed(package / "__init__.py", ("0.1.0", "0.2.0"))
    water = f'\n        Permission(name="{PLUGIN}:water", description="Water it"),'
    changed(package / "routes.py", ('roles=["member"]),', f'roles=["member"]),{water}'))
    second = wheel_of(project, wheels)
    said = journey.run("plugin", "install", second, "--no-index", "--yes")
    assert "pear-tree 0.1.0 → 0.2.0" in said and "pear-tree:water  (widens)" in said
    assert journey.serve(lambda http: _state(http, token)) == ("0.2.0", [], ["The first"])

    journey.run("plugin", "rollback", PLUGIN)
    assert journey.serve(lambda http: _state(http, token)) == ("0.1.0", [], ["The first"])
    journal = json.loads((tmp_path / "data/plugins/journal.json").read_text())
    assert journal["open"] is None and journal["events"] == [], "the trail has heard of all of it"


def _sign_up(http, text):
    made = http.post("/api/bootstrap", json={"username": "ada", "password": "difference engine"})
    token = made.json()["token"]
    bearer = {"Authorization": f"Bearer {token}"}
    item = http.post(f"/api/x/{PLUGIN}/items", json={"text": text}, headers=bearer)
    assert item.status_code == 201, item.text
    return token


def _state(http, token):
    bearer = {"Authorization": f"Bearer {token}"}
    plugin = next(
        one for one in http.get("/api/plugins", headers=bearer).json()["items"] if one["id"] == PLUGIN
    )
    items = http.get(f"/api/x/{PLUGIN}/items", headers=bearer).json()["items"]
    return plugin["version"], plugin["held"], [one["text"] for one in items]
