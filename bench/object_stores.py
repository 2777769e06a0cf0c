"""What speaks S3, each with some keys in a bucket. As a program, `object_stores.py PORT KEYS` is moto."""

import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]

from bench.guildhall import found, guildhall
from bench.servers import BenchFailed, free_port, plain_environment, running
from guildhall_sdk import new_id

BUCKET = "bench"
LISTED = "listed/"
THREADS = 8
_KEY = ("bench-access-key", "bench-secret-key")
_ACCOUNT = "123456789012"


@dataclass(frozen=True, slots=True)
class Store:
    """A bucket, and boto3 as it comes to reach it with."""

    client: Any
    bucket: str


def listed_key(number: int) -> str:
    return f"{LISTED}{number:06}.txt"


@contextmanager
def our_store(folder: Path, keys: int) -> Iterator[Store]:
    with guildhall(folder) as server:
        founder = found(server)
        issued = server.ask("POST", "/api/s3/credentials", {}, founder.token)
        key = (issued["bucket"], issued["access_key_id"], issued["secret_access_key"])
        store = _store(issued["endpoint"], *key)
        store.client.put_object(Bucket=store.bucket, Key=listed_key(0), Body=b"")
    _repeat_the_one_object(folder / "guildhall.db", keys)
    with guildhall(folder) as server:
        # The listener of S3 is on another port by now.
        endpoint = server.ask("GET", "/api/s3/credentials", token=founder.token)["endpoint"]
        yield _store(endpoint, *key)


@contextmanager
def rclone(folder: Path, keys: int) -> Iterator[Store]:
    """`rclone serve s3` over a folder, which checks signatures as we do."""
    files = folder / BUCKET / LISTED
    files.mkdir(parents=True)
    for number in range(keys):
        (folder / BUCKET / listed_key(number)).touch()
    port, metrics = free_port(), free_port()
    command = [
        *(str(Path(sys.executable).with_name("rclone")), "serve", "s3", str(folder), "--quiet"),
        *("--config", "", "--addr", f"127.0.0.1:{port}", "--auth-key", ",".join(_KEY)),
        *("--metrics-addr", f"127.0.0.1:{metrics}"),
    ]
    with running(command, metrics, "/metrics", folder, plain_environment()):
        yield _store(f"http://127.0.0.1:{port}", BUCKET, *_KEY)


@contextmanager
def moto(folder: Path, keys: int) -> Iterator[Store]:
    """moto's server, which keeps everything in memory and checks no signature."""
    folder.mkdir()
    port = free_port()
    command = [sys.executable, "-m", "bench.object_stores", str(port), str(keys)]
    with running(command, port, "/moto-api/", folder, plain_environment()):
        yield _store(f"http://127.0.0.1:{port}", BUCKET, *_KEY)


def _store(endpoint: str, bucket: str, access_key_id: str, secret: str) -> Store:
    client = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="local",
        aws_access_key_id=access_key_id,
        aws_secret_access_key=secret,
        config=Config(max_pool_connections=THREADS, s3={"addressing_style": "path"}),
    )
    return Store(client, bucket)


def _repeat_the_one_object(path: Path, keys: int) -> None:
    """Under further keys, straight in the tables, while no server has them open."""
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        one = database.execute("SELECT * FROM objects WHERE key = ?", (listed_key(0),)).fetchone()
        if one is None:
            raise BenchFailed("the object to repeat is not there")
        version = database.execute(
            "SELECT * FROM object_versions WHERE id = ?", (one["newest_id"],)
        ).fetchone()
        for number in range(1, keys):
            object_id, version_id = new_id("obj", number), new_id("ver", number)
            changed = {"id": object_id, "key": listed_key(number), "newest_id": version_id}
            _insert(database, "objects", {**one, **changed})
            _insert(database, "object_versions", {**version, "id": version_id, "object_id": object_id})
        database.commit()


def _insert(database: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    marks = ", ".join("?" * len(row))
    database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def _serve_moto(port: int, keys: int) -> None:
    from moto.s3.models import s3_backends
    from moto.server import ThreadedMotoServer

    backend = s3_backends[_ACCOUNT]["aws"]
    backend.create_bucket(BUCKET, "us-east-1")
    for number in range(keys):
        backend.put_object(BUCKET, listed_key(number), b"")
    ThreadedMotoServer("127.0.0.1", port, verbose=False).start()
    threading.Event().wait()


if __name__ == "__main__":
    _serve_moto(int(sys.argv[1]), int(sys.argv[2]))
