"""One turn of the loop's model, within the time that the run has left, and work with a deadline."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from builtin_plugins.ai.authority import Authority
from builtin_plugins.ai.metering import estimated_prompt, estimated_tokens
from guildhall_sdk import Host, Principal
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.services.models import ModelDelta, ModelReply, Models, ModelTurn, TokenUsage

# What is told to end has so long for it, within the second that a caller who left may be waited for.
GRACE_SECONDS = 0.5
# Held on to until they end: the loop alone would let them be collected half-way.
_abandoned: set["asyncio.Task[Any]"] = set()


class OutOfTime(Exception):
    """It took longer than it may."""


class WorkFailed(Exception):
    """It ended in a way that must not end its caller: it cancelled itself, or asked the process to exit."""


async def finish_within(seconds: float, run: Callable[[], Awaitable[Any]]) -> Any:
    """Runs work in a task of its own and gives its result. Raises `OutOfTime`, and what the work raises.

    However this ends, the work was told to end; one that does not obey is left to itself.
    """
    task = asyncio.create_task(_contained(run))
    try:
        await asyncio.wait({task}, timeout=max(0.0, seconds))
        if not task.done():
            raise OutOfTime
        if task.cancelled():
            raise WorkFailed("it cancelled itself")
        return task.result()
    finally:
        await end_tasks([task])


async def end_tasks(tasks: "list[asyncio.Task[Any]]") -> None:
    """Cancels what still runs and waits a moment for it to end; what failed meanwhile is nobody's news."""
    running = {task for task in tasks if not task.done()}
    for task in running:
        task.cancel()
    if running:
        _, left = await asyncio.wait(running, timeout=GRACE_SECONDS)
        for task in left:
            _abandoned.add(task)
            task.add_done_callback(_forget)
    for task in tasks:
        if task.done():
            _forget(task)


async def _contained(run: Callable[[], Awaitable[Any]]) -> Any:
    try:
        return await run()
    except SystemExit:
        # In a task of its own it would end the whole process.
        raise WorkFailed("it asked the process to exit") from None


def _forget(task: "asyncio.Task[Any]") -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()


class TurnCut(OutOfTime):
    """The run's time was over in the middle of a turn; what had been said and used until then."""

    def __init__(self, text: str, usage: TokenUsage) -> None:
        super().__init__(text)
        self.text = text
        self.usage = usage


async def pause(seconds: float) -> None:
    """Waits before a model that is busy is asked again."""
    await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TurnMaker:
    """Makes the turns of one run; `deadline` is by the clock of the event loop."""

    host: Host
    principal: Principal
    executor: str | None
    within: str | None
    deadline: float
    streamed: bool

    async def run(
        self, turn: ModelTurn, *, patient: bool = False
    ) -> AsyncGenerator[ModelDelta | ModelReply, None]:
        """Runs a turn; the last thing it gives is the reply. Raises `TurnCut`, and what `Models` raises.

        A patient one waits for a model that is busy, as long as the run has time.
        """
        said: list[str] = []
        pieces = self._when_free(turn) if patient else self._pieces(turn)
        async with aclosing(pieces):
            while True:
                try:
                    # Not around the yield: whoever reads may do so in another task.
                    async with asyncio.timeout_at(self.deadline) as limit:
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    if not limit.expired():
                        raise
                    text = "".join(said)
                    used = TokenUsage(estimated_prompt(turn), estimated_tokens(text) if text else 0, True)
                    raise TurnCut(text, used) from None
                if isinstance(piece, ModelDelta):
                    said.append(piece.text)
                yield piece

    async def _when_free(self, turn: ModelTurn) -> AsyncGenerator[ModelDelta | ModelReply, None]:
        while True:
            try:
                async with aclosing(self._pieces(turn)) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            except RetryLater as refusal:
                wait, left = refusal.retry_after_seconds, self.deadline - asyncio.get_running_loop().time()
                if "Retry-After" not in refusal.headers or wait >= left:
                    raise
            await pause(wait)

    def _pieces(self, turn: ModelTurn) -> AsyncGenerator[ModelDelta | ModelReply, None]:
        if not self.streamed:
            return self._whole(turn)
        return self.host.service(Models).stream(
            self.principal, turn, executor=self.executor, within=self.within, before_turn=self._check
        )

    async def _check(self) -> None:
        await Authority.of(self.host, self.principal).check()

    async def _whole(self, turn: ModelTurn) -> AsyncGenerator[ModelDelta | ModelReply, None]:
        models = self.host.service(Models)
        yield await models.ask(
            self.principal, turn, executor=self.executor, within=self.within, before_turn=self._check
        )
