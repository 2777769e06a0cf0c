"""Where halls stand: each on a database of its own, copied from one that was migrated and peopled once."""

import asyncio
import fcntl
import pickle
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, Literal

from guildhall_testing import postgres
from guildhall_testing.admissions import Admissions
from guildhall_testing.clock import START_MS, FakeClock
from guildhall_testing.people import People, populate, populate_further
from kernel.boot import Server
from kernel.config import Settings
from kernel.plugins.admission import Admission, admit

DatabaseName = Literal["sqlite", "postgresql"]
_DAY_MS = 24 * 3600 * 1000
# For so many tests of a module that share a server.
_SPARES = 20

_Key = tuple[DatabaseName, bool, bool]


@dataclass(frozen=True, slots=True)
class Site:
    """One hall's folder and database, and who is in it."""

    database: DatabaseName
    folder: Path
    database_url: str
    people: People | None
    spares: tuple[People, ...] = ()

    def environment(self) -> dict[str, str]:
        return {"SERVICE_DATA": str(self.folder), "SERVICE_DATABASE_URL": self.database_url}


@dataclass(frozen=True, slots=True)
class Sites:
    """Makes sites for one test session. `plugins` and `folders` come on top of what is installed.

    In the folder `shared` the processes of one run find the templates on SQLite that one of them has made.
    """

    root: Path
    plugins: Sequence[Any] = ()
    folders: Sequence[Path] = ()
    shared: Path | None = None
    _templates: dict[_Key, Site] = field(default_factory=dict)
    _admissions: Admissions = field(init=False)
    _path: Sequence[str] = field(default_factory=lambda: [*sys.path])
    _next: dict[_Key, "Future[Site]"] = field(default_factory=dict)
    _worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "sites"))
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        object.__setattr__(self, "_admissions", Admissions(self.plugins, self.folders))

    @asynccontextmanager
    async def lease(
        self, database: DatabaseName, *, populated: bool = True, with_spares: bool = False
    ) -> AsyncIterator[Site]:
        """Lends a copy of the template, removed at the end; the next one is made meanwhile."""
        key = (database, populated, with_spares)
        if key not in self._templates:
            self._templates[key] = await self._template(*key)
        copying = self._next.pop(key, None) or self._worker.submit(self._copy, self._templates[key])
        site = await asyncio.wrap_future(copying)
        self._next[key] = self._worker.submit(self._copy, self._templates[key])
        try:
            yield site
        finally:
            self._worker.submit(self._remove, site)

    def close(self) -> None:
        """Waits until what was leased is removed."""
        self._worker.shutdown()

    def admission(self, settings: Settings, plugins: Sequence[Any]) -> Admission:
        """Returns whom the settings let in; halls share that half of a boot, but for plugins of their own."""
        if sys.path != self._path:  # a test has put a distribution there
            return admit(settings, [*self.plugins, *plugins])
        return self._admissions.of(settings, plugins)

    def settings(self, site: Site, **more: str) -> Settings:
        unlimited = {"SERVICE_RATE_LIMIT": "0", "SERVICE_S3_RATE_LIMIT": "0"}
        # What is found by meaning depends on how far a server has read: tests of that turn it on.
        quiet = {"SERVICE_EMBEDDINGS": "0"}
        environment = {**unlimited, **quiet, **site.environment(), **more}
        if self.folders:
            environment.setdefault("SERVICE_PLUGINS", ":".join(map(str, self.folders)))
        return Settings.from_environment(environment)

    async def _template(self, database: DatabaseName, populated: bool, with_spares: bool) -> Site:
        if self.shared is None or database != "sqlite":
            return await self._new_template(database, populated, with_spares)
        made = self.shared / f"template-{int(populated)}-{int(with_spares)}"
        with made.with_suffix(".lock").open("wb") as lock:
            await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
            if not made.exists():
                site = await self._new_template(database, populated, with_spares)
                made.write_bytes(pickle.dumps(site))
            template: Site = pickle.loads(made.read_bytes())
        return template

    async def _new_template(self, database: DatabaseName, populated: bool, with_spares: bool) -> Site:
        if not with_spares:
            return await self._build(database, populated)
        key = database, True, False
        plain = self._templates[key] = self._templates.get(key) or await self._template(*key)
        assert plain.people is not None
        return await self._with_spares(await asyncio.to_thread(self._copy, plain), plain.people)

    async def _with_spares(self, site: Site, people: People) -> Site:
        clock = FakeClock(START_MS - _DAY_MS // 2)
        server = self._server(site, clock)
        await server.start()
        try:
            spares = await populate_further(server.host, clock, people, _SPARES)
        finally:
            await server.stop()
        return replace(site, spares=spares)

    async def _build(self, database: DatabaseName, populated: bool) -> Site:
        empty = self._place(database, None)
        clock = FakeClock(START_MS - _DAY_MS)
        server = self._server(empty, clock)
        await server.start()
        try:
            people = await populate(server.host, clock) if populated else None
        finally:
            await server.stop()
        return Site(database, empty.folder, empty.database_url, people)

    def _server(self, site: Site, clock: FakeClock) -> Server:
        settings = self.settings(site)
        return Server(settings, clock=clock, admission=self.admission(settings, ()))

    def _place(self, database: DatabaseName, template: str | None) -> Site:
        folder = self.root / f"hall-{next(self._numbers)}"
        folder.mkdir(mode=0o700)
        if database == "postgresql":
            return Site(database, folder, postgres.session_server().create_database(template), None)
        return Site(database, folder, f"sqlite:///{folder / 'guildhall.db'}", None)

    def _copy(self, template: Site) -> Site:
        site = self._place(template.database, template.database_url)
        shutil.copytree(
            template.folder, site.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.lock")
        )
        return replace(site, people=template.people, spares=template.spares)

    @staticmethod
    def _remove(site: Site) -> None:
        if site.database == "postgresql":
            postgres.session_server().drop_database(site.database_url)
        shutil.rmtree(site.folder)
