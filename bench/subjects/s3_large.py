"""Large objects over S3 against other servers of it, by one boto3.

A large object is also held against what the machine allows: one pass of MD5 and SHA-256 over its bytes and
a file that is on the disk for the one way, reading that file and one SHA-256 for the other. There the client
is a socket with a signed link, because boto3 takes digests of its own.
"""

import hashlib
import http.client
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from bench.object_stores import MOTO, OURS, RCLONE, Store, stores
from bench.report import Aim, Report
from bench.rounds import take_turns

NAME = "s3.large"
MIB = 1024 * 1024
LARGE, ROUNDS = 64 * MIB, 10
BARE, LIMIT = "ours by a link", "what the machine allows"
# Of the time that each takes.
AIMS = {
    ("PUT", RCLONE): Aim(1.0),
    ("PUT", MOTO): Aim(1.0),
    ("GET", RCLONE): Aim(0.6),
    ("GET", MOTO): Aim(1.0),
}
BY_A_LINK = Aim(1.2)
_CHUNK = MIB
_numbers = count()


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, stores(Path(folder), 1) as found:
        for store in found.values():
            store.client.put_object(Bucket=store.bucket, Key="large", Body=os.urandom(LARGE))
        for method, by_boto, by_hand in (("PUT", _put_large, _write), ("GET", _get_large, _read)):
            turns: dict[str, Callable[[], float]] = {
                **{name: partial(by_boto, store) for name, store in found.items()},
                BARE: partial(_by_link, found[OURS], method),
                LIMIT: partial(by_hand, Path(folder)),
            }
            _compare(report, method, turns)


def _compare(report: Report, method: str, turns: dict[str, Callable[[], float]]) -> None:
    seconds = take_turns(turns, ROUNDS)
    what = f"{method} of 64 MiB"
    for peer in (name for name in seconds if (method, name) in AIMS):
        report.compare(NAME, what, seconds[OURS], peer, seconds[peer], AIMS[method, peer])
    report.compare(NAME, f"{what} by a link", seconds[BARE], LIMIT, seconds[LIMIT], BY_A_LINK)
    for name, series in seconds.items():
        report.reading(NAME, f"{what}, {name}", [1000 * one for one in series], "ms")


def _put_large(store: Store) -> float:
    body = os.urandom(LARGE)
    return _timed(lambda: store.client.put_object(Bucket=store.bucket, Key="large", Body=body))


def _get_large(store: Store) -> float:
    def get() -> None:
        body = store.client.get_object(Bucket=store.bucket, Key="large")["Body"]
        while body.read(_CHUNK):
            pass

    return _timed(get)


def _by_link(store: Store, method: str) -> float:
    told = {"Bucket": store.bucket, "Key": "large"}
    link = urlsplit(store.client.generate_presigned_url(f"{method.lower()}_object", Params=told))
    body = os.urandom(LARGE) if method == "PUT" else None
    connection = http.client.HTTPConnection(link.netloc)

    def ask() -> None:
        connection.request(method, f"{link.path}?{link.query}", body)
        answer = connection.getresponse()
        while answer.read(_CHUNK):
            pass
        if answer.status != 200:
            raise RuntimeError(f"a link was answered {answer.status}")

    with closing(connection):
        return _timed(ask)


def _write(folder: Path) -> float:
    body = os.urandom(LARGE)

    def write() -> None:
        md5, sha256 = hashlib.md5(usedforsecurity=False), hashlib.sha256()
        temporary = folder / f"limit-{next(_numbers)}"
        with temporary.open("wb") as file:
            for start in range(0, LARGE, _CHUNK):
                chunk = body[start : start + _CHUNK]
                md5.update(chunk)
                sha256.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(folder / "limit")

    return _timed(write)


def _read(folder: Path) -> float:
    def read() -> None:
        sha256 = hashlib.sha256()
        with (folder / "limit").open("rb") as file:
            while chunk := file.read(_CHUNK):
                sha256.update(chunk)

    return _timed(read)


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began
