"""Small objects over S3 by plain sockets: the requests are signed beforehand, so the client does no work.

With boto3 most of a small request is boto3. Here another process writes bytes to eight connections and reads
what comes back; a server that closes a connection after each request pays for the next one as well.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import count

from bench.loads import Client, Load, client
from bench.object_stores import Store
from bench.report import Aim, Report
from bench.rounds import take_turns

SIZE = 4 * 1024
CONNECTIONS = 8
AT_ONCE = 160
ROUNDS = 11
OURS, MOTO = "ours", "moto"
# Of the time that moto takes for a request; the others are there for information.
AIMS = {"PUT": Aim(1 / 1.5), "GET": Aim(1 / 3)}

_numbers = count()


def compare_raw(report: Report, subject: str, stores: Mapping[str, Store]) -> None:
    with ExitStack() as stack:
        clients = {
            name: stack.enter_context(client(store.server, b"", CONNECTIONS, store.port))
            for name, store in stores.items()
        }
        for name, store in stores.items():
            # Alone: eight at once that all need a new folder are too much for `rclone serve s3`.
            clients[name].load_each([store.signed("PUT", "raw/first")])
        for method, ask in (("PUT", _put), ("GET", _get)):
            turns = {name: partial(ask, store, clients[name]) for name, store in stores.items()}
            for warm_up in turns.values():
                warm_up()
            _report(report, subject, method, take_turns(turns, ROUNDS))


def _put(store: Store, asking: Client) -> Load:
    """Keys and bytes that were not there before."""
    keys = [f"raw/{next(_numbers)}" for _ in range(AT_ONCE)]
    return asking.load_each([store.signed("PUT", key, os.urandom(SIZE)) for key in keys])


def _get(store: Store, asking: Client) -> Load:
    """What boto3 put before."""
    return asking.load_each([store.signed("GET", f"small/{number % 40}") for number in range(AT_ONCE)])


def _report(report: Report, subject: str, method: str, loads: Mapping[str, Sequence[Load]]) -> None:
    what = f"{method} of 4 KiB by {CONNECTIONS} signed sockets"
    seconds = {name: [1 / load.per_second for load in series] for name, series in loads.items()}
    for peer in seconds:
        if peer != OURS:
            aim = AIMS[method] if peer == MOTO else None
            report.compare(subject, what, seconds[OURS], peer, seconds[peer], aim)
    for name, series in loads.items():
        report.reading(subject, f"{what}, {name}", [load.per_second for load in series], "a second")
        report.reading(subject, f"{what}, {name}", [load.cpu_us / 1000 for load in series], "ms of CPU")
