"""Jobs and those who do them, put together: the scheduler, the executors, and their health."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from guildhall_sdk import Host, JobCall, JobKind, Reader
from guildhall_sdk.services import Executors, Jobs, ModelEndpoint, Quotas, Vault, Workers
from kernel.config import Settings
from kernel.db import Database
from kernel.executors.health import HealthLoop, Sightings
from kernel.executors.model_endpoint import HttpModelEndpoint
from kernel.executors.push import PushClients, PushTurns
from kernel.executors.store import PushEndpoint, StoredExecutors
from kernel.scheduler import CompileSchema, KindOfAnother, KindSwitches, Record, Scheduler


class Workforce:
    def __init__(
        self,
        host: Host,
        data: Database,
        settings: Settings,
        vault: Vault,
        kinds: list[JobKind],
        quotas: Quotas,
        compile_schema: CompileSchema,
        hosts: Mapping[str, Host],
        switches: KindSwitches,
        record: Record,
        kind_of_another: KindOfAnother,
    ) -> None:
        """`hosts` are those of the plugins that bring the kinds, by the names of these."""
        self._data = data
        self.scheduler = Scheduler(
            host,
            data,
            kinds,
            quotas,
            compile_schema,
            lease_seconds=settings.lease_seconds,
            push=self._push,
            seen=Sightings(data, host.clock).seen,
            hosts=hosts,
            switches=switches,
            record=record,
            kind_of_another=kind_of_another,
        )
        self._executors = StoredExecutors(
            settings.executors,
            host.clock,
            vault,
            org_private_endpoints=settings.org_private_endpoints,
            return_held=self.scheduler.return_held,
            lease_seconds=settings.lease_seconds,
            local_model=settings.model_name,
            local_url=settings.model_url,
            local_key=settings.model_key,
            open_endpoint=self._open_endpoint,
        )
        self._executor_timeout = settings.executor_timeout
        self._clients = PushClients(self._executors.resolve)
        self._turns = PushTurns(self._executors, self._clients, timeout_seconds=settings.executor_timeout)
        self._health = HealthLoop(data, host.clock, self._executors, self._clients)

    def _open_endpoint(self, endpoint: PushEndpoint, executor: str, key: str | None) -> ModelEndpoint:
        return HttpModelEndpoint(
            partial(self._clients.client_for, endpoint),
            endpoint.url,
            key,
            executor=executor,
            model=endpoint.model,
            timeout_seconds=self._executor_timeout,
        )

    def services(self) -> dict[type[Any], Any]:
        return {Executors: self._executors, Jobs: self.scheduler, Workers: self.scheduler.worker_api}

    async def start(self) -> None:
        await self.scheduler.start()
        self._health.start()

    async def stop(self) -> None:
        await self._health.stop()
        await self.scheduler.stop()
        await self._clients.close()

    async def count_running(self, reader: Reader, org_id: str, team_id: str) -> tuple[int, int]:
        return await self.scheduler.running(reader, org_id, team_id)

    async def _push(self, job: JobCall) -> Any:
        return await self._turns.run(self._data, job.executor_id or "", job.payload)
