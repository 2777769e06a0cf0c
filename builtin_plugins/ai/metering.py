"""What AI use is measured in, and how a turn is metered: reserved before, settled after."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress

from builtin_plugins.ai.metrics import TurnMetrics, label_of
from builtin_plugins.ai.tokens import estimated_prompt
from builtin_plugins.ai.usage import UsageBook
from guildhall_sdk import Host, Principal, TooManyRequests, Unavailable, Writer
from guildhall_sdk.services.executors import ModelBusy
from guildhall_sdk.services.identity import AuthorityEnded
from guildhall_sdk.services.models import ModelChoice, ModelFormat, ModelTurn, TokenUsage
from guildhall_sdk.services.quotas import Dimension, Meter, Quotas, metered

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

    def __init__(self, host: Host, meter: Meter, began: Callable[[float], None]) -> None:
        self._host = host
        self._clock = host.clock
        self._meter = meter
        self._held_at = self._began_at = host.clock.steady_ms()
        self._on_first_token: Callable[[float], None] | None = began

    def count(self, usage: TokenUsage) -> None:
        """Sets what the turn has used in all; it is what is settled, however the turn ends."""
        self._meter.used[TOKENS] = usage.total

    def count_piece(self, total: int) -> None:
        """Sets what the turn has used when a piece of a stream came; cheap to call often."""
        self._meter.used[TOKENS] = total
        if self._on_first_token is not None:
            self._on_first_token((self._clock.steady_ms() - self._began_at) / 1000)
            self._on_first_token = None

    def give_back(self, failure: Exception) -> None:
        """Gives back what nothing came of.

        Pieces that were delivered count, and an answer that does not fit, or must not be repaired any more.
        """
        if isinstance(failure, ModelBusy):
            self._meter.used[REQUESTS] = 0  # the model was asked for nothing: it turned the request away
        elif isinstance(failure, ModelFormat | AuthorityEnded) or self._on_first_token is None:
            return
        self._meter.used[TOKENS] = 0

    @property
    def is_due(self) -> bool:
        """Whether the turn has lasted so long that its reservation should be held; cheap to ask often."""
        return self._clock.steady_ms() - self._held_at >= _EXTEND_AFTER_MS

    async def hold(self) -> None:
        """Keeps the reservation of a turn that lasts."""
        self._held_at = self._clock.steady_ms()
        with suppress(Unavailable):  # it holds for a while, and the next time is soon
            async with self._host.data.write() as writer:
                await self._host.service(Quotas).extend(writer, self._meter.reservation, HELD_MS)


class TurnMetering:
    """Meters turns in the quotas of the principal's team, and writes who used what model."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._book = host.service(UsageBook)
        self._metrics = host.service(TurnMetrics)

    @asynccontextmanager
    async def turn(
        self,
        principal: Principal,
        choice: ModelChoice,
        turn: ModelTurn,
        *,
        seconds: float,
        streamed: bool = False,
    ) -> AsyncIterator[TurnMeter]:
        """A turn that may be silent for so long. One that fails keeps its request and returns its tokens."""
        amounts = {REQUESTS: 1, TOKENS: estimated_prompt(turn) + turn.max_tokens, CONCURRENCY: 1}
        label, admitted, at_ms = label_of(choice), False, self._host.clock.now_ms()

        def began(after_seconds: float) -> None:
            if streamed:
                self._metrics.observe_first_token(label, after_seconds)

        async def record(writer: Writer, counted: Mapping[str, int]) -> None:
            requests, tokens = counted.get(REQUESTS, 0), counted.get(TOKENS, 0)
            await self._book.add(
                writer, principal, choice.model, requests=requests, tokens=tokens, at_ms=at_ms
            )
            writer.after_commit(lambda: self._metrics.tokens.update({(label,): tokens}))

        try:
            async with metered(
                self._host,
                principal.org_id,
                principal.team_id,
                amounts,
                ttl_ms=HELD_MS + int(seconds * 1000),
                kept_on_failure=(REQUESTS,),
                recorded=record,
            ) as meter:
                admitted = True
                turn_meter = TurnMeter(self._host, meter, began)
                with self._watched(label, turn_meter, streamed=streamed):
                    yield turn_meter
        except TooManyRequests:
            if not admitted:
                self._metrics.refusals[label,] += 1
            raise

    @contextmanager
    def _watched(self, label: str, meter: TurnMeter, *, streamed: bool) -> Iterator[None]:
        """Counts the turn by how it ends."""
        outcome = "left"
        self._metrics.open_streams += streamed
        try:
            yield
            outcome = "answered"
        except Exception as error:
            outcome = "failed"
            meter.give_back(error)
            raise
        finally:
            self._metrics.open_streams -= streamed
            self._metrics.turns[label, outcome] += 1
