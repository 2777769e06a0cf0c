"""Whether push executors answer: probed now and then by one of the processes, or because somebody asks."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, NamedTuple

from builtin_plugins.executors.endpoints import EndpointRefused
from builtin_plugins.executors.model_endpoint import HttpModelEndpoint
from builtin_plugins.executors.push import PROBE_EVERY_MS, Probed, PushEndpoint, probe
from builtin_plugins.executors.quirks import OwnMemory
from builtin_plugins.executors.service import StoredExecutors, sql
from guildhall_sdk import Clock, Problem, Writer
from guildhall_sdk.data import Data
from guildhall_sdk.services.models import ExecutorTimeout, Health, ModelBusy, ModelUnavailable

_log = logging.getLogger("guildhall.executors")

# A little short of a round, so that whoever took the turn finds it due at the next.
_TURN_MS = PROBE_EVERY_MS - 5_000
_AT_ONCE = 8

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


class HealthLoop:
    """Without push executors it reads now and then, writes nothing and loads nothing."""

    def __init__(self, data: Data, clock: Clock, executors: StoredExecutors) -> None:
        self._data = data
        self._clock = clock
        self._executors = executors

    async def run(self) -> None:
        while True:
            await self.probe_those_due()
            await asyncio.sleep(PROBE_EVERY_MS / 1000)

    async def probe_those_due(self) -> None:
        """Takes one round. Each executor's turn goes to one process, by a conditional write."""
        due = await self._due()
        if not due:
            return
        taken = await self._take(due)
        if not taken:
            return
        gate = asyncio.Semaphore(_AT_ONCE)
        found = await asyncio.gather(*(self._probe(endpoint, gate) for endpoint in taken))
        async with self._data.write() as writer:
            now = self._clock.now_ms()
            for endpoint, one in zip(taken, found, strict=True):
                await writer.run(
                    sql.record_probe,
                    id=endpoint.executor_id,
                    reachable=int(one.reachable),
                    detail=one.detail,
                    now=now,
                )

    async def _due(self) -> Sequence[PushEndpoint]:
        now = self._clock.now_ms()
        async with self._data.read() as reader:
            endpoints = await self._executors.push_endpoints(reader)
            if not endpoints:
                return ()
            turns = {row["executor_id"]: row["probe_after"] for row in await reader.all(sql.probe_turns)}
        return [
            endpoint
            for endpoint in endpoints
            if not now < turns.get(endpoint.executor_id, 0) <= now + _TURN_MS
        ]

    async def _take(self, due: Sequence[PushEndpoint]) -> Sequence[PushEndpoint]:
        now = self._clock.now_ms()
        async with self._data.write() as writer:
            return [
                endpoint
                for endpoint in due
                if await writer.one(sql.take_probe, id=endpoint.executor_id, now=now, until=now + _TURN_MS)
            ]

    async def _probe(self, endpoint: PushEndpoint, gate: asyncio.Semaphore) -> Probed:
        try:
            async with gate:
                async with self._data.read() as reader:
                    key = await self._executors.key_of(reader, endpoint)
                return await probe(self._executors.clients, endpoint, key)
        except Exception:  # such as a key that cannot be unsealed: the others are probed all the same
            fields = {"executor": endpoint.executor_id}
            _log.exception("executors.probe_failed", extra={"fields": fields})
            return Probed(False, "cannot be checked")


class ProbeReport(NamedTuple):
    """What was found. `fault` says why the turn failed; `answers` is None where none was tried."""

    reachable: Probed
    answers: bool | None = None
    fault: str | None = None
    quirks: Sequence[str] = ()

    def public(self, health: Health) -> dict[str, Any]:
        """Returns the report as the API shows it."""
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


async def store_report(
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
