"""A place for an instance on either database, and the command line on it."""

import json
import shutil
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from guildhall_sdk import Statement
from guildhall_testing.databases import database_at
from guildhall_testing.postgres import session_server
from tests import commands
from tests.test_readme import post, serving, started, wait_until_healthy

# Nobody reads what it says before its end.
QUIET = {"SERVICE_RATE_LIMIT": "0", "SERVICE_LOG_LEVEL": "warning"}
ADA = {"username": "ada", "password": "difference engine"}


@dataclass(frozen=True)
class Place:
    """A data folder with a database."""

    folder: Path
    url: str
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def settings(self) -> dict[str, str]:
        return {"SERVICE_DATA": str(self.data), "SERVICE_DATABASE_URL": self.url, **self.more}

    @property
    def environ(self) -> dict[str, str]:
        return commands.bare_environment(**self.settings)

    def serving(self, **settings: str):
        return serving(self.folder, **self.settings, **QUIET, **settings)

    @contextmanager
    def killable(self) -> Iterator[tuple[commands.Running, str]]:
        """A server that is killed outright, at the end of the block or before."""
        process, base_url = started(self.folder, **self.settings, **QUIET)
        try:
            wait_until_healthy(base_url, process)
            yield process, base_url
        finally:
            process.kill()
            process.wait()

    def run(self, *words: object, **fate: int) -> commands.Done:
        """The command line; `dies_at` and `file_limit` are how it fares."""
        return commands.run(self.environ, words, **fate)

    def boot(self) -> None:
        """A server starts on it, and stops."""
        done = self.run(*commands.BOOT)
        assert done.returncode == 0, done.output

    async def read(self, text: str) -> list[dict]:
        return await self.change(text)

    async def change(self, text: str, **binds: object) -> list[dict]:
        """Past every service, as somebody with the database in their hands would do it."""
        data = database_at(self.url, shared=True)
        await data.connect()
        try:
            async with data.write() as writer:
                return [dict(row) for row in await writer.all(Statement("of_a_test", text, text), **binds)]
        finally:
            await data.disconnect()


class Places:
    """Makes places, and removes their databases."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers, self._urls = folder, count(1), []

    def make(self, dialect: str, template: str | None = None) -> Place:
        folder = self._folder / f"place-{next(self._numbers)}"
        folder.mkdir()
        if dialect == "sqlite":
            return Place(folder, f"sqlite:///{folder}/data/guildhall.db")
        self._urls.append(session_server().create_database(template))
        return Place(folder, self._urls[-1])

    def copy(self, place: Place, dialect: str) -> Place:
        """Another place with the same data; nobody is at the first one meanwhile."""
        made = self.make(dialect, place.url)
        shutil.copytree(place.data, made.data)
        return made

    def remove(self) -> None:
        for url in self._urls:
            session_server().drop_database(url)


@pytest.fixture(scope="session")
def dialect(hall_database: str) -> str:
    return hall_database


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    made = Places(tmp_path)
    yield made
    made.remove()


@pytest.fixture
def place(places: Places, dialect: str) -> Place:
    return places.make(dialect)


@pytest.fixture
def another(places: Places, dialect: str) -> Place:
    """A fresh place of the same kind."""
    return places.make(dialect)


@dataclass(frozen=True)
class Backups:
    """Of one instance: early it has one note and one file, later others in their place."""

    early: Path
    late: Path


@pytest.fixture(scope="session")
def backups(tmp_path_factory: pytest.TempPathFactory, dialect: str) -> Iterator[Backups]:
    folder = tmp_path_factory.mktemp("backups")
    places = Places(folder)
    place, made = places.make(dialect), Backups(folder / "early", folder / "late")
    with place.serving() as base_url:
        token = post(f"{base_url}/api/bootstrap", ADA)["token"]
        for name, target in (("early", made.early), ("late", made.late)):
            post(f"{base_url}/api/notes", {"title": name}, token)
            content = (name * 200_000)[:700_000].encode()
            call(base_url, token, "PUT", "/api/repo/large", content, "text/plain")
            done = place.run("backup", "--with-key", target)
            assert done.returncode == 0, done.output
    yield made
    places.remove()


@pytest.fixture(scope="session")
def early(tmp_path_factory: pytest.TempPathFactory, dialect: str, backups: Backups) -> Iterator[Place]:
    """An instance as it was early, to be copied."""
    places = Places(tmp_path_factory.mktemp("early"))
    place = places.make(dialect)
    done = place.run("restore", backups.early)
    assert done.returncode == 0, done.output
    yield place
    places.remove()


@pytest.fixture
def restored(places: Places, early: Place, dialect: str) -> Place:
    """An instance as it was early, of the test's own."""
    return places.copy(early, dialect)


def call(base_url, token, method, path, body=None, kind="application/json"):
    """One request; gives back what its answer holds."""
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
    request = urllib.request.Request(f"{base_url}{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        content = answer.read()
    return json.loads(content) if "json" in answer.headers.get("Content-Type", "") else content


class Clients:
    """Several clients that write for as long as the block runs, and remember what was acknowledged."""

    def __init__(self, base_url: str, token: str, writes) -> None:
        self._base_url, self._token, self._writes = base_url, token, writes
        self._stop = threading.Event()
        self.acknowledged: list[tuple[str, dict]] = []
        self.failures: list[Exception] = []
        self._grown = threading.Condition()
        self._threads = [threading.Thread(target=self._run, args=(n,)) for n in range(len(writes))]

    def __enter__(self) -> "Clients":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        if self.failures:
            raise self.failures[0]

    def wait_for(self, more: int) -> None:
        """Until so many further writes were acknowledged."""
        with self._grown:
            goal = len(self.acknowledged) + more
            assert self._grown.wait_for(lambda: len(self.acknowledged) >= goal or self.failures, 60)

    def _run(self, number: int) -> None:
        for turn in count():
            if self._stop.is_set():
                return
            try:
                kept = self._writes[number](f"{number}-{turn}")
            except (OSError, urllib.error.URLError) as error:
                self.failures.append(error)
                return
            with self._grown:
                self.acknowledged.append(kept)
                self._grown.notify_all()


@pytest.fixture
def bootstrap():
    return lambda base_url: post(f"{base_url}/api/bootstrap", ADA)
