"""No-op jobs, by us and by others: `job_runs.py CONTESTANT PLACE` in a process of its own.

Every line on stdin is a number of jobs: they are queued, then done as fast as they can be, and the
answer is a line with the seconds per job from the first claim to the last end. Those named `…_starts` are
asked for one job after another instead, and answer the seconds until one begins. All of it is durable.
"""

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

TEAMS = 50
REST_SECONDS = 0.005  # between two jobs that are asked for one at a time
HUEY_WORKERS, PROCRASTINATE_WORKERS = 4, 8


def guildhall(url: str, *, effects: bool = False) -> None:
    from bench.job_books import opened_books

    with _runner() as runner, opened_books(runner, url, TEAMS, effects=effects) as books:
        _answer(lambda many: runner.run(books.drain(many)))


def guildhall_with_effects(url: str) -> None:
    """Each job writes a row in the transaction that ends it."""
    guildhall(url, effects=True)


def guildhall_starts(url: str) -> None:
    from bench.job_books import opened_books

    with _runner() as runner, opened_books(runner, url, TEAMS) as books:
        _answer(lambda many: runner.run(books.start_up(many)))


def _runner() -> asyncio.Runner:
    """On uvloop where it is installed, as `guildhall serve` runs."""
    if find_spec("uvloop") is None:
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=import_module("uvloop").new_event_loop)


class _Began:
    """When tasks of a peer began; whoever waits for them does not look again and again, beside the work."""

    def __init__(self, all_began: Any) -> None:
        self.all = all_began
        self.expect(0)

    def expect(self, many: int) -> None:
        self.at: dict[int, float] = {}
        self._many = many
        self.all.clear()

    def note(self, number: int) -> None:
        self.at[number] = time.perf_counter()
        if len(self.at) >= self._many:
            self.all.set()


def huey(folder: str) -> None:
    """With `fsync`, as its manual says for those who cannot lose a task; its workers are threads."""
    _huey(folder, _drain_huey)


def huey_starts(folder: str) -> None:
    """Its workers look for a task at least every 10 ms, where its manual has every 10 s."""
    _huey(folder, _start_huey)


def _huey(folder: str, measure: Callable[[Any, Any, _Began, int], float]) -> None:
    peer: Any = import_module("huey")
    queue = peer.SqliteHuey("bench", filename=str(Path(folder) / "huey.db"), fsync=True)
    began = _Began(threading.Event())

    @queue.task()  # type: ignore[untyped-decorator]
    def nothing(number: int) -> None:
        began.note(number)

    def answer(many: int) -> float:
        consumer = queue.create_consumer(
            workers=HUEY_WORKERS, worker_type="thread", initial_delay=0.001, max_delay=0.01, periodic=False
        )
        try:
            return measure(consumer, nothing, began, many)
        finally:
            consumer.stop(graceful=True)

    _answer(answer)


def _drain_huey(consumer: Any, nothing: Any, began: _Began, many: int) -> float:
    began.expect(many)
    for number in range(many):
        nothing(number)
    started = time.perf_counter()
    consumer.start()
    began.all.wait()
    return (time.perf_counter() - started) / many


def _start_huey(consumer: Any, nothing: Any, began: _Began, many: int) -> float:
    consumer.start()
    waits = []
    for number in range(many):
        began.expect(1)
        asked = time.perf_counter()
        nothing(number)
        began.all.wait()
        waits.append(began.at[number] - asked)
        time.sleep(REST_SECONDS)
    return median(waits)


def procrastinate(url: str) -> None:
    _procrastinate(url, _drain_procrastinate)


def procrastinate_starts(url: str) -> None:
    """Its worker is told of each job by the database."""
    _procrastinate(url, _start_procrastinate)


def _procrastinate(url: str, measure: Callable[[Any, Any, _Began, int], Coroutine[Any, Any, float]]) -> None:
    peer: Any = import_module("procrastinate")
    app = peer.App(
        connector=peer.PsycopgConnector(conninfo=url, min_size=2, max_size=PROCRASTINATE_WORKERS + 2)
    )
    began = _Began(asyncio.Event())

    @app.task(name="nothing", queue="bench")  # type: ignore[untyped-decorator]
    async def nothing(number: int) -> None:
        began.note(number)

    def answer(many: int) -> float:
        return runner.run(measure(app, nothing, began, many))

    with asyncio.Runner() as runner:
        runner.run(app.connector.open_async())
        runner.run(app.schema_manager.apply_schema_async())
        _answer(answer)
        runner.run(app.connector.close_async())


async def _drain_procrastinate(app: Any, nothing: Any, began: _Began, many: int) -> float:
    await nothing.batch_defer_async(*({"number": number} for number in range(many)))
    started = time.perf_counter()
    await app.run_worker_async(
        wait=False, concurrency=PROCRASTINATE_WORKERS, install_signal_handlers=False, delete_jobs="never"
    )
    return (time.perf_counter() - started) / many


async def _start_procrastinate(app: Any, nothing: Any, began: _Began, many: int) -> float:
    working = asyncio.create_task(
        app.run_worker_async(
            concurrency=PROCRASTINATE_WORKERS, install_signal_handlers=False, delete_jobs="never"
        )
    )
    waits = []
    for number in range(-1, many):  # the first finds a worker that may not listen yet
        began.expect(1)
        asked = time.perf_counter()
        await nothing.defer_async(number=number)
        await began.all.wait()
        waits.append(began.at[number] - asked)
        await asyncio.sleep(REST_SECONDS)
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
    return median(waits[1:])


def dbos(url: str) -> None:
    """Steps of a workflow, which are its smallest durable work; called without a queue, its fastest way."""
    peer: Any = import_module("dbos")
    DBOS = peer.DBOS
    DBOS(
        config={
            "name": "bench",
            "system_database_url": url,
            "run_admin_server": False,
            "log_level": "CRITICAL",
        }
    )

    @DBOS.step()  # type: ignore[untyped-decorator]
    def nothing(number: int) -> int:
        return number

    @DBOS.workflow()  # type: ignore[untyped-decorator]
    def many_nothings(many: int) -> int:
        return sum(nothing(number) for number in range(many))

    DBOS.launch()

    def drain(many: int) -> float:
        began = time.perf_counter()
        many_nothings(many)
        return (time.perf_counter() - began) / many

    _answer(drain)
    DBOS.destroy()


def _answer(drain: Callable[[int], float]) -> None:
    for line in sys.stdin:
        print(drain(int(line)), flush=True)


@contextmanager
def contestant(name: str, place: str) -> Iterator[Callable[[int], float]]:
    """`drain(many)` of a contestant in another process."""
    import subprocess

    from bench.servers import ROOT, BenchFailed, plain_environment

    process = subprocess.Popen(
        [sys.executable, "-m", "bench.job_runs", name, place],
        cwd=ROOT,
        env=plain_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    sent, answers, errors = process.stdin, process.stdout, process.stderr

    def drain(many: int) -> float:
        sent.write(f"{many}\n")
        sent.flush()
        answer = answers.readline()
        if not answer:
            raise BenchFailed(f"{name}: {errors.read().strip()[-500:]}")
        return float(answer)

    try:
        yield drain
    finally:
        sent.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        answers.close()
        errors.close()


CONTESTANTS: dict[str, Callable[[str], None]] = {
    one.__name__: one
    for one in (
        *(guildhall, guildhall_with_effects, guildhall_starts),
        *(huey, huey_starts, procrastinate, procrastinate_starts, dbos),
    )
}


def main(arguments: list[str]) -> Any:
    logging.disable(logging.CRITICAL)
    CONTESTANTS[arguments[0]](arguments[1])


if __name__ == "__main__":
    main(sys.argv[1:])
