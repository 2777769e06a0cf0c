"""Executors: the local one and those of the settings, and those made over the API, in the database."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from builtin_plugins.executors.endpoints import check_public, parse_endpoint
from builtin_plugins.executors.model_endpoint import HttpModelEndpoint
from builtin_plugins.executors.push import NEVER_SEEN, SIMULATED_OK, PushClients, PushEndpoint, Verdicts
from builtin_plugins.executors.quirks import NO_QUIRKS, QuirkMemory, QuirkStore, quirks_of
from builtin_plugins.executors.records import AdmittedExecutor, NewExecutor, executor_name_key, order_of
from builtin_plugins.executors.settings import (
    EXECUTORS,
    LOCAL_ID,
    LOCAL_NAME,
    MODEL_KEY,
    MODEL_NAME,
    MODEL_URL,
    TIMEOUT,
    EnvironmentExecutor,
    capabilities_fault,
    key_fault,
    name_fault,
)
from guildhall_sdk import (
    Conflict,
    Credential,
    Host,
    InvalidRequest,
    Reader,
    Row,
    UserError,
    Writer,
    load_queries,
    new_id,
)
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.jobs import Worker, WorkerRegistry
from guildhall_sdk.services.models import Executor, Executors, ModelEndpoint
from guildhall_sdk.services.outbound import OutboundHttp
from guildhall_sdk.services.server import Tracing
from guildhall_sdk.services.tenancy import Directory
from libs.outbound_http import Resolve, SystemResolver

sql = load_queries(Path(__file__).with_name("queries.sql"))

# Each one that is pushed to is probed twice a minute: a company must not turn us against somebody.
MAX_PER_COMPANY = 200
SIMULATED = "simulated"
_IN_VAULT = "executor"
_EVERYBODY = "instance"


class StoredExecutors:
    """Implements the SDK's `Executors`."""

    def __init__(self, host: Host, resolve: Resolve | None = None) -> None:
        self._host = host
        self._clock = host.clock
        self._vault = host.service(Vault)
        self._workers = host.service(WorkerRegistry)
        self._directory = host.service(Directory)
        self._fixed = {one.id: one for one in host.setting(EXECUTORS)}
        self._fixed_names = {LOCAL_NAME, *(executor_name_key(one.name) for one in self._fixed.values())}
        self._verdicts = Verdicts(host.clock, host.settings.lease_seconds)
        self._org_private_endpoints = host.service(OutboundHttp).private_allowed
        self.timeout_seconds = host.setting(TIMEOUT)
        url, model = host.setting(MODEL_URL), host.setting(MODEL_NAME)
        self._local_model = SIMULATED if url is None else model
        self._local = None if url is None else PushEndpoint(LOCAL_ID, None, url, model, guarded=False)
        self._local_key = host.setting(MODEL_KEY)
        self._resolve: Resolve = resolve or SystemResolver()
        self.clients = PushClients(self._resolve)
        self.quirks = QuirkStore(host.data, host.clock)

    async def offered_to(self, reader: Reader, org_id: str) -> Sequence[Executor]:
        rows = await reader.all(sql.offered, org_id=org_id)
        return await self._with_fixed(reader, rows)

    async def all(self, reader: Reader) -> Sequence[Executor]:
        rows = await reader.all(sql.every)
        return await self._with_fixed(reader, rows)

    async def named(self, reader: Reader, org_id: str, name: str) -> Executor | None:
        wanted = executor_name_key(name)
        if wanted == LOCAL_NAME:
            return await self._local_executor(reader)
        offered = await self.offered_to(reader, org_id)
        found = [one for one in offered if executor_name_key(one.name) == wanted]
        return max(found, key=lambda one: (one.org_id is not None, one.source != "api"), default=None)

    async def endpoint(
        self, reader: Reader, org_id: str, executor: Executor | str | None = None
    ) -> ModelEndpoint | None:
        if not isinstance(executor, Executor):
            executor = await self._offered(reader, org_id, executor or LOCAL_NAME)
        if executor is None or executor.org_id not in (None, org_id):
            raise UserError("There is no such executor.", code="unknown_executor")
        endpoint = await self.push_endpoint(reader, executor.id)
        if endpoint is None:
            return None
        seen = (executor.url, executor.model) == (endpoint.url, endpoint.model)
        quirks = frozenset(executor.quirks) if seen else NO_QUIRKS
        memory = self.quirks.remembered(endpoint.executor_id, endpoint.url, endpoint.model, quirks)
        return await self._opened(reader, endpoint, memory, name=executor.name)

    async def open_endpoint(self, reader: Reader, endpoint: PushEndpoint) -> ModelEndpoint:
        memory = await self.quirks.memory(reader, endpoint.executor_id, endpoint.url, endpoint.model)
        return await self._opened(reader, endpoint, memory)

    async def _opened(
        self, reader: Reader, endpoint: PushEndpoint, memory: QuirkMemory, *, name: str = ""
    ) -> ModelEndpoint:
        tracing = self._host.find_service(Tracing)
        return HttpModelEndpoint(
            partial(self.clients.client_for, endpoint),
            endpoint.url,
            await self.key_of(reader, endpoint),
            executor=name,
            model=endpoint.model,
            timeout_seconds=self.timeout_seconds,
            memory=memory,
            trace=None if tracing is None else tracing.current,
        )

    async def _offered(self, reader: Reader, org_id: str, executor: str) -> Executor | None:
        if executor in (LOCAL_ID, LOCAL_NAME):
            return await self._local_executor(reader)
        for one in await self.offered_to(reader, org_id):
            if one.id == executor:
                return one
        return await self.named(reader, org_id, executor)

    async def admit(self, new: NewExecutor, *, by_operator: bool) -> AdmittedExecutor:
        _check_fields(new)
        if new.url is not None:
            endpoint = parse_endpoint(new.url)
            if not (by_operator or self._org_private_endpoints):
                await check_public(endpoint, self._resolve)
            new = replace(new, url=endpoint.url)
        return AdmittedExecutor(new, by_operator)

    async def create(
        self, writer: Writer, admitted: AdmittedExecutor, made_with: Credential | None = None
    ) -> tuple[Executor, str | None]:
        new, now = admitted.new, self._clock.now_ms()
        # One at a time: a name for everybody and a company's own are found out against each other.
        await writer.serialize("executor-names")
        await self._check_company(writer, new.org_id)
        executor_id = new_id("exe", now)
        row = None
        if executor_name_key(new.name) not in self._fixed_names:
            row = await writer.one(
                sql.insert,
                id=executor_id,
                org_id=new.org_id,
                name=new.name,
                name_key=executor_name_key(new.name),
                mode=new.mode,
                model=new.model,
                url=new.url,
                capabilities=json.dumps(list(dict.fromkeys(new.capabilities))),
                trusted=int(admitted.by_operator),
                now=now,
            )
        if row is None:
            raise Conflict("There is an executor of that name; choose another.", code="name_taken")
        token = None
        if new.mode == "pull":
            worker = Worker(executor_id, new.name, org_id=new.org_id)
            issued = await self._workers.register(writer, worker, made_with)
            token = issued.token
        if new.key is not None:
            owner = new.org_id or _EVERYBODY
            await self._vault.put(writer, _IN_VAULT, owner, executor_id, new.key.encode())
        writer.audit("executor.created", ("executor", executor_id), detail=_audited(new))
        return self._made(executor_id, new), token

    async def retire(self, writer: Writer, executor_id: str) -> bool:
        if executor_id == LOCAL_ID or executor_id in self._fixed:
            raise Conflict(
                "This executor comes with the server or from its settings; it cannot be retired here.",
                code="executor_fixed",
            )
        row = await writer.one(sql.retire, id=executor_id, now=self._clock.now_ms())
        if row is None:
            return False
        await self._vault.delete(writer, _IN_VAULT, row["org_id"] or _EVERYBODY, executor_id)
        await writer.run(sql.forget_health, id=executor_id)
        await self.quirks.forget(writer, executor_id)
        await self._workers.retire(writer, executor_id)
        detail = {"name": row["name"], "mode": row["mode"], "org_id": row["org_id"]}
        writer.audit("executor.retired", ("executor", executor_id), detail=detail)
        return True

    async def push_endpoints(self, reader: Reader) -> Sequence[PushEndpoint]:
        """Returns the push executors of companies and of the environment, and the instance's own model."""
        rows = await reader.all(sql.push_endpoints)
        local = [] if self._local is None else [self._local]
        return [*local, *map(_fixed_endpoint, self._fixed.values()), *map(self._endpoint_of, rows)]

    async def push_endpoint(self, reader: Reader, executor_id: str) -> PushEndpoint | None:
        """Returns where work is sent to, the instance's own model included; None for one that pulls."""
        if executor_id == LOCAL_ID:
            return self._local
        if executor_id in self._fixed:
            return _fixed_endpoint(self._fixed[executor_id])
        row = await reader.one(sql.push_endpoint, id=executor_id)
        return None if row is None else self._endpoint_of(row)

    async def key_of(self, reader: Reader, endpoint: PushEndpoint) -> str | None:
        if endpoint.executor_id == LOCAL_ID:
            return self._local_key
        if endpoint.executor_id in self._fixed:
            return self._fixed[endpoint.executor_id].key
        owner = endpoint.org_id or _EVERYBODY
        key = await self._vault.get(reader, _IN_VAULT, owner, endpoint.executor_id)
        return None if key is None else key.decode()

    async def _check_company(self, writer: Writer, org_id: str | None) -> None:
        if org_id is None:
            return
        if await self._directory.org(writer, org_id) is None:
            raise InvalidRequest.at("/org_id", "there is no such company")
        if await writer.value(sql.count_of_org, org_id=org_id) >= MAX_PER_COMPANY:
            raise Conflict(
                f"A company has at most {MAX_PER_COMPANY} executors; retire one first.",
                code="too_many_executors",
            )

    async def _with_fixed(self, reader: Reader, rows: Sequence[Row]) -> Sequence[Executor]:
        pulling = [row["id"] for row in rows if row["mode"] == "pull"]
        last_calls = await self._workers.last_calls(reader, pulling)
        found = [await self._local_executor(reader)]
        found += [await self._fixed_executor(reader, fixed) for fixed in self._fixed.values()]
        found += [self._executor_of(row, last_calls.get(row["id"])) for row in rows]
        return sorted(found, key=order_of)

    async def _local_executor(self, reader: Reader) -> Executor:
        local = Executor(
            id=LOCAL_ID,
            name=LOCAL_NAME,
            mode="local",
            model=self._local_model,
            url=None,
            capabilities=(),
            org_id=None,
            source="local",
            health=SIMULATED_OK,
        )
        if self._local is None:
            return local
        return await self._as_seen(reader, replace(local, url=self._local.url))

    async def _fixed_executor(self, reader: Reader, fixed: EnvironmentExecutor) -> Executor:
        found = Executor(
            id=fixed.id,
            name=fixed.name,
            mode="push",
            model=fixed.model,
            url=fixed.url,
            capabilities=fixed.capabilities,
            org_id=None,
            source="env",
            health=NEVER_SEEN,
        )
        return await self._as_seen(reader, found)

    async def _as_seen(self, reader: Reader, executor: Executor) -> Executor:
        row = await reader.one(sql.seen, id=executor.id)
        quirks = quirks_of(row, executor.url, executor.model)
        return replace(executor, health=self._verdicts.of_push(row), quirks=sorted(quirks))

    def _executor_of(self, row: Row, called_at: int | None) -> Executor:
        pulls = row["mode"] == "pull"
        return Executor(
            id=row["id"],
            name=row["name"],
            mode=row["mode"],
            model=row["model"],
            url=row["url"],
            capabilities=tuple(json.loads(row["capabilities"])),
            org_id=row["org_id"],
            source="api",
            health=self._verdicts.of_pull(called_at) if pulls else self._verdicts.of_push(row),
            quirks=sorted(quirks_of(row, row["url"], row["model"])),
        )

    def _made(self, executor_id: str, new: NewExecutor) -> Executor:
        return Executor(
            id=executor_id,
            name=new.name,
            mode=new.mode,
            model=new.model,
            url=new.url,
            capabilities=tuple(dict.fromkeys(new.capabilities)),
            org_id=new.org_id,
            source="api",
            health=NEVER_SEEN,
        )

    def _endpoint_of(self, row: Row) -> PushEndpoint:
        guarded = not (row["trusted"] or self._org_private_endpoints)
        return PushEndpoint(row["id"], row["org_id"], row["url"], row["model"], guarded)


def _fixed_endpoint(fixed: EnvironmentExecutor) -> PushEndpoint:
    return PushEndpoint(fixed.id, None, fixed.url, fixed.model, guarded=False)


def _check_fields(new: NewExecutor) -> None:
    faults = {
        "/name": name_fault(new.name),
        "/capabilities": capabilities_fault(new.capabilities),
        "/key": None if new.key is None else key_fault(new.key),
    }
    if new.mode == "push" and new.url is None:
        faults["/url"] = "is where work is pushed to; give it, or make one that pulls"
    if new.mode == "pull":
        faults["/url"] = "is for one that is pushed to" if new.url is not None else None
        faults["/key"] = "is for one that is pushed to" if new.key is not None else None
    for pointer, fault in faults.items():
        if fault is not None:
            raise InvalidRequest.at(pointer, fault)


def _audited(new: NewExecutor) -> dict[str, Any]:
    return {"name": new.name, "mode": new.mode, "model": new.model, "org_id": new.org_id}


def stored_executors(host: Host) -> StoredExecutors:
    """Returns the service `Executors` with all that this plugin does for it."""
    executors = host.service(Executors)
    assert isinstance(executors, StoredExecutors)
    return executors
