"""HTTP in and out."""

from typing import Any

from builtin_plugins.sign_in import domains, managing
from builtin_plugins.sign_in.admitting import HINT
from builtin_plugins.sign_in.deciding import REFUSALS, Decision, Person, decide
from builtin_plugins.sign_in.managing import Scope
from builtin_plugins.sign_in.way import MAX_OFFERED, find_way, kind_named, kinds, sql, with_secrets
from guildhall_sdk import (
    Call,
    NotFound,
    Problem,
    Reader,
    Reply,
    Row,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.services.identity import Credentials, Vault
from guildhall_sdk.services.sign_in import SignInStep, check_step_up
from libs.names import hostname_of
from libs.names.emails import email_fault


async def list_ways(call: Call) -> Reply:
    """Says how one can sign in at a host or with an address: nothing about who is there."""
    host, email = hostname_of(call.query.get("host", "")), call.query.get("email", "")
    async with call.read() as reader:
        found = await _ways_for(call, reader, host, "" if email_fault(email) else email)
    items = [_way_json(call, row) for row in found]
    for name, (_, kind) in kinds(call.host).items():
        if kind.fields is None:
            items.append({"id": name, "kind": name, "label": name.capitalize(), "takes_password": False})
    return page([item for item in items if item is not None], None)


async def _ways_for(call: Call, reader: Reader, host: str, email: str) -> list[Row]:
    found: dict[str, Row] = {}
    if host:
        found |= {row["id"]: row for row in await reader.all(sql.ways_at_host, host=host, limit=MAX_OFFERED)}
    if email:
        found |= {row["id"]: row for row in await domains.ways_at(call, reader, email)}
    if not found:
        found |= {row["id"]: row for row in await reader.all(sql.ways_of_only_company, limit=MAX_OFFERED)}
    found |= {row["id"]: row for row in await reader.all(sql.ways_for_everybody, limit=MAX_OFFERED)}
    return [*found.values()]


def _way_json(call: Call, row: Row) -> dict[str, Any] | None:
    found = kind_named(call.host, row["kind"])
    if found is None:
        return None
    kind, shown = found[1], {"id": row["id"], "kind": row["kind"], "label": row["label"]}
    if "start" in kind.addresses:
        shown["start"] = call.host.settings.base_url + kind.addresses["start"].format(id=row["id"])
    return {**shown, "takes_password": kind.authenticate is not None}


async def sign_out(call: Call) -> Reply:
    """Ends the session, and says where the browser ends the one on the other side."""
    session_id = call.principal.credential.id
    async with call.read() as reader:
        row = await reader.one(sql.session, session_id=session_id, user_id=call.principal.user_id)
        way = None if row is None else await find_way(reader, row["way_id"])
        opened = None if way is None else await with_secrets(reader, call.host, way)
    async with call.write() as writer:
        await call.service(Credentials).end_session(writer, session_id)
        writer.audit("session.ended", ("session", session_id))
    url = None
    found = None if opened is None else kind_named(call.host, opened.kind)
    if row is not None and opened is not None and found is not None and found[1].end is not None:
        hint = None if row["hint"] is None else call.service(Vault).unseal(HINT, row["hint"])
        try:
            url = await found[1].end(call.host.host_of(found[0]), opened, hint or "")
        except Problem:  # the other side is down: here it is over all the same
            url = None
    return Reply({"url": url})


def _company(call: Call) -> Scope:
    return Scope(call.principal.org_id)


def _everybody(call: Call) -> Scope:
    return Scope(None)


async def _list(call: Call, scope: Scope) -> Reply:
    after, limit = page_bounds(call.query)
    async with call.read() as reader:
        found = await managing.ways_of(reader, scope, after, limit)
    ways, cursor = cut_page(found, limit, lambda way: way.id)
    to_set_up = [
        {
            "name": name,
            "fields": kind.fields,
            "required": [*kind.required],
            "secrets": [*kind.secrets],
            "takes_password": kind.authenticate is not None,
        }
        for name, (_, kind) in kinds(call.host).items()
        if kind.fields is not None
    ]
    return page([way.public(call.host) for way in ways], cursor, kinds=to_set_up)


async def _check_step_up(call: Call) -> None:
    """Refuses a session that may be stolen; a token is what somebody gave out for such things."""
    if call.principal.credential.kind != "session":
        return
    async with call.read() as reader:
        await check_step_up(call, reader)


async def _create(call: Call, scope: Scope, path: str) -> Reply:
    await _check_step_up(call)
    way = await managing.create(call, scope)
    return created(way.public(call.host), f"{path}/{way.id}")


async def _read(call: Call, scope: Scope) -> Reply:
    async with call.read() as reader:
        way = await managing.way_of(reader, scope, call.params["id"])
    return Reply(way.public(call.host))


async def _change(call: Call, scope: Scope) -> Reply:
    async with call.read() as reader:
        await managing.way_of(reader, scope, call.params["id"])
    await _check_step_up(call)
    return Reply((await managing.change(call, scope, call.params["id"])).public(call.host))


async def _delete(call: Call, scope: Scope) -> Reply:
    async with call.read() as reader:
        await managing.way_of(reader, scope, call.params["id"])
    await _check_step_up(call)
    await managing.delete(call, scope, call.params["id"])
    return no_content()


async def _test(call: Call, scope: Scope) -> Reply:
    """Tries a way without a person, and shows each step: the first that fails is what to mend."""
    async with call.read() as reader:
        way = await managing.way_of(reader, scope, call.params["id"])
        opened = await with_secrets(reader, call.host, way)
        waiting = await domains.steps_of(reader, way)
    found = kind_named(call.host, way.kind)
    if found is None:
        raise NotFound("The plugin of this way is not there any more.")
    owner, kind = found
    steps: list[SignInStep] = []
    if kind.test is not None:
        try:
            steps += await kind.test(call.host.host_of(owner), opened)
        except Problem as problem:
            steps.append(SignInStep("connect", False, problem.detail))
    steps += waiting
    shown = [{"name": step.name, "ok": step.ok, "detail": step.detail[:2000]} for step in steps]
    return Reply({"ok": all(step.ok for step in steps), "steps": shown})


async def _preview(call: Call, scope: Scope) -> Reply:
    """Says what would happen to somebody of whom the other side says this; nothing happens."""
    claims = call.body["claims"]
    async with call.read() as reader:
        way = await managing.way_of(reader, scope, call.params["id"])
        # Who is known there by this subject is taken for them, as at a sign-in.
        subject = claims.get("sub") if isinstance(claims.get("sub"), str) else None
        decision = await decide(reader, call.host, way, claims, subject)
    return Reply(_decision_json(decision, Person.of(claims)))


def _decision_json(decision: Decision, person: Person) -> dict[str, Any]:
    user, code = decision.user, decision.code
    return {
        "outcome": decision.outcome,
        "code": code,
        "because": None if code is None else REFUSALS[code],
        "user": None if user is None else user.public(),
        "username": person.username if user is None else user.username,
        "email": person.email,
        "teams": [
            {"team": one.team.public(), "role": one.role, "rule": one.rule} for one in decision.memberships
        ],
    }


async def list_company_ways(call: Call) -> Reply:
    return await _list(call, _company(call))


async def create_company_way(call: Call) -> Reply:
    return await _create(call, _company(call), "/api/org/sign-in")


async def get_company_way(call: Call) -> Reply:
    return await _read(call, _company(call))


async def change_company_way(call: Call) -> Reply:
    return await _change(call, _company(call))


async def delete_company_way(call: Call) -> Reply:
    return await _delete(call, _company(call))


async def test_company_way(call: Call) -> Reply:
    return await _test(call, _company(call))


async def preview_company_way(call: Call) -> Reply:
    return await _preview(call, _company(call))


async def list_instance_ways(call: Call) -> Reply:
    return await _list(call, _everybody(call))


async def create_instance_way(call: Call) -> Reply:
    return await _create(call, _everybody(call), "/api/admin/sign-in")


async def get_instance_way(call: Call) -> Reply:
    return await _read(call, _everybody(call))


async def change_instance_way(call: Call) -> Reply:
    return await _change(call, _everybody(call))


async def delete_instance_way(call: Call) -> Reply:
    return await _delete(call, _everybody(call))


async def test_instance_way(call: Call) -> Reply:
    return await _test(call, _everybody(call))


async def preview_instance_way(call: Call) -> Reply:
    return await _preview(call, _everybody(call))
