"""How a turn is metered: its tokens estimated, its use reserved before and settled after, and counted."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from builtin_plugins.ai.usage import UsageBook
from guildhall_sdk import Host, Metric, Principal, Reader, TooManyRequests, Unavailable, Writer
from guildhall_sdk.dimensions import Dimension, Meter, Quotas
from guildhall_sdk.metrics import Distribution, Measure, Measured
from guildhall_sdk.services.identity import AuthorityEnded
from guildhall_sdk.services.models import ModelBusy, ModelChoice, ModelFormat, ModelTurn, TokenUsage

#: Of UTF-8, in an estimate.
BYTES_PER_TOKEN = 4
# Of a picture, whose tokens nobody knows beforehand.
_PICTURE_TOKENS = 1024

# An operator's executors are few and have names; those of companies are one.
_COMPANY = "company"
_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
REQUESTS, TOKENS, CONCURRENCY = "ai.requests", "ai.tokens.total", "ai.concurrency"
DIMENSIONS = (
    Dimension(REQUESTS, "Turns of a model", "rate"),
    Dimension(TOKENS, "Tokens that models read and write", "rate"),
    Dimension(CONCURRENCY, "Turns that run at the same time", "concurrency"),
)
# Longer than any silence of a model; a turn that lasts is held on to.
HELD_MS = 300_000
_EXTEND_AFTER_MS = 60_000


def estimated_tokens(text: str) -> int:
    """Estimates tokens by length in UTF-8, where no tokenizer is at hand; at least one."""
    return max(1, -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN))


def estimated_prompt(turn: ModelTurn) -> int:
    """Estimates the tokens that the model reads: its messages and the tools that it may call."""
    total = sum(_message_tokens(message) for message in turn.messages)
    return max(1, total + sum(estimated_tokens(str(tool)) for tool in turn.tools))


def _message_tokens(message: Mapping[str, Any]) -> int:
    content = message.get("content")
    if isinstance(content, str):
        tokens = estimated_tokens(content)
    elif isinstance(content, list):
        tokens = sum(
            estimated_tokens(part["text"]) if part.get("type") == "text" else _PICTURE_TOKENS
            for part in content
        )
    else:
        tokens = 0
    calls = message.get("tool_calls")
    return tokens + (estimated_tokens(str(calls)) if calls else 0)


class TurnMetrics:
    """What happened in this process."""

    def __init__(self, host: Host) -> None:
        self.turns: Counter[tuple[str, ...]] = Counter()
        self.tokens: Counter[tuple[str, ...]] = Counter()
        self.refusals: Counter[tuple[str, ...]] = Counter()
        self.first_tokens: dict[tuple[str, ...], Distribution] = {}
        self.open_streams = 0

    def observe_first_token(self, label: str, seconds: float) -> None:
        self.first_tokens.setdefault((label,), Distribution(_SECONDS)).observe(seconds)


def label_of(choice: ModelChoice) -> str:
    """Returns the label of an executor: its name, or one for those of all companies."""
    return _COMPANY if choice.company else choice.executor


def metrics() -> Sequence[Metric]:
    """Returns the metrics of turns."""
    by_executor = ("executor",)
    return (
        Metric(
            "guildhall_ai_turns_total",
            "Turns of models, by how they ended: answered, failed or left by the caller",
            "counter",
            ("executor", "outcome"),
            measure=_measured(lambda metrics: metrics.turns),
        ),
        Metric(
            "guildhall_ai_tokens_total",
            "Tokens that turns were metered for",
            "counter",
            by_executor,
            measure=_measured(lambda metrics: metrics.tokens),
        ),
        Metric(
            "guildhall_ai_refusals_total",
            "Turns that a quota refused before the model was called",
            "counter",
            by_executor,
            measure=_measured(lambda metrics: metrics.refusals),
        ),
        Metric(
            "guildhall_ai_first_token_seconds",
            "How long streamed turns waited for the first word of the model",
            "histogram",
            by_executor,
            measure=_measured(lambda metrics: metrics.first_tokens),
        ),
        Metric(
            "guildhall_ai_open_streams",
            "Streamed turns of models that are under way",
            "gauge",
            measure=_measured(lambda metrics: {(): metrics.open_streams}),
            per_process=True,
        ),
    )


def _measured(metric: Callable[[TurnMetrics], Measured]) -> Measure:
    async def measure(host: Host, reader: Reader) -> Measured:
        return metric(host.service(TurnMetrics))

    return measure


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
        """Meters a turn that may be silent for so long; one that fails keeps its request, not its tokens."""
        tokens = estimated_prompt(turn) + turn.max_tokens
        async with self.work(principal, choice, tokens, seconds=seconds, streamed=streamed) as meter:
            yield meter

    @asynccontextmanager
    async def work(
        self,
        principal: Principal,
        choice: ModelChoice,
        tokens: int,
        *,
        seconds: float,
        streamed: bool = False,
        settled: Callable[[Writer], Awaitable[None]] | None = None,
    ) -> AsyncIterator[TurnMeter]:
        """Meters one request of a model that takes so many tokens at most; see `Quotas.metered`."""
        amounts = {REQUESTS: 1, TOKENS: tokens, CONCURRENCY: 1}
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
            async with self._host.service(Quotas).metered(
                principal.org_id,
                principal.team_id,
                amounts,
                ttl_ms=HELD_MS + int(seconds * 1000),
                kept_on_failure=(REQUESTS,),
                settled=settled,
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
