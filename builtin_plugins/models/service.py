"""Models for members: named by who manages executors, and found by who may use them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from guildhall_sdk import (
    Call,
    Conflict,
    Host,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Principal,
    Reader,
    Row,
    UserError,
    Writer,
    load_queries,
)
from guildhall_sdk.services.models import DEFAULT_MODEL, MODEL_ROLES, Executor, Executors, MemberModel, Models

sql = load_queries(Path(__file__).with_name("queries.sql"))

MANAGE, OPERATE, USE = "org:manage", "instance:manage", "chat:use"
MAX_MODELS = 500
LOCAL = "local"
_INSTANCE = ""
Allowed = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel:
    """A model as stored; `org_id` '' is for the whole instance, `allowed` None lets everybody."""

    org_id: str
    name: str
    executor: str
    model: str | None
    label: str
    description: str
    allowed: Allowed | None
    price: Mapping[str, Any] | None

    @classmethod
    def of(cls, row: Row) -> "NamedModel":
        fields = {name: row[name] for name in cls.__dataclass_fields__}
        for name in ("allowed", "price"):
            fields[name] = None if fields[name] is None else json.loads(fields[name])
        return cls(**fields)

    def is_for(self, principal: Principal) -> bool:
        """Whether somebody may use it."""
        if self.allowed is None:
            return True
        roles = self.allowed.get("roles", ())
        return (
            principal.role in roles
            or principal.org_role in roles
            or principal.team_id in self.allowed.get("teams", ())
            or principal.user_id in self.allowed.get("users", ())
        )

    def public(self, *, is_own: bool = True) -> dict[str, Any]:
        """Returns the model as the API shows it to who manages it; of others' teams and people nothing."""
        allowed = None
        if self.allowed is not None:
            shown = self.allowed if is_own else {"roles": self.allowed.get("roles", ())}
            allowed = {name: list(ids) for name, ids in shown.items()}
        return {
            "name": self.name,
            "label": self.label,
            "description": self.description,
            "executor": self.executor,
            "model": self.model,
            "allowed": allowed,
            "price": self.price,
            "instance": self.org_id == _INSTANCE,
        }


_UNTOUCHED = NamedModel(
    org_id=_INSTANCE,
    name=DEFAULT_MODEL,
    executor=LOCAL,
    model=None,
    label=DEFAULT_MODEL,
    description="",
    allowed=None,
    price=None,
)


class StoredMemberModels:
    """Implements the SDK's `MemberModels`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def offered(self, reader: Reader, org_id: str) -> Mapping[str, NamedModel]:
        """Returns what is named for a company, by name: its own go before those of the instance."""
        found = {DEFAULT_MODEL: _UNTOUCHED}
        for row in await reader.all(sql.offered, org_id=org_id):
            found[row["name"]] = NamedModel.of(row)
        return found

    async def usable(self, reader: Reader, principal: Principal) -> Sequence[MemberModel]:
        if not principal.may(USE):
            return ()
        offered = await self.offered(reader, principal.org_id)
        found = []
        for name in sorted(offered):
            if offered[name].is_for(principal):
                shown = await self._shown(reader, principal, offered[name])
                if shown is not None:
                    found.append(shown)
        return found

    async def named(self, reader: Reader, principal: Principal, name: str) -> MemberModel:
        found = (await self.offered(reader, principal.org_id)).get(name)
        if found is not None and principal.may(USE) and found.is_for(principal):
            shown = await self._shown(reader, principal, found)
            if shown is not None:
                return shown
        raise unknown(name)

    async def _shown(self, reader: Reader, principal: Principal, found: NamedModel) -> MemberModel | None:
        """Returns the model for its user; None where its executor is not there any more."""
        executors = self._host.service(Executors)
        executor = await executors.named(reader, principal.org_id, found.executor)
        if executor is None:
            return None
        label = found.label
        if found is _UNTOUCHED:
            label = executor.model or executor.name
        roles = ["chat"]
        for role in MODEL_ROLES:
            if await self._has(reader, principal, executor, role):
                roles.append(role)
        return MemberModel(
            name=found.name,
            label=label,
            description=found.description,
            executor=None if executor.mode == LOCAL else executor.name,
            model=found.model,
            roles=roles,
            price=found.price,
        )

    async def _has(self, reader: Reader, principal: Principal, executor: Executor, role: Any) -> bool:
        try:
            choice = await self._host.service(Models).choose(reader, principal, role=role)
        except UserError:  # nobody has the role
            return False
        return choice.executor_id == executor.id


def unknown(name: str) -> NotFound:
    """Returns the refusal of a model that somebody may not use, which is as one that is not there."""
    return NotFound(
        f"There is no model {name[:80]!r} that you may use; GET /api/models lists those that there are.",
        code="unknown_model",
    )


async def put(call: Call, writer: Writer, name: str, body: Mapping[str, Any]) -> NamedModel:
    """Names a model: of a company for its own executor, else of the instance. What is left out stays."""
    caller, models = call.principal, StoredMemberModels(call.host)
    if "executor" in body:
        named = body["executor"]
    else:
        known = (await models.offered(writer, caller.org_id)).get(name)
        if known is None:
            raise InvalidRequest.at("/executor", "is required: nothing has this name yet")
        named = known.executor
    executor = await call.service(Executors).named(writer, caller.org_id, named)
    if executor is None:
        raise InvalidRequest(
            f"There is no executor {named!r}; GET /api/executors lists those that there are.",
            code="unknown_executor",
            errors=[{"pointer": "/executor", "message": "is no executor here"}],
        )
    own = executor.org_id is not None and executor.org_id == caller.org_id
    if not own and not caller.may(OPERATE):
        raise PermissionDenied(OPERATE)
    org_id = caller.org_id if own else _INSTANCE
    await writer.serialize(f"member_models.{org_id}")
    row = await writer.one(sql.lock, org_id=org_id, name=name)
    before = NamedModel.of(row) if row is not None else None
    if before is None:
        if await writer.value(sql.many, org_id=org_id) >= MAX_MODELS:
            raise Conflict(
                f"There are {MAX_MODELS} models already; delete some first.", code="too_many_models"
            )
        nobody: Allowed | None = None if name == DEFAULT_MODEL else {}
        before = replace(_UNTOUCHED, name=name, label=name, allowed=nobody)
    fields = {key: body[key] for key in ("label", "description", "allowed", "price", "model") if key in body}
    changed = replace(before, org_id=org_id, executor=executor.name, **fields)
    await writer.run(
        sql.put,
        org_id=org_id,
        name=name,
        executor=changed.executor,
        model=changed.model,
        label=changed.label,
        description=changed.description,
        allowed=None if changed.allowed is None else json.dumps(changed.allowed),
        price=None if changed.price is None else json.dumps(changed.price),
        now=call.now_ms,
    )
    writer.audit("model.named", ("model", name), detail={"executor": executor.name, "fields": sorted(fields)})
    return (await models.offered(writer, caller.org_id))[name]


async def delete(call: Call, writer: Writer, name: str) -> None:
    """Deletes a model: the company's own where there is one, else that of the instance, by an operator."""
    caller = call.principal
    if await writer.one(sql.delete, org_id=caller.org_id, name=name) is not None:
        writer.audit("model.deleted", ("model", name))
        return
    if await writer.one(sql.lock, org_id=_INSTANCE, name=name) is None:
        raise unknown(name)
    if not caller.may(OPERATE):
        raise PermissionDenied(OPERATE)
    await writer.one(sql.delete, org_id=_INSTANCE, name=name)
    writer.audit("model.deleted", ("model", name))
