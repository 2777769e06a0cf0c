"""A migrated database of each dialect, with the vault and the trail as the boot puts them together."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

import kernel
from guildhall_sdk import Statement
from guildhall_testing.clock import FakeClock
from guildhall_testing.databases import database_at
from guildhall_testing.postgres import session_server
from kernel.audit import Trail
from kernel.db.migrations import migrate
from kernel.secrets.vault import SealedVault
from libs.migration_files import MigrationSource

KERNEL_MIGRATIONS = Path(kernel.__file__).with_name("migrations")
Migrated = Callable[[str], Awaitable[str]]


class Process:
    """What one server process holds: its own connections, keys and trail on a database it may share."""

    def __init__(self, url: str, clock: FakeClock, secret_key: bytes, *, shared: bool = False) -> None:
        self.url, self.clock = url, clock
        self.vault = SealedVault(secret_key, clock)
        self.trail = Trail(self.vault, clock)
        self.data = database_at(
            url, audit_sink=self.trail.append, locked_read_of=self.trail.end_to_read, shared=shared
        )

    async def __aenter__(self) -> "Process":
        await self.data.connect()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.data.disconnect()

    def sibling(self, secret_key: bytes) -> "Process":
        return Process(self.url, self.clock, secret_key, shared=self.data.dialect == "sqlite")

    async def tamper(self, text: str, **binds: object) -> list[dict[str, object]]:
        """Runs raw SQL past every service, as somebody with the database in their hands would."""
        async with self.data.write() as writer:
            return [dict(row) for row in await writer.all(Statement("tamper", text, text), **binds)]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def secret_key() -> bytes:
    return b"a secret key for tests, long enough"


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Migrated:
    """Returns the URL of a database that was migrated once, to be copied: `await migrated("sqlite")`."""
    made: dict[str, str] = {}

    async def migrated(dialect: str) -> str:
        if dialect not in made:
            folder = tmp_path_factory.mktemp("migrated")
            url = _url_in(folder) if dialect == "sqlite" else session_server().create_database()
            data = database_at(url)
            await data.connect()
            await migrate(data, [MigrationSource("kernel", KERNEL_MIGRATIONS)], FakeClock().now_ms())
            await data.disconnect()
            made[dialect] = url
        return made[dialect]

    return migrated


def _url_in(folder: Path) -> str:
    return f"sqlite:///{folder / 'test.db'}"


@pytest.fixture
async def database_url(hall_database: str, tmp_path: Path, migrated: Migrated) -> AsyncIterator[str]:
    template = await migrated(hall_database)
    if hall_database == "sqlite":
        # With whatever still stands beside the file.
        for path in Path(template.removeprefix("sqlite:///")).parent.glob("test.db*"):
            if path.suffix != ".lock":
                shutil.copy(path, tmp_path)
        yield _url_in(tmp_path)
        return
    url = session_server().create_database(template)
    yield url
    session_server().drop_database(url)


@pytest.fixture
async def process(database_url: str, clock: FakeClock, secret_key: bytes) -> AsyncIterator[Process]:
    """Opens a process on a migrated database, its vault not yet open."""
    async with Process(database_url, clock, secret_key) as one:
        yield one


@pytest.fixture
async def opened(process: Process) -> Process:
    await process.vault.open(process.data)
    return process
