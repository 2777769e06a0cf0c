"""Guildhall and a plugin from wheels, in an environment that knows nothing of this checkout."""

import fcntl
import os
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp

import httpx
import pluggy
import pytest

from guildhall_testing.postgres import session_server
from tests.processes import free_port
from tests.separate_plugin.forking import Forked, Forks, Said

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROJECT = HERE / "project"
GUIDE = ROOT / "docs/plugins/hooks.md"
ENGINE_PROJECT = HERE / "engine_project"
PATIENCE = 60

collect_ignore = ["project", "engine_project"]

_PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
_NOT_LINKED = {"__pycache__", "builtin_plugins", "kernel", "libs"}
_OFFLINE = ["--no-deps", "--no-index"]
# As pip does it for each of them in several processes.
_BUILD = """
import os, sys
from hatchling.build import build_wheel
for project in sys.argv[2:]:
    os.chdir(project)
    build_wheel(sys.argv[1])
"""


@dataclass(frozen=True)
class Installation:
    """A virtual environment with our distributions and plugins of strangers, from wheels.

    Ours are `guildhall-server`, `guildhall-sdk`, `guildhall-client` and `guildhall-testing`.
    `guildhall-loans` and `guildhall-plain-sqlite`, which brings an engine, are projects of their own;
    `guildhall-kitchen` brings a hook, `guildhall-soups` implements it, `guildhall-lines` speaks a protocol of
    its own and `guildhall-polls` has a blueprint, as the page of hooks shows them.
    """

    folder: Path

    @property
    def wheels(self) -> list[Path]:
        return sorted((self.folder.parent / "wheels").glob("*.whl"))

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def site_packages(self) -> Path:
        return Path(sysconfig.get_path("purelib", "venv", {"base": str(self.folder)}))

    @cached_property
    def forks(self) -> Forks:
        return Forks(self.python, outside_environment(self.folder))

    def run(self, *words: object, where: Path, **settings: str) -> subprocess.CompletedProcess[str]:
        """`guildhall <words>` in a folder of the test's own."""
        said = Path(mkdtemp(dir=where))
        out, err = said / "out", said / "err"
        code = self._fork(words, where, settings, (out, err)).wait(PATIENCE)
        return subprocess.CompletedProcess(words, code, out.read_text(), err.read_text())

    def run_python(self, *words: object, where: Path, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.python, *map(str, words)],
            env=outside_environment(where, **settings),
            cwd=where,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def start(self, *words: object, where: Path, **settings: str) -> Forked:
        """`guildhall <words>` beside the test; what it logs goes to `log` in the folder."""
        out = Path(mkdtemp(dir=where)) / "out"
        os.mkfifo(out)
        return self._fork(words, where, settings, (out, where / "log"))

    def _fork(self, words: Sequence[object], where: Path, settings: Mapping[str, str], said: Said) -> Forked:
        return self.forks.start([*map(str, words)], outside_environment(where, **settings), where, said)


@dataclass
class ServedHall:
    """A running `guildhall serve` with an operator and two companies, each with people of every role."""

    process: Forked
    where: Path
    base_url: str
    tokens: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def client(self, person: str, **headers: str) -> Iterator[httpx.Client]:
        """As `operator`, or as somebody of a company: `acme.member`."""
        with self.bearing(self.tokens[person], **headers) as client:
            yield client

    def bearing(self, token: str | None, **headers: str) -> httpx.Client:
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(
            base_url=self.base_url, headers=bearer | headers, timeout=PATIENCE, verify=False, trust_env=False
        )

    def call(self, person: str, method: str, path: str, body: object = None) -> httpx.Response:
        with self.client(person) as client:
            return client.request(method, path, json=body)

    def populate(self) -> None:
        with self.bearing(None) as nobody:
            first = nobody.post("/api/bootstrap", json={"username": "ada", "password": "difference engine"})
        self.tokens["operator"] = first.raise_for_status().json()["token"]
        for company in ("acme", "globex"):
            owner = {"username": f"{company}-owner"}
            made = self.call(
                "operator", "POST", "/api/orgs", {"name": company, "slug": company, "owner": owner}
            )
            self.tokens[f"{company}.owner"] = made.raise_for_status().json()["token"]
            for role in ("member", "viewer"):
                person = {"username": f"{company}-{role}", "role": role}
                joined = self.call(f"{company}.owner", "POST", "/api/members", person)
                self.tokens[f"{company}.{role}"] = joined.raise_for_status().json()["token"]

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def outside_environment(where: Path, **settings: str) -> dict[str, str]:
    """Ours without what would lead back to this checkout, and without the settings of whoever tests."""
    theirs = ("SERVICE_", "GUILDHALL_", "PYTHON", "VIRTUAL_ENV", "PYTEST", "COV")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(theirs)}
    return environ | {"SERVICE_DATA": str(where / "data")} | settings


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Has one worker run all of these, at the beginning: what is left at the end is for all of them."""
    items.sort(key=lambda item: HERE not in item.path.parents)


@pytest.fixture(scope="session")
def installation(tmp_path_factory) -> Iterator[Installation]:
    """Made once for all workers of a test session."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "separate_plugin"
    with (shared / "separate_plugin.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            _install(folder)
            (folder / "complete").touch()
    made = Installation(folder / "environment")
    yield made
    if "forks" in vars(made):
        made.forks.close()


@pytest.fixture(scope="session")
def author_environment(installation, tmp_path_factory) -> Path:
    """The Python of an environment that holds the plugins and what they depend on: the SDK, and pluggy."""
    folder = tmp_path_factory.mktemp("author")
    author = Installation(folder / "environment")
    venv.create(author.folder)
    for package in ("guildhall_loans", "guildhall_plain_sqlite", "guildhall_sdk"):
        (author.site_packages / package).symlink_to(installation.site_packages / package)
    (author.site_packages / "pluggy").symlink_to(Path(pluggy.__file__).parent)
    return author.python


def _install(folder: Path) -> None:
    wheels = folder / "wheels"
    _build_screens()
    guests = [_written_from_the_guide(folder, name) for name in ("kitchen", "lines", "soups", "polls")]
    ours = [ROOT, ROOT / "sdk", ROOT / "sdk/testing", ROOT / "clients/python"]
    sources = [*ours, PROJECT, ENGINE_PROJECT, *guests]
    _run(sys.executable, "-c", _BUILD, wheels, *sources)
    fresh = Installation(folder / "environment")
    venv.create(fresh.folder)
    third_party = folder / "third-party"
    _link_third_party(third_party)
    (fresh.site_packages / "third-party.pth").write_text(f"{third_party}\n")
    # Whatever pip compiles stands there for every process of theirs.
    _run(
        *_PIP, "--python", fresh.python, "install", *_OFFLINE, *fresh.wheels, env=outside_environment(folder)
    )


def _build_screens() -> None:
    """Builds the screens of the plugin as its author would, against the kit; React is found where ours is."""
    tools = ROOT / "console/node_modules"
    if not (tools / "@guildhall/console").exists():
        pytest.skip("the console is not built: make console")
    command = [tools / ".bin/vite", "build", "--logLevel", "error"]
    done = subprocess.run(command, cwd=PROJECT / "screens", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _written_from_the_guide(folder: Path, name: str) -> Path:
    """Makes a project of a module that the reference of hooks shows."""
    module = f"guildhall_{name}"
    shown = rf"<!-- file: {module}\.py -->\n```python\n(.*?)```"
    (source,) = re.findall(shown, GUIDE.read_text("utf-8"), re.DOTALL)
    project = folder / name
    project.mkdir(parents=True)
    (project / f"{module}.py").write_text(source)
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        f'[project]\nname = "guildhall-{name}"\nversion = "1.0"\ndependencies = ["guildhall-sdk>=0.1"]\n'
        f'[project.entry-points."guildhall.plugins"]\n{name} = "{module}"\n'
        f'[tool.hatch.build.targets.wheel]\nonly-include = ["{module}.py"]\n'
    )
    return project


def _link_third_party(folder: Path) -> None:
    """What the running environment has beside us: its editable installs stay behind, also as entry points."""
    folder.mkdir()
    for site_packages in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for path in Path(site_packages).iterdir():
            if "guildhall" not in path.name and path.suffix != ".pth" and path.name not in _NOT_LINKED:
                (folder / path.name).symlink_to(path)


def _run(*words: object, env: dict[str, str] | None = None) -> None:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def serve(installation):
    """`with serve(folder, SERVICE_LOANS_MAX_DAYS="3") as hall:`, a server with people in it."""

    @contextmanager
    def serve(where: Path, **settings: str) -> Iterator[ServedHall]:
        bind, s3_bind = (f"127.0.0.1:{free_port()}" for _ in range(2))
        binds = {"SERVICE_BIND": bind, "SERVICE_S3_BIND": s3_bind, "SERVICE_RATE_LIMIT": "0"}
        process = installation.start("serve", where=where, **binds, **settings)
        hall = ServedHall(process, where, f"http://{bind}")
        try:
            assert "Guildhall" in process.stdout.readline(), (where / "log").read_text()
            hall.populate()
            yield hall
        finally:
            hall.kill()

    return serve


@pytest.fixture(scope="session")
def served(serve, tmp_path_factory):
    """One server for the tests that leave it as they found it, on SQLite."""
    with serve(tmp_path_factory.mktemp("served"), SERVICE_LOANS_MAX_DAYS="3") as hall:
        yield hall


@pytest.fixture
def postgresql_url():
    url = session_server().create_database()
    yield url
    session_server().drop_database(url)
