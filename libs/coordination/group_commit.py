"""Commits that several share."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context
from typing import Generic, TypeVar

from libs.coordination.savepoints import SharedTooLong

_FEW = 8
# So often an item whose batch took too long is put with fewer others, before it is committed alone.
_SHARED_TRIES = 3

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class GroupCommit(Generic[Item, Answer]):
    """Hands items to `commit` in batches; each caller gets the answer to their own once it is durable.

    Whoever comes while a transaction is under way shares the next one. It runs in a context that
    `own_context` makes, as it is for all of them.

    Where `commit` raises `SharedTooLong`, its callers get that and may put their items again, and batches are
    smaller for a while: `on_fewer` is told how many there were, and how many there will be at most. For a
    handful it is a `RuntimeError`.
    """

    def __init__(
        self,
        commit: Callable[[Sequence[Item]], Awaitable[Sequence[Answer]]],
        own_context: Callable[[], Context],
        *,
        max_batch: int = 200,
        on_fewer: Callable[[int, int], object] = lambda were, will_be: None,
    ) -> None:
        self._commit = commit
        self._own_context = own_context
        self._max_batch = self._batch = max_batch
        self._on_fewer = on_fewer
        self._waiting: list[tuple[Item, asyncio.Future[Answer]]] = []
        self._flushing: asyncio.Task[None] | None = None

    async def put(self, item: Item) -> Answer:
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, answer))
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush(), context=self._own_context())
        return await answer

    async def put_or_commit_alone(
        self, item: Item, alone: Callable[[], bool], failed: Callable[[Exception], object]
    ) -> Answer:
        """Puts an item; commits it alone where `alone` says so, or where its batches take too long.

        So it is where a batch failed as a whole, by the fault of whoever shared it: `failed` gets what it
        raised.
        """
        for _ in range(_SHARED_TRIES):
            if alone():
                break
            try:
                return await self.put(item)
            except SharedTooLong:
                continue
            except Exception as error:
                failed(error)
                break
        return (await self._commit([item]))[0]

    async def settled(self) -> None:
        """Returns once everything that was put has its answer."""
        while self._flushing is not None:
            await asyncio.wait([self._flushing])

    async def _flush(self) -> None:
        # Whatever is ready to run now may bring more: it goes along.
        await asyncio.sleep(0)
        while self._waiting:
            batch, self._waiting = self._waiting[: self._batch], self._waiting[self._batch :]
            try:
                answers = await self._commit_some([item for item, _ in batch])
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():
                    future.set_result(answer)
        self._flushing = None

    async def _commit_some(self, items: Sequence[Item]) -> Sequence[Answer]:
        try:
            answers = await self._commit(items)
        except SharedTooLong as error:
            self._batch = max(_FEW, len(items) // 4)
            if len(items) <= _FEW:
                raise RuntimeError(str(error)) from None  # one of them is slow by itself
            self._on_fewer(len(items), self._batch)
            raise
        self._batch = min(self._max_batch, self._batch + 2)
        return answers
