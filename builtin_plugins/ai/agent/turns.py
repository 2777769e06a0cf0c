"""One turn of the loop's model, whole or piece by piece, within the time that the run has left."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from builtin_plugins.ai.agent.deadlines import OutOfTime
from builtin_plugins.ai.authority import Authority
from builtin_plugins.ai.tokens import estimated_prompt, estimated_tokens
from guildhall_sdk import Host, Principal
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.services.models import ModelDelta, ModelReply, Models, ModelTurn, TokenUsage


class TurnCut(OutOfTime):
    """The run's time was over in the middle of a turn; what had been said and used until then."""

    def __init__(self, text: str, usage: TokenUsage) -> None:
        super().__init__(text)
        self.text = text
        self.usage = usage


async def pause(seconds: float) -> None:
    """Waits before a model that is busy is asked again."""
    await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
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
