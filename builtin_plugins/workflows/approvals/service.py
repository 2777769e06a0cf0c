"""What waits for a person, and their decision, which moves the run on in the same transaction."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.statements import approval_sql, sql
from guildhall_sdk import (
    Conflict,
    Host,
    InvalidRequest,
    NotFound,
    Principal,
    Reader,
    Row,
    Writer,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES, role_includes
from guildhall_sdk.services.computing import JsonSchemas

_NEWEST = "~"
_MAX_PROBLEMS = 20


class Approvals:
    """The approvals of all teams."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def page(
        self, reader: Reader, caller: Principal, *, mine: bool, before: str | None, fetched: int
    ) -> Sequence[Row]:
        """Returns what waits for the caller, newest first; not `mine` also what their runs wait for."""
        statement = approval_sql.of_person if mine else approval_sql.seen_by
        return await reader.all(
            statement,
            team_id=caller.team_id,
            user_id=caller.user_id,
            roles=json.dumps(_roles_of(caller)),
            before=before or _NEWEST,
            fetched=fetched,
        )

    async def find(self, reader: Reader, caller: Principal, approval_id: str) -> Row:
        """Returns an approval; raises `NotFound` for who is not asked."""
        row = await reader.one(approval_sql.approval, id=approval_id, team_id=caller.team_id)
        if row is None:
            raise NotFound
        if row["role"] is not None and row["role"] in _roles_of(caller):
            return row
        asked = {"id": approval_id, "team_id": caller.team_id, "user_id": caller.user_id}
        if await reader.value(approval_sql.is_asked, **asked) is None:
            raise NotFound
        return row

    async def check_form(self, caller: Principal, approval: Row, answer: Any) -> None:
        """Raises `InvalidRequest` below `/form` for what the form does not take. Not inside a scope."""
        if approval["form"] is None:
            if answer is not None:
                raise InvalidRequest.at("/form", "this approval asks for nothing; leave it out")
            return
        schema = await self._host.service(JsonSchemas).admit(caller.org_id, json.loads(approval["form"]))
        if problems := [*await schema.problems({} if answer is None else answer)][:_MAX_PROBLEMS]:
            raise InvalidRequest.at("/form", "; ".join(problems))

    async def decide(
        self, writer: Writer, caller: Principal, approval_id: str, said: Mapping[str, Any]
    ) -> Row:
        """Decides an approval and moves its run on. Raises `NotFound`, and `Conflict` `already_decided`."""
        row = await self.find(writer, caller, approval_id)
        run = await writer.one(sql.lock_run, id=row["run_id"], team_id=caller.team_id)
        # What was read before the run was locked may have been decided meanwhile.
        row = await self.find(writer, caller, approval_id)
        if run is None or not row["open"]:
            raise _already_decided(row)
        decision, comment, answer = said["decision"], said.get("comment"), said.get("form")
        await writer.run(
            approval_sql.decide,
            id=approval_id,
            team_id=caller.team_id,
            decision=decision,
            by=caller.user_id,
            now=self._host.clock.now_ms(),
            comment=comment,
            answer=None if answer is None else json.dumps(answer),
        )
        result = {"decision": decision, "by": caller.user_id, "comment": comment, "form": answer}
        waits = self._host.service(RunEngine).waits
        place = (caller.team_id, row["run_id"], row["number"])
        if not await waits.end(writer, *place, {"result": result}):
            raise _already_decided(row)
        detail = {"decision": decision, "comment": comment, "run": row["run_id"], "step": row["step"]}
        writer.audit("approval.decided", ("approval", approval_id), detail=detail)
        return await self.find(writer, caller, approval_id)


def _roles_of(caller: Principal) -> list[str]:
    """Returns the roles that the caller's include: who may more is asked too."""
    held = [role for role in (caller.role, caller.org_role) if role is not None]
    return [one for one in (*TEAM_ROLES, *ORG_ROLES) if any(role_includes(role, one) for role in held)]


def _already_decided(row: Row) -> Conflict:
    said = {"approve": "It was approved already.", "reject": "It was rejected already."}
    over = "It is no longer asked for: its time is over, or its run."
    return Conflict(said.get(row["decision"], over), code="already_decided")


def public(row: Row) -> dict[str, Any]:
    """Returns an approval as lists show it."""
    return {
        "id": row["id"],
        "title": row["title"],
        "body": row["body"],
        "form": None if row["form"] is None else json.loads(row["form"]),
        "run_id": row["run_id"],
        "step": row["step"],
        "requested_at": rfc3339(row["requested_at"]),
        "expires_at": rfc3339_or_none(row["expires_at"]),
    }


def decided(row: Row) -> dict[str, Any]:
    """Returns an approval with what was decided."""
    return {
        **public(row),
        "decision": row["decision"],
        "by": row["decided_by"],
        "comment": row["comment"],
        "decided_at": rfc3339_or_none(row["decided_at"]),
    }
