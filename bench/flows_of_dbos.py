"""Workflows of no-op steps by DBOS, as its manual shows them: `flows_of_dbos.py DATABASE_URL`.

The queue has no limits, and is looked at every 10 ms instead of every second. A workflow that waits for
others looks as often.
"""

import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from bench.contestants import Cost, answer

_QUEUE = "bench"
_LOOK_SECONDS = 0.01
_THREADS = 8
# Its thread for queues sees new ones so often.
_SEEN_SECONDS = 1.5

peer: Any = import_module("dbos")
DBOS = peer.DBOS
_ended: list[int] = []


@DBOS.step()  # type: ignore[untyped-decorator]
def nothing(number: int) -> int:
    return number


@DBOS.step()  # type: ignore[untyped-decorator]
async def nothing_async(number: int) -> int:
    return number


@DBOS.workflow()  # type: ignore[untyped-decorator]
def three_steps(number: int) -> int:
    result: int = nothing(nothing(nothing(number)))
    _ended.append(number)
    return result


@DBOS.workflow()  # type: ignore[untyped-decorator]
def one_step(number: int) -> int:
    result: int = nothing(number)
    return result


@DBOS.workflow()  # type: ignore[untyped-decorator]
def children(many: int) -> list[int]:
    handles = [DBOS.enqueue_workflow(_QUEUE, one_step, number) for number in range(many)]
    return [handle.get_result(polling_interval_sec=_LOOK_SECONDS) for handle in handles]


@DBOS.workflow()  # type: ignore[untyped-decorator]
async def gathered(many: int) -> list[int]:
    results: list[int] = await asyncio.gather(*(nothing_async(number) for number in range(many)))
    return results


def _queued(queue: Any, many: int) -> Cost:
    """Runs that wait in a closed queue, from the moment that it opens to their last step."""
    _ended.clear()
    queue.set_worker_concurrency(0)
    handles = [DBOS.enqueue_workflow(_QUEUE, three_steps, number) for number in range(many)]

    def drain() -> None:
        queue.set_worker_concurrency(None)
        while len(_ended) < many:
            time.sleep(0.001)

    cost = _timed(drain)
    for handle in handles:
        handle.get_result(polling_interval_sec=_LOOK_SECONDS)
    return cost


def _called(pool: ThreadPoolExecutor, many: int) -> Cost:
    """Runs without a queue, each called by a thread that waits for it."""
    return _timed(lambda: list(pool.map(three_steps, range(many))))


def _timed(act: Callable[[], object]) -> Cost:
    began, cpu = time.perf_counter(), time.process_time()
    act()
    return Cost(time.perf_counter() - began, time.process_time() - cpu)


def main(url: str) -> None:
    logging.disable(logging.CRITICAL)
    DBOS(config={"name": "bench", "system_database_url": url, "run_admin_server": False})
    DBOS.launch()
    queue = DBOS.register_queue(_QUEUE, polling_interval_sec=_LOOK_SECONDS)
    time.sleep(_SEEN_SECONDS)
    with asyncio.Runner() as runner, ThreadPoolExecutor(_THREADS) as pool:
        answer(
            {
                "queued": lambda many: _queued(queue, many),
                "called": lambda many: _called(pool, many),
                "children": lambda many: _timed(lambda: children(many)),
                "gathered": lambda many: _timed(lambda: runner.run(gathered(many))),
            }
        )
    # Its threads look at the queue until the very end, and nothing is left to lose.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
