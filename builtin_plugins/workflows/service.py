"""The SDK's `Workflows`: what other plugins do with workflows and runs."""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from builtin_plugins.workflows.definitions import READ, Definitions
from builtin_plugins.workflows.runs.ending import cancel_run
from builtin_plugins.workflows.runs.engine import RunEngine, RunFollowers
from builtin_plugins.workflows.runs.reading import RunStore
from builtin_plugins.workflows.runs.starting import RunStarter
from builtin_plugins.workflows.runs.statements import store_sql
from builtin_plugins.workflows.spec.model import validate_inputs
from guildhall_sdk import Host, InvalidRequest, Principal, Reader, Row, Writer
from guildhall_sdk.services.workflows import RunCause, RunSummary

_MAX_LISTED = 100
# News may be lost: then somebody looks.
_POLL_SECONDS = 2.0


class TeamWorkflows:
    """Implements the SDK's `Workflows`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._definitions = Definitions(host)
        self._starter = RunStarter(host)

    async def declared_inputs(self, reader: Reader, team_id: str, slug: str) -> frozenset[str] | None:
        found = await self._definitions.find(reader, team_id, slug)
        return None if found is None else frozenset(one.name for one in found.spec.inputs)

    async def refused_inputs(
        self, reader: Reader, team_id: str, slug: str, inputs: Mapping[str, Any]
    ) -> Sequence[Mapping[str, str]] | None:
        found = await self._definitions.find(reader, team_id, slug)
        if found is None:
            return None
        try:
            validate_inputs(found.spec, inputs)
        except InvalidRequest as refusal:
            return refusal.errors
        return ()

    async def start(
        self,
        writer: Writer,
        principal: Principal,
        slug: str,
        inputs: Mapping[str, Any],
        *,
        cause: RunCause | None = None,
    ) -> RunSummary:
        walk = await self._starter.start(writer, principal, slug, inputs, cause)
        return RunSummary(
            walk.id, walk.slug, walk.version, walk.state, walk.created_by, self._host.clock.now_ms()
        )

    async def read(self, reader: Reader, principal: Principal, run_id: str) -> dict[str, Any]:
        store = RunStore(self._host)
        return await store.show(reader, principal, await store.find(reader, principal, run_id))

    async def summary(self, reader: Reader, team_id: str, run_id: str) -> RunSummary | None:
        row = await reader.one(store_sql.runs_by_id, team_id=team_id, ids=json.dumps([run_id]))
        return None if row is None else _summary(row)

    async def wait_for_end(self, team_id: str, run_id: str, seconds: float) -> RunSummary | None:
        ends_at = time.monotonic() + seconds
        with self._host.service(RunFollowers).following(run_id) as woken:
            while True:
                woken.clear()
                async with self._host.data.read() as reader:
                    run = await self.summary(reader, team_id, run_id)
                left = ends_at - time.monotonic()
                if run is None or run.state != "running" or left <= 0:
                    return run
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(left, _POLL_SECONDS)):
                        await woken.wait()

    async def cancel(self, writer: Writer, team_id: str, run_id: str) -> None:
        await cancel_run(self._host, writer, team_id, run_id)

    async def end_wait(self, writer: Writer, team_id: str, key: str, result: Any) -> bool:
        data = result if isinstance(result, Mapping) else {}
        return await self._host.service(RunEngine).waits.fire(writer, team_id, key, result, data=data)

    async def chain(self, reader: Reader, team_id: str, run_id: str) -> Sequence[str]:
        chain = await reader.value(store_sql.chain, id=run_id, team_id=team_id)
        return [] if chain is None else json.loads(chain)

    async def touching(
        self, reader: Reader, principal: Principal, object_id: str, run_ids: Sequence[str]
    ) -> Sequence[RunSummary]:
        if not principal.may(READ):
            return []
        team_id = principal.team_id
        given = {"team_id": team_id, "object_id": object_id, "limit": _MAX_LISTED}
        rows = [*await reader.all(store_sql.runs_of_object, **given)]
        if run_ids:
            rows += await reader.all(store_sql.runs_by_id, team_id=team_id, ids=json.dumps(list(run_ids)))
        found = {row["id"]: row for row in rows}
        return [_summary(found[run_id]) for run_id in sorted(found, reverse=True)[:_MAX_LISTED]]


def _summary(row: Row) -> RunSummary:
    return RunSummary(
        id=row["id"],
        slug=row["slug"],
        version=row["version"],
        state=row["state"],
        created_by=row["created_by"],
        created_at=row["created_at"],
        finished_at=row["finished_at"],
    )
