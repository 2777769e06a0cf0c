"""Our own server, the way people run it: `guildhall serve`, all plugins, logging on."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.servers import Server, free_port, plain_environment, running, with_children
from guildhall_testing.postgres import PostgresServer

OURS = Path(sys.executable).with_name("guildhall")
PASSWORD = "a long one, for the bench"


@dataclass(frozen=True, slots=True)
class Founder:
    """The first person, who operates the instance and owns its first team."""

    token: str
    user_id: str
    org_id: str
    team_id: str


@contextmanager
def guildhall(
    data: Path, database_url: str | None = None, workers: int = 1, program: Path = OURS, /, **more: str
) -> Iterator[Server]:
    """Serves from `data`, on SQLite there unless a URL says otherwise; only the rate limit is off.

    `workers` are so many processes, `program` a `guildhall` of another revision, `more` further settings.
    """
    port = free_port()
    settings = {
        "SERVICE_DATA": str(data),
        "SERVICE_BIND": f"127.0.0.1:{port}",
        "SERVICE_S3_BIND": f"127.0.0.1:{free_port()}",
        "SERVICE_RATE_LIMIT": "0",
        "SERVICE_S3_RATE_LIMIT": "0",
        **more,
    }
    if database_url is not None:
        settings["SERVICE_DATABASE_URL"] = database_url
    data.mkdir(exist_ok=True)
    command = [str(program), "serve"]
    if workers > 1:
        command += ["--workers", str(workers)]
    with running(command, port, "/health", data, {**plain_environment(), **settings}) as server:
        yield server if workers == 1 else with_children(server, workers)


def found(server: Server) -> Founder:
    """Sets a fresh instance up."""
    answer = server.ask("POST", "/api/bootstrap", {"username": "ada", "password": PASSWORD})
    return Founder(answer["token"], answer["user"]["id"], answer["org"]["id"], answer["team"]["id"])


@contextmanager
def postgresql(*, durable: bool = False) -> Iterator[PostgresServer]:
    """A PostgreSQL of our own, which the tests use as well; `durable` waits for the disk."""
    server = PostgresServer(durable=durable)
    try:
        yield server.start()
    finally:
        server.stop()


@contextmanager
def beside_a_copy(
    name: str, folder: Path, cluster: PostgresServer
) -> Iterator[tuple[list[Path], list[str | None], Server]]:
    """Serves on a new "SQLite" or "PostgreSQL", and makes another with the same tables, which nobody serves.

    Yields the data folders of both, their URLs (none of SQLite), and the server.
    """
    urls = [cluster.create_database() if name == "PostgreSQL" else None for _ in range(2)]
    data = [folder / f"{name}-{who}" for who in ("ours", "theirs")]
    with guildhall(data[1], urls[1]):
        pass  # which makes the tables
    with guildhall(data[0], urls[0]) as server:
        yield data, urls, server
