"""What AI use is measured in, and how a turn is metered: reserved before, settled after."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from builtin_plugins.ai.tokens import estimated_prompt
from builtin_plugins.ai.usage import UsageBook
from guildhall_sdk import Dimension, Host, Principal, Writer
from guildhall_sdk.services import (
    ExecutorTimeout,
    Meter,
    ModelChoice,
    ModelTurn,
    ModelUnavailable,
    Quotas,
    TokenUsage,
    metered,
)

REQUESTS, TOKENS, CONCURRENCY = "ai.requests", "ai.tokens.total", "ai.concurrency"

DIMENSIONS = (
    Dimension(REQUESTS, "Turns of a model", "rate"),
    Dimension(TOKENS, "Tokens that models read and write", "rate"),
    Dimension(CONCURRENCY, "Turns that run at the same time", "concurrency"),
)

# Longer than any silence of a model; a turn that lasts is held on to.
HELD_MS = 300_000
_EXTEND_AFTER_MS = 60_000


class TurnMeter:
    """One turn under way: what it has used until now, and that its reservation does not lapse."""

    def __init__(self, host: Host, meter: Meter) -> None:
        self._host = host
        self._clock = host.clock
        self._meter = meter
        self._held_at = host.clock.steady_ms()

    def count(self, usage: TokenUsage) -> None:
        """Sets what the turn has used in all; it is what is settled, even when its caller leaves."""
        self._meter.used[TOKENS] = usage.total

    def count_tokens(self, total: int) -> None:
        """As `count`, for each piece of a stream."""
        self._meter.used[TOKENS] = total

    @property
    def is_due(self) -> bool:
        """Whether the turn has lasted so long that its reservation should be held; cheap to ask often."""
        return self._clock.steady_ms() - self._held_at >= _EXTEND_AFTER_MS

    def give_back(self) -> None:
        """Counts no tokens: the model failed."""
        self._meter.used[TOKENS] = 0

    async def hold(self) -> None:
        """Keeps the reservation of a turn that lasts."""
        self._held_at = self._clock.steady_ms()
        async with self._host.data.write() as writer:
            await self._host.service(Quotas).extend(writer, self._meter.reservation, HELD_MS)


class TurnMetering:
    """Meters turns in the quotas of the principal's team, and writes who used what model."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._book = UsageBook(host.clock)

    @asynccontextmanager
    async def turn(
        self, principal: Principal, choice: ModelChoice, turn: ModelTurn, *, seconds: float
    ) -> AsyncIterator[TurnMeter]:
        """A turn that may be silent for so long. One that fails keeps its request and returns its tokens."""
        amounts = {REQUESTS: 1, TOKENS: estimated_prompt(turn) + turn.max_tokens, CONCURRENCY: 1}

        async def record(writer: Writer, counted: Mapping[str, int]) -> None:
            await self._book.add(
                writer,
                principal,
                choice.model,
                requests=counted.get(REQUESTS, 0),
                tokens=counted.get(TOKENS, 0),
            )

        async with metered(
            self._host,
            principal.org_id,
            principal.team_id,
            amounts,
            ttl_ms=HELD_MS + int(seconds * 1000),
            kept_on_failure=(REQUESTS,),
            recorded=record,
        ) as meter:
            turn_meter = TurnMeter(self._host, meter)
            try:
                yield turn_meter
            except (ModelUnavailable, ExecutorTimeout):
                turn_meter.give_back()
                raise
