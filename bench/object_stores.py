"""What speaks S3, each with some keys in a bucket. As a program, `object_stores.py PORT KEYS` is moto."""

import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3  # type: ignore[import-untyped]
from botocore.auth import S3SigV4Auth  # type: ignore[import-untyped]
from botocore.awsrequest import AWSRequest  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.credentials import Credentials  # type: ignore[import-untyped]

from bench.guildhall import found, guildhall
from bench.peers import is_installed
from bench.servers import BenchFailed, Server, free_port, plain_environment, running
from guildhall_sdk import new_id

OURS, MOTO, RCLONE = "ours", "moto", "rclone serve s3"
BUCKET = "bench"
LISTED = "listed/"
THREADS = 8
_KEY = ("bench-access-key", "bench-secret-key")
_ACCOUNT = "123456789012"
_REGION = "local"


@dataclass(frozen=True, slots=True)
class Store:
    """A bucket, boto3 as it comes to reach it with, and the process that serves it."""

    client: Any
    bucket: str
    server: Server
    endpoint: str
    credentials: Credentials

    @property
    def port(self) -> int:
        return urlsplit(self.endpoint).port or 80

    def signed(self, method: str, key: str, body: bytes = b"") -> bytes:
        """A request as it goes over the wire; it is good for a quarter of an hour."""
        url = urlsplit(f"{self.endpoint}/{self.bucket}/{key}")
        request = AWSRequest(method, url.geturl(), {}, body)
        request.headers["Host"] = url.netloc
        request.headers["Content-Length"] = str(len(body))
        S3SigV4Auth(self.credentials, "s3", _REGION).add_auth(request)
        lines = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
        target = f"{url.path}?{url.query}" if url.query else url.path
        return f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode("ascii") + body


def listed_key(number: int) -> str:
    return f"{LISTED}{number:06}.txt"


def issued_store(server: Server, token: str) -> Store:
    """The bucket of whoever holds the token, with a key of theirs."""
    issued = server.ask("POST", "/api/s3/credentials", {}, token)
    key = (issued["bucket"], issued["access_key_id"], issued["secret_access_key"])
    return _store(server, issued["endpoint"], *key)


@contextmanager
def stores(folder: Path, keys: int) -> Iterator[dict[str, Store]]:
    """Ours and those that people run on one machine, each with so many keys to list."""
    with ExitStack() as stack:
        found = {
            OURS: stack.enter_context(our_store(folder / "ours", keys)),
            MOTO: stack.enter_context(moto(folder / "moto", keys)),
        }
        if is_installed("rclone"):
            found[RCLONE] = stack.enter_context(rclone(folder / "rclone", keys))
        yield found


@contextmanager
def our_store(folder: Path, keys: int) -> Iterator[Store]:
    with guildhall(folder) as server:
        founder = found(server)
        store = issued_store(server, founder.token)
        store.client.put_object(Bucket=store.bucket, Key=listed_key(0), Body=b"")
    _repeat_the_one_object(folder / "guildhall.db", keys)
    with guildhall(folder) as server:
        # The listener of S3 is on another port by now.
        endpoint = server.ask("GET", "/api/s3/credentials", token=founder.token)["endpoint"]
        key = store.credentials
        yield _store(server, endpoint, store.bucket, key.access_key, key.secret_key)


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
    with running(command, metrics, "/metrics", folder, plain_environment()) as server:
        yield _store(server, f"http://127.0.0.1:{port}", BUCKET, *_KEY)


@contextmanager
def moto(folder: Path, keys: int) -> Iterator[Store]:
    """moto's server, which keeps everything in memory and checks no signature."""
    folder.mkdir()
    port = free_port()
    command = [sys.executable, "-m", "bench.object_stores", str(port), str(keys)]
    with running(command, port, "/moto-api/", folder, plain_environment()) as server:
        yield _store(server, f"http://127.0.0.1:{port}", BUCKET, *_KEY)


def _store(server: Server, endpoint: str, bucket: str, access_key_id: str, secret: str) -> Store:
    client = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name=_REGION,
        aws_access_key_id=access_key_id,
        aws_secret_access_key=secret,
        config=Config(max_pool_connections=THREADS, s3={"addressing_style": "path"}),
    )
    return Store(client, bucket, server, endpoint, Credentials(access_key_id, secret))


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
