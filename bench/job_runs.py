"""No-op jobs, by us and by others: `job_runs.py CONTESTANT PLACE` in a process of its own.

Every line on stdin is a number of jobs: they are queued, then done as fast as they can be, and the
answer is a line with the seconds per job from the first claim to the last end. All of it is durable.
"""

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

TEAMS = 50
HUEY_WORKERS, PROCRASTINATE_WORKERS = 4, 8


def guildhall(url: str, *, effects: bool = False) -> None:
    from bench.job_books import opened_books

    with asyncio.Runner() as runner, opened_books(runner, url, TEAMS, effects=effects) as books:
        _answer(lambda many: runner.run(books.drain(many)))


def guildhall_with_effects(url: str) -> None:
    """Each job writes a row in the transaction that ends it."""
    guildhall(url, effects=True)


def huey(folder: str) -> None:
    """With `fsync`, as its manual says for those who cannot lose a task; its workers are threads."""
    peer: Any = import_module("huey")
    queue = peer.SqliteHuey("bench", filename=str(Path(folder) / "huey.db"), fsync=True)
    done: list[int] = []

    @queue.task()  # type: ignore[untyped-decorator]
    def nothing(number: int) -> None:
        done.append(number)

    def drain(many: int) -> float:
        done.clear()
        for number in range(many):
            nothing(number)
        consumer = queue.create_consumer(
            workers=HUEY_WORKERS, worker_type="thread", initial_delay=0.001, max_delay=0.01, periodic=False
        )
        began = time.perf_counter()
        consumer.start()
        while len(done) < many:
            time.sleep(0.001)
        seconds = (time.perf_counter() - began) / many
        consumer.stop(graceful=True)
        return seconds

    _answer(drain)


def procrastinate(url: str) -> None:
    peer: Any = import_module("procrastinate")
    app = peer.App(
        connector=peer.PsycopgConnector(conninfo=url, min_size=2, max_size=PROCRASTINATE_WORKERS + 2)
    )

    @app.task(name="nothing", queue="bench")  # type: ignore[untyped-decorator]
    async def nothing(number: int) -> None: ...

    async def drain(many: int) -> float:
        await nothing.batch_defer_async(*({"number": number} for number in range(many)))
        began = time.perf_counter()
        await app.run_worker_async(
            wait=False, concurrency=PROCRASTINATE_WORKERS, install_signal_handlers=False, delete_jobs="never"
        )
        return (time.perf_counter() - began) / many

    with asyncio.Runner() as runner:
        runner.run(app.connector.open_async())
        runner.run(app.schema_manager.apply_schema_async())
        _answer(lambda many: runner.run(drain(many)))
        runner.run(app.connector.close_async())


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
    one.__name__: one for one in (guildhall, guildhall_with_effects, huey, procrastinate, dbos)
}


def main(arguments: list[str]) -> Any:
    logging.disable(logging.CRITICAL)
    CONTESTANTS[arguments[0]](arguments[1])


if __name__ == "__main__":
    main(sys.argv[1:])
