"""The step `approve`: asks people, and waits for what one of them says."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from builtin_plugins.workflows.approvals.reminders import next_reminder
from builtin_plugins.workflows.runs.notices import Question, tell_of_question
from builtin_plugins.workflows.runs.statements import approval_sql
from guildhall_sdk import InvalidRequest, UserError, Writer, new_id
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES
from guildhall_sdk.schema import enum, integer
from guildhall_sdk.services.computing import JsonSchemas
from guildhall_sdk.services.workflows import StepCall, StepKind, StepWait

MAX_PEOPLE = 100
MAX_TITLE, MAX_TEXT = 200, 20_000
_LONGEST_SECONDS = 366 * 24 * 3600
_BINDING = {"$ref": "#/$defs/binding"}
_ENDS = ("approve", "reject", "fail")


async def _approve(call: StepCall) -> StepWait:
    job, fields, now = call.job, call.fields, call.job.host.clock.now_ms()
    people, role, title = fields.get("people"), fields.get("role"), _text(fields, "title", MAX_TITLE)
    if not title:
        raise UserError("The title of an approval is a text that is not empty.", code="invalid_approval")
    if form := fields.get("form"):
        await _admitted(call, form)
    asked = await _asked(call, people)
    if role is not None and role not in (*TEAM_ROLES, *ORG_ROLES):
        raise UserError(f"There is no role {str(role)[:80]}.", code="nobody_to_ask")
    if role is None and not asked:
        raise UserError("None of those who should be asked is in the team.", code="nobody_to_ask")
    seconds = fields.get("timeout_seconds")
    until = None if seconds is None else now + 1000 * seconds
    approval_id = new_id("apr", now)

    async def ask(writer: Writer) -> None:
        await writer.run(
            approval_sql.insert_approval,
            id=approval_id,
            org_id=job.org_id,
            team_id=job.team_id,
            run_id=call.run_id,
            number=call.number,
            step=call.step,
            title=title,
            body=_text(fields, "body", MAX_TEXT),
            form=None if form is None else json.dumps(form),
            role=role,
            requested_by=job.user_id,
            requested_at=now,
            expires_at=until,
            remind_at=next_reminder(now, until, now),
        )
        await writer.run(
            approval_sql.insert_people,
            approval_id=approval_id,
            team_id=job.team_id,
            people=json.dumps(asked),
        )
        question = Question(approval_id, job.org_id, job.team_id, title, asked, role)
        await tell_of_question(job.host, writer, question)

    job.on_success(ask)
    on_timeout = fields.get("on_timeout", "fail")
    if on_timeout == "fail":
        error = ("approval_timeout", "Nobody decided in time.")
        return StepWait(until=until, error=error, output={"approval": approval_id})
    result = {"decision": on_timeout, "by": None, "comment": None, "form": None}
    return StepWait(until=until, result=result, output={"approval": approval_id})


async def _asked(call: StepCall, people: Any) -> list[str]:
    """Returns those of the people who are in the team."""
    if people is None:
        return []
    named = isinstance(people, list) and all(isinstance(one, str) for one in people)
    if not named or len(people) > MAX_PEOPLE:
        raise UserError(f"people is a list of at most {MAX_PEOPLE} user ids.", code="invalid_approval")
    async with call.job.host.data.read() as reader:
        rows = await reader.all(
            approval_sql.members, team_id=call.job.team_id, people=json.dumps([*map(str, people)])
        )
    return [row["user_id"] for row in rows]


async def _admitted(call: StepCall, form: Any) -> None:
    try:
        await call.job.host.service(JsonSchemas).admit(call.job.org_id, form, pointer="/form")
    except InvalidRequest as refusal:
        raise UserError(refusal.detail, code="invalid_form") from None


def _text(fields: Mapping[str, Any], name: str, longest: int) -> str | None:
    """Returns a text of the step; what a reference gave may be anything, and is shown as JSON."""
    value = fields.get(name)
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("\x00", "").encode("utf-8", "replace").decode()[:longest]


def _check(fields: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    if ("people" in fields) == ("role" in fields):
        yield "people", "name either people or a role"
    if fields.get("people") == []:
        yield "people", "name somebody"
    if isinstance(fields.get("role"), str) and fields["role"] not in (*TEAM_ROLES, *ORG_ROLES):
        yield "role", "is no role"
    if "on_timeout" in fields and "timeout_seconds" not in fields:
        yield "on_timeout", "needs timeout_seconds"


APPROVE = StepKind(
    name="approve",
    doc="Asks people, or whoever has a role, and waits until one of them decides.",
    run=_approve,
    fields={
        "people": {"$ref": "#/$defs/items"},
        "role": _BINDING,
        "title": _BINDING,
        "body": _BINDING,
        "form": {"type": "object"},
        "timeout_seconds": integer(1, _LONGEST_SECONDS),
        "on_timeout": enum(*_ENDS),
        "rejected": {"$ref": "#/$defs/name"},
    },
    required=("title",),
    check=_check,
)
