"""Many operations in one request: some at a time in one transaction, and each by itself where one fails."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.scim import group_reading, groups, people
from builtin_plugins.scim.answers import error_of, invalid_path, invalid_value, scim_reply
from builtin_plugins.scim.attributes import GROUPS, USERS, Document, taken
from builtin_plugins.scim.discovery import MAX_BULK_OPERATIONS
from builtin_plugins.scim.patching import operations_of, patch_steps
from builtin_plugins.scim.searching import checked_id
from builtin_plugins.scim.tokens import PREFIX
from guildhall_sdk import Call, Conflict, InvalidRequest, Problem, Reply, Writer
from guildhall_sdk.services.computing import Computing

RESPONSE = "urn:ietf:params:scim:api:messages:2.0:BulkResponse"
_METHODS = ("POST", "PUT", "PATCH", "DELETE")
_STATUS = {"POST": "201", "PUT": "200", "PATCH": "200", "DELETE": "204"}
#: A transaction holds the database for as long as these take.
PER_WRITE = 25
_MARK = "bulkId:"


class BulkOperation(NamedTuple):
    """One operation of a bulk: on all people or groups, or on one of them."""

    method: str
    kind: str
    id: str | None
    bulk_id: str | None
    data: Any


def _operation(given: Any) -> BulkOperation:
    if not isinstance(given, Mapping):
        raise InvalidRequest("An operation of a bulk is a JSON object.")
    method, path, bulk_id = str(given.get("method", "")).upper(), given.get("path"), given.get("bulkId")
    if method not in _METHODS:
        raise InvalidRequest("The method of an operation is POST, PUT, PATCH or DELETE.")
    parts = path.strip("/").split("/") if isinstance(path, str) else []
    if parts and parts[0] not in ("Users", "Groups"):
        parts = []
    if len(parts) != (1 if method == "POST" else 2):
        raise invalid_path("The path of an operation is /Users or /Groups, and an id behind it but for POST.")
    if bulk_id is not None and (not isinstance(bulk_id, str) or len(bulk_id) > 200):
        raise invalid_value("A bulkId is a text of at most 200 characters.")
    if method == "POST" and not bulk_id:
        raise invalid_value("A POST in a bulk has a bulkId.")
    return BulkOperation(method, parts[0], parts[1] if len(parts) > 1 else None, bulk_id, given.get("data"))


async def run_bulk(call: Call) -> Reply:
    body = call.body
    given = body.get("Operations")
    if not isinstance(given, list) or not given:
        raise InvalidRequest('A bulk has "Operations", a list of {method, path, bulkId, data}.')
    if len(given) > MAX_BULK_OPERATIONS:
        raise InvalidRequest(f"A bulk takes {MAX_BULK_OPERATIONS} operations.", code="too_many")
    run = _Run(call, body.get("failOnErrors"))
    for start in range(0, len(given), PER_WRITE):
        if run.is_over:
            break
        await run.take(given[start : start + PER_WRITE])
        await asyncio.sleep(0)
    return scim_reply({"schemas": [RESPONSE], "Operations": run.results})


class _Run:
    """One bulk under way: the results so far, and the ids that stand for bulkIds."""

    def __init__(self, call: Call, fail_on_errors: Any) -> None:
        self._call = call
        self._allowed = fail_on_errors if isinstance(fail_on_errors, int) and fail_on_errors > 0 else None
        self._errors = 0
        self._ids: dict[str, str] = {}
        self.results: list[Document] = []

    @property
    def is_over(self) -> bool:
        return self._allowed is not None and self._errors >= self._allowed

    async def take(self, given: Sequence[Any]) -> None:
        ids = dict(self._ids)
        try:
            async with self._call.write() as writer:
                results = [await self._one(writer, one) for one in given]
        except Problem:
            self._ids = ids  # nothing of it was done: each by itself, then
            for one in given:
                if self.is_over:
                    return
                await self._alone(one)
        else:
            self.results += results

    async def _alone(self, given: Any) -> None:
        try:
            async with self._call.write() as writer:
                result = await self._one(writer, given)
        except Problem as problem:
            if problem.status in (401, 402, 429, 503):  # all that follow would fail alike
                raise
            self._errors += 1
            result = _failed(given, problem)
        self.results.append(result)

    async def _one(self, writer: Writer, given: Any) -> Document:
        operation = _operation(given)
        data = self._with_ids(operation.data)
        resource_id = operation.id
        if resource_id is not None:
            resource_id = checked_id(self._with_ids(resource_id))
        run = _run_user if operation.kind == "Users" else _run_group
        made = await run(self._call, writer, operation.method, resource_id, data)
        if operation.bulk_id is not None:
            self._ids[operation.bulk_id] = made
        root = self._call.host.settings.base_url + PREFIX
        named = {} if operation.bulk_id is None else {"bulkId": operation.bulk_id}
        return {
            "method": operation.method,
            **named,
            "location": f"{root}/{operation.kind}/{made}",
            "status": _STATUS[operation.method],
        }

    def _with_ids(self, value: Any) -> Any:
        """Puts ids in place of the bulkIds of what was made before."""
        if isinstance(value, str):
            if not value.startswith(_MARK):
                return value
            found = self._ids.get(value[len(_MARK) :])
            if found is None:
                raise Conflict("The bulkId is none of an operation before this one; change their order.")
            return found
        if isinstance(value, list):
            return [self._with_ids(one) for one in value]
        if isinstance(value, Mapping):
            return {name: self._with_ids(one) for name, one in value.items()}
        return value


def _failed(given: Any, problem: Problem) -> Document:
    shown: Document = {"status": str(problem.status), "response": error_of(problem)}
    for name in ("method", "bulkId"):
        if isinstance(given, Mapping) and isinstance(given.get(name), str):
            shown[name] = given[name][:200]
    return shown


async def _run_user(call: Call, writer: Writer, method: str, user_id: str | None, data: Any) -> str:
    if user_id is None:
        return await people.create(call, writer, taken(USERS, data))
    if method == "DELETE":
        await people.remove(call, writer, user_id)
        return user_id
    person = await people.find(call, writer, user_id)
    if method == "PUT":
        document = {"active": person.active, **taken(USERS, data)}
    else:
        steps = patch_steps(USERS, person.document, operations_of(data))
        document = await call.service(Computing).run_steps(call.principal.org_id, steps)
    await people.save(call, writer, person, document)
    return user_id


async def _run_group(call: Call, writer: Writer, method: str, group_id: str | None, data: Any) -> str:
    if group_id is None:
        return await groups.create(call, writer, taken(GROUPS, data))
    group = await group_reading.find(call, writer, group_id)
    if method == "DELETE":
        await groups.remove(call, writer, group)
    elif method == "PUT":
        document = taken(GROUPS, data)
        await groups.save(call, writer, group, document, groups.replaced(document))
    else:
        steps = groups.patch_steps(group, operations_of(data))
        document, changes = await call.service(Computing).run_steps(call.principal.org_id, steps)
        await groups.save(call, writer, group, document, changes)
    return group_id
