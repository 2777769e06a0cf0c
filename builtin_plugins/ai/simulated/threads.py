"""Threads of their own for simulated turns, which compute: few, and one turn of a company at a time."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar
from weakref import WeakValueDictionary

THREADS = 4
Result = TypeVar("Result")


class CompanyThreads:
    """Runs what computes beside everything else of the process; whoever asks for much waits for themselves.

    A company has one of the threads at most, also while a turn still runs whose caller has left.
    """

    def __init__(self, name: str, threads: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free = asyncio.Semaphore(threads)
        self._companies: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(self, org_id: str, work: Callable[..., Result], *arguments: Any) -> Result:
        """Runs work on a thread when it is the company's turn."""
        own = self._companies.get(org_id)
        if own is None:
            own = self._companies[org_id] = asyncio.Lock()
        await own.acquire()
        try:
            await self._free.acquire()
        except BaseException:
            own.release()
            raise
        loop = asyncio.get_running_loop()

        def end() -> None:
            self._free.release()
            own.release()

        def on_done(_: "Future[Result]") -> None:
            with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
                loop.call_soon_threadsafe(end)

        running = self._pool.submit(work, *arguments)
        running.add_done_callback(on_done)
        return await asyncio.wrap_future(running)
