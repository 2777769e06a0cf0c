"""A listing of many keys over S3 against other servers of it, by one boto3."""

import tempfile
import time
from functools import partial
from pathlib import Path

from bench.object_stores import LISTED, OURS, Store, stores
from bench.report import Aim, Report
from bench.rounds import take_turns

NAME = "s3.list"
KEYS, ROUNDS = 10_000, 10
AIM = Aim(1.0)


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, stores(Path(folder), KEYS) as found:
        seconds = take_turns({name: partial(_list, store) for name, store in found.items()}, ROUNDS)
    what = f"LIST of {KEYS:,} keys"
    for peer in (name for name in seconds if name != OURS):
        report.compare(NAME, what, seconds[OURS], peer, seconds[peer], AIM)
    for name, series in seconds.items():
        report.reading(NAME, f"{what}, {name}", [1000 * one for one in series], "ms")


def _list(store: Store) -> float:
    def walk() -> None:
        pages = store.client.get_paginator("list_objects_v2").paginate(Bucket=store.bucket, Prefix=LISTED)
        if (found := sum(page["KeyCount"] for page in pages)) != KEYS:
            raise RuntimeError(f"{found} keys were listed")

    began = time.perf_counter()
    walk()
    return time.perf_counter() - began
