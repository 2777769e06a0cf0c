"""Small objects over S3 against other servers of it, by boto3 with 8 threads and by plain sockets.

With boto3 most of a small request is boto3. By the sockets the requests are signed beforehand, so the client
does no work: another process writes bytes to eight connections and reads what comes back; a server that
closes a connection after each request pays for the next one as well.
"""

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path

from bench.loads import Client, Load, client
from bench.object_stores import MOTO, OURS, RCLONE, THREADS, Store, stores
from bench.report import Aim, Report
from bench.rounds import take_turns

NAME = "s3.small"
SIZE = 4 * 1024
OBJECTS, ROUNDS = 40, 15
CONNECTIONS, AT_ONCE, SOCKET_ROUNDS = 8, 160, 15
BY_BOTO = Aim(1.0)
# By sockets, of the time that each takes for a request.
AIMS = {
    ("PUT", MOTO): Aim(0.5),
    ("PUT", RCLONE): Aim(4.0),
    ("GET", MOTO): Aim(0.25),
    ("GET", RCLONE): Aim(4.0),
}

_numbers = count()


def run(report: Report) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        stores(Path(folder), 1) as found,
        ThreadPoolExecutor(THREADS) as pool,
    ):
        for store in found.values():
            _put_by_boto(store, pool)
        _compare_boto(report, found, pool)
        _compare_sockets(report, found)


def _compare_boto(report: Report, found: Mapping[str, Store], pool: ThreadPoolExecutor) -> None:
    for method, act in (("PUT", _put_by_boto), ("GET", _get_by_boto)):
        seconds = take_turns({name: partial(act, store, pool) for name, store in found.items()}, ROUNDS)
        what = f"{method} of 4 KiB"
        for peer in (name for name in seconds if name != OURS):
            report.compare(NAME, what, seconds[OURS], peer, seconds[peer], BY_BOTO)
        for name, series in seconds.items():
            report.reading(NAME, f"{what}, {name}", [1000 * one / OBJECTS for one in series], "ms")


def _put_by_boto(store: Store, pool: ThreadPoolExecutor) -> float:
    bodies = [os.urandom(SIZE) for _ in range(OBJECTS)]

    def put(number: int) -> None:
        store.client.put_object(Bucket=store.bucket, Key=f"small/{number}", Body=bodies[number])

    began = time.perf_counter()
    list(pool.map(put, range(OBJECTS)))
    return time.perf_counter() - began


def _get_by_boto(store: Store, pool: ThreadPoolExecutor) -> float:
    def get(number: int) -> None:
        store.client.get_object(Bucket=store.bucket, Key=f"small/{number}")["Body"].read()

    began = time.perf_counter()
    list(pool.map(get, range(OBJECTS)))
    return time.perf_counter() - began


def _compare_sockets(report: Report, found: Mapping[str, Store]) -> None:
    with ExitStack() as stack:
        clients = {
            name: stack.enter_context(client(store.server, b"", CONNECTIONS, store.port))
            for name, store in found.items()
        }
        for name, store in found.items():
            # Alone: eight at once that all need a new folder are too much for `rclone serve s3`.
            clients[name].load_each([store.signed("PUT", "raw/first")])
        for method, ask in (("PUT", _put), ("GET", _get)):
            turns = {name: partial(ask, store, clients[name]) for name, store in found.items()}
            for warm_up in turns.values():
                warm_up()
            _report(report, method, take_turns(turns, SOCKET_ROUNDS))


def _put(store: Store, asking: Client) -> Load:
    """Keys and bytes that were not there before."""
    keys = [f"raw/{next(_numbers)}" for _ in range(AT_ONCE)]
    return asking.load_each([store.signed("PUT", key, os.urandom(SIZE)) for key in keys])


def _get(store: Store, asking: Client) -> Load:
    """What boto3 put before."""
    return asking.load_each([store.signed("GET", f"small/{number % OBJECTS}") for number in range(AT_ONCE)])


def _report(report: Report, method: str, loads: Mapping[str, Sequence[Load]]) -> None:
    what = f"{method} of 4 KiB by {CONNECTIONS} signed sockets"
    seconds = {name: [1 / load.per_second for load in series] for name, series in loads.items()}
    for peer in (name for name in seconds if name != OURS):
        report.compare(NAME, what, seconds[OURS], peer, seconds[peer], AIMS[method, peer])
    for name, series in loads.items():
        report.reading(NAME, f"{what}, {name}", [load.per_second for load in series], "a second")
        report.reading(NAME, f"{what}, {name}", [load.cpu_us / 1000 for load in series], "ms of CPU")
