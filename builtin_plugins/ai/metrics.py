"""What an operator can watch of turns: how many, what they cost, how soon they began, and who was refused."""

from collections import Counter
from collections.abc import Callable, Sequence

from guildhall_sdk import Host, Metric, Reader
from guildhall_sdk.metrics import Distribution, Measure, Measured
from guildhall_sdk.services.models import ModelChoice

# An operator's executors are few and have names; those of companies are one.
_COMPANY = "company"
_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


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
    """The label of an executor: its name, or one for those of all companies."""
    return _COMPANY if choice.company else choice.executor


def metrics() -> Sequence[Metric]:
    """The metrics of turns."""
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
