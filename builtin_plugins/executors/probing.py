"""A look at an endpoint that somebody asks for: whether it answers, and what it takes of a turn."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any

from builtin_plugins.executors.endpoints import EndpointRefused
from builtin_plugins.executors.model_endpoint import HttpModelEndpoint
from builtin_plugins.executors.push import Probed, PushEndpoint, probe
from builtin_plugins.executors.quirk_memory import OwnMemory
from builtin_plugins.executors.service import StoredExecutors, sql
from guildhall_sdk import Clock, Problem, Writer
from guildhall_sdk.services.executors import ExecutorTimeout, Health, ModelBusy, ModelUnavailable

PROBE_TURN_SECONDS = 30.0
# Everything that some endpoint refuses, in one turn that is as short as one can be.
PROBE_TURN: dict[str, Any] = {
    "messages": [{"role": "user", "content": 'Answer with the JSON object {"ok": true} and nothing else.'}],
    "max_tokens": 32,
    "temperature": 0,
    "stream_options": {"include_usage": True},
    "response_format": {
        "type": "json_schema",
        "json_schema": {
            "name": "probe",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"ok": {"type": "boolean"}},
                "required": ["ok"],
                "additionalProperties": False,
            },
        },
    },
}


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """What was found. `fault` says why the turn failed; `answers` is None where none was tried."""

    reachable: Probed
    answers: bool | None = None
    fault: str | None = None
    quirks: Sequence[str] = ()

    def public(self, health: Health) -> dict[str, Any]:
        """The report as the API shows it."""
        turn = None if self.answers is None else {"ok": self.answers, "detail": self.fault}
        return {"health": health.public(), "quirks": dict.fromkeys(self.quirks, True), "turn": turn}


async def probe_endpoint(
    executors: StoredExecutors, endpoint: PushEndpoint, key: str | None, known: Sequence[str]
) -> ProbeReport:
    """Asks for the models, and then for one short turn as if nothing were known. Not inside a scope."""
    reachable = await probe(executors.clients, endpoint, key)
    if not reachable.reachable:
        return ProbeReport(reachable, quirks=known)
    memory = OwnMemory()
    opened = HttpModelEndpoint(
        partial(executors.clients.client_for, endpoint),
        endpoint.url,
        key,
        model=endpoint.model,
        timeout_seconds=min(PROBE_TURN_SECONDS, executors.timeout_seconds),
        memory=memory,
    )
    try:
        async with aclosing(opened.stream(PROBE_TURN)) as chunks:
            async for _ in chunks:
                pass
    except (ModelUnavailable, ModelBusy, ExecutorTimeout, EndpointRefused) as failure:
        return ProbeReport(reachable, False, _words(failure), known)
    return ProbeReport(reachable, True, quirks=sorted(memory.quirks))


def _words(failure: Problem) -> str:
    """Returns why a turn failed, with the endpoint's own words: whoever probes it manages it."""
    reason = failure.reason if isinstance(failure, ModelUnavailable) else None
    if not reason or reason in failure.detail:
        return failure.detail
    return f"{failure.detail.rstrip('.')}: {reason}."


async def keep_report(
    executors: StoredExecutors, writer: Writer, clock: Clock, endpoint: PushEndpoint, report: ProbeReport
) -> Health:
    """Keeps the health for everybody, and what was found of a turn in place of what was known."""
    now, reachable = clock.now_ms(), report.reachable
    await writer.run(
        sql.record_now,
        id=endpoint.executor_id,
        reachable=int(reachable.reachable),
        detail=reachable.detail,
        now=now,
    )
    if report.answers:
        quirks = frozenset(report.quirks)
        await executors.quirks.replace(writer, endpoint.executor_id, endpoint.url, endpoint.model, quirks)
    return Health("ok" if reachable.reachable else "down", now, reachable.detail)
