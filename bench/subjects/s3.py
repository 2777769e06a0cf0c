"""Objects over S3 against other servers of it that people run on one machine, with one boto3 and 8 threads.

A large object is also held against what the machine allows: one pass of MD5 and SHA-256 over its bytes and
a file that is on the disk for the one way, reading that file and one SHA-256 for the other. There the client
is a socket with a signed link, because boto3 takes digests of its own.
"""

import hashlib
import http.client
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from bench.object_stores import LISTED, THREADS, Store, moto, our_store, rclone
from bench.peers import is_installed
from bench.raw_objects import compare_raw
from bench.report import Aim, Report
from bench.rounds import take_turns

NAME = "s3"
MIB = 1024 * 1024
KEYS = 10_000
SMALL, LARGE = 4 * 1024, 64 * MIB
AT_ONCE = 40
ROUNDS = {"small": 15, "large": 7, "list": 5}
PEERS = ("rclone serve s3", "moto")
# Of the time that the other takes; 1.0 where nothing stands here.
AIMS = {("GET of 64 MiB", "rclone serve s3"): Aim(0.6)}
BARE, LIMIT = "ours by a link", "what the machine allows"
_CHUNK = MIB
_numbers = count()


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        pool = stack.enter_context(ThreadPoolExecutor(THREADS))
        stores = {
            "ours": stack.enter_context(our_store(folder / "ours", KEYS)),
            "moto": stack.enter_context(moto(folder / "moto", KEYS)),
        }
        if is_installed("rclone"):
            stores["rclone serve s3"] = stack.enter_context(rclone(folder / "rclone", KEYS))
        for store in stores.values():
            _put_small(store, pool)
            store.client.put_object(Bucket=store.bucket, Key="large", Body=os.urandom(LARGE))
        _compare(report, "PUT of 4 KiB", _turns(_put_small, stores, pool), "small")
        _compare(report, "GET of 4 KiB", _turns(_get_small, stores, pool), "small")
        compare_raw(report, NAME, stores)
        for method, by_boto, by_hand in (("PUT", _put_large, _write), ("GET", _get_large, _read)):
            large = _turns(by_boto, stores)
            large |= {BARE: partial(_by_link, stores["ours"], method), LIMIT: partial(by_hand, folder)}
            _compare(report, f"{method} of 64 MiB", large, "large")
        _compare(report, f"LIST of {KEYS:,} keys", _turns(_list, stores), "list")


def _compare(report: Report, what: str, contestants: Mapping[str, Callable[[], float]], kind: str) -> None:
    """By seconds."""
    seconds = take_turns(contestants, ROUNDS[kind])
    for peer in (name for name in PEERS if name in seconds):
        aim = AIMS.get((what, peer), Aim(1.0))
        report.compare(NAME, what, seconds["ours"], peer, seconds[peer], aim)
    if LIMIT in seconds:
        report.compare(NAME, f"{what} by a link", seconds[BARE], LIMIT, seconds[LIMIT], Aim(1.2))
    each = AT_ONCE if kind == "small" else 1
    for name, series in seconds.items():
        report.reading(NAME, f"{what}, {name}", [1000 * one / each for one in series], "ms")


def _turns(
    act: Callable[..., float], stores: Mapping[str, Store], *more: object
) -> dict[str, Callable[[], float]]:
    return {name: partial(act, store, *more) for name, store in stores.items()}


def _put_small(store: Store, pool: ThreadPoolExecutor) -> float:
    bodies = [os.urandom(SMALL) for _ in range(AT_ONCE)]

    def put(number: int) -> None:
        store.client.put_object(Bucket=store.bucket, Key=f"small/{number}", Body=bodies[number])

    return _timed(lambda: list(pool.map(put, range(AT_ONCE))))


def _get_small(store: Store, pool: ThreadPoolExecutor) -> float:
    def get(number: int) -> None:
        store.client.get_object(Bucket=store.bucket, Key=f"small/{number}")["Body"].read()

    return _timed(lambda: list(pool.map(get, range(AT_ONCE))))


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


def _list(store: Store) -> float:
    def walk() -> None:
        pages = store.client.get_paginator("list_objects_v2").paginate(Bucket=store.bucket, Prefix=LISTED)
        if (found := sum(page["KeyCount"] for page in pages)) != KEYS:
            raise RuntimeError(f"{found} keys were listed")

    return _timed(walk)


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
