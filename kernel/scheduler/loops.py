"""Work in the background: rounds that come again and again, and commits that several share."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from guildhall_sdk import Problem
from kernel.logs import get_logger
from kernel.scope import own_context

_log = get_logger("jobs")
_AFTER_TROUBLE_SECONDS = 0.5

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Loop:
    """Calls `work` every so often for as long as it is started; a round that fails does not end it.

    `seconds` until the next round may be asked for after each; what cannot tell is asked again soon.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], Awaitable[object]],
        seconds: float | Callable[[], Awaitable[float]],
    ) -> None:
        self._name = name
        self._work = work
        self._seconds = seconds
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._go_on(), name=f"jobs: {self._name}")

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _go_on(self) -> None:
        while True:
            await self._guarded(self._work)
            given = self._seconds
            seconds = given if isinstance(given, float) else await self._guarded(given)
            await asyncio.sleep(_AFTER_TROUBLE_SECONDS if seconds is None else seconds)

    async def _guarded(self, work: Callable[[], Awaitable[Answer]]) -> Answer | None:
        try:
            return await work()
        except Exception as error:
            # What a database that is away answers, it answers to everybody: that is logged elsewhere.
            if not isinstance(error, Problem):
                _log.error("jobs.round_failed", exc=error, round=self._name)
            return None


class Group(Generic[Item, Answer]):
    """Hands items to `commit` in batches; each caller gets the answer to their own once it is durable.

    Whoever comes while a transaction is under way shares the next one.
    """

    def __init__(
        self, commit: Callable[[Sequence[Item]], Awaitable[Sequence[Answer]]], *, max_batch: int = 200
    ) -> None:
        self._commit = commit
        #: How many share one transaction at most; it may change on the way.
        self.max_batch = max_batch
        self._waiting: list[tuple[Item, asyncio.Future[Answer]]] = []
        self._flushing: asyncio.Task[None] | None = None

    async def put(self, item: Item) -> Answer:
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, answer))
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush(), context=own_context())
        return await answer

    async def settled(self) -> None:
        """Returns once everything that was put has its answer."""
        while self._flushing is not None:
            await asyncio.wait([self._flushing])

    async def _flush(self) -> None:
        # Whatever is ready to run now may bring more: it goes along.
        await asyncio.sleep(0)
        while self._waiting:
            batch, self._waiting = self._waiting[: self.max_batch], self._waiting[self.max_batch :]
            try:
                answers = await self._commit([item for item, _ in batch])
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():
                    future.set_result(answer)
        self._flushing = None
