"""Groups as a directory changes them: made, given another name, or let go."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from builtin_plugins.scim.answers import invalid_filter, invalid_value, taken_name, unchangeable
from builtin_plugins.scim.attributes import GROUPS as KIND
from builtin_plugins.scim.attributes import MAX_MEMBERS, Document
from builtin_plugins.scim.group_reading import Changes, Group, all_groups, members_of
from builtin_plugins.scim.membership import ORG_ROLES, TEAM_ROLES, actor_in, change_members
from builtin_plugins.scim.patching import Operation, patch, target_of
from builtin_plugins.scim.tokens import sql
from guildhall_sdk import Call, Writer, new_id
from guildhall_sdk.services.tenancy import Directory
from libs.fair_slots import Steps
from libs.names import folded, name_fault

PER_READ = 1000
COMPANY = "company"


def _lock(call: Call) -> str:
    return f"scim-groups:{call.principal.org_id}"


async def create(call: Call, writer: Writer, document: Document) -> str:
    """Creates a group and returns its id.

    `company:org_admin` and `company:org_reader` are roles in the company, `<team>:<role>` one in a team that
    is there; any other name is a new team's, or that of a team which a directory let go before.
    """
    await writer.serialize(_lock(call))
    name = _name_of(document)
    existing = await all_groups(call, writer)
    if any(folded(group.name) == folded(name) for group in existing):
        raise taken_name("displayName")
    team_name, _, role = name.rpartition(":")
    team = next((one for one in existing if one.is_team and folded(one.name) == folded(team_name)), None)
    if folded(team_name) == COMPANY and role in ORG_ROLES:
        group = _new_group(call, document, None, role)
    elif team is not None and role in TEAM_ROLES:
        group = _new_group(call, document, team.id, role)
    else:
        group = await _team_group(call, writer, document)
    await _put(call, writer, group)
    changes = Changes(dict.fromkeys(_ids(document.get("members", ()))), {})
    await change_members(call, writer, group, changes)
    return group.id


def _new_group(call: Call, document: Document, team_id: str | None, role: str) -> Group:
    now = call.now_ms
    return Group(
        id=new_id("sgr", now),
        name=document["displayName"],
        team_id=team_id,
        role=role,
        external_id=document.get("externalId"),
        created_at=now,
        updated_at=now,
    )


async def _team_group(call: Call, writer: Writer, document: Document) -> Group:
    who, name = call.principal, document["displayName"]
    rows = await writer.all(sql.hidden_teams, org_id=who.org_id)
    team_id = next((row["id"] for row in rows if folded(row["name"]) == folded(name)), None)
    if team_id is None:
        team = await call.service(Directory).create_team(writer, who.org_id, name)
        writer.audit("team.created", ("team", team.id), detail={"name": name}, actor=actor_in(call, team.id))
        team_id = team.id
    return Group(
        id=team_id,
        name=name,
        team_id=team_id,
        role=None,
        external_id=document.get("externalId"),
        created_at=call.now_ms,
        updated_at=call.now_ms,
    )


async def _put(call: Call, writer: Writer, group: Group, *, hidden: bool = False) -> None:
    await writer.run(
        sql.put_group,
        id=group.id,
        org_id=call.principal.org_id,
        team_id=group.team_id,
        role=group.role,
        display_name=None if group.is_team else group.name,
        external_id=group.external_id,
        hidden=int(hidden),
        now=call.now_ms,
    )


async def save(call: Call, writer: Writer, group: Group, document: Document, changes: Changes) -> None:
    """Gives a group another name or external id, and changes its members."""
    await writer.serialize(_lock(call))
    name = _name_of(document)
    if name != group.name:
        await _rename(call, writer, group, name)
    await _put(call, writer, group._replace(name=name, external_id=document.get("externalId")))
    await change_members(call, writer, group, changes)


async def _rename(call: Call, writer: Writer, group: Group, name: str) -> None:
    if not group.is_team:
        raise unchangeable("displayName of a role")
    others = [one for one in await all_groups(call, writer) if one.id != group.id]
    if any(folded(one.name) == folded(name) for one in others):
        raise taken_name("displayName")
    org_id = call.principal.org_id
    await call.service(Directory).rename_team(writer, org_id, group.id, name)
    detail = {"from": group.name, "to": name}
    writer.audit("team.renamed", ("team", group.id), detail=detail, actor=actor_in(call, group.id))


async def remove(call: Call, writer: Writer, group: Group) -> None:
    """Lets go of a group: whom a directory put there leaves, and a team stays with what is in it."""
    await writer.serialize(_lock(call))
    rows = await _put_there(call, writer, group)
    await change_members(call, writer, group, Changes({}, dict.fromkeys(rows)))
    if group.is_team:
        await _put(call, writer, group, hidden=True)
    else:
        await writer.run(sql.delete_group, id=group.id, org_id=call.principal.org_id)


async def _put_there(call: Call, writer: Writer, group: Group) -> Iterable[str]:
    as_role = group._replace(role=group.role or "member")
    return [row["user_id"] for row in await members_of(call, writer, as_role)]


def document_of(group: Group) -> Document:
    """Returns what of a group can be written, without its members."""
    given = {} if group.external_id is None else {"externalId": group.external_id}
    return {"displayName": group.name, **given}


def patch_steps(group: Group, operations: Sequence[Operation]) -> Steps[tuple[Document, Changes]]:
    """Returns the document and the changes of members that operations ask for, one in each step."""
    document, changes = document_of(group), Changes({}, {})
    for operation in operations:
        changes = _patched(document, changes, operation)
        if len(changes.add) + len(changes.remove) > MAX_MEMBERS:
            raise invalid_value(f"One PATCH names at most {MAX_MEMBERS} members; send several.")
        yield
    return document, changes


def _patched(document: Document, changes: Changes, operation: Operation) -> Changes:
    if operation.path is None:
        if not isinstance(operation.value, Mapping):
            raise invalid_value("Without a path the value is a JSON object of attributes.")
        for name, value in operation.value.items():
            if name.lower() not in ("schemas", "id", "meta"):
                changes = _patched(document, changes, operation._replace(path=name, value=value))
        return changes
    target = target_of(KIND, operation.path)
    if target is None:
        return changes
    if target.attribute.name != "members":
        patch(KIND, document, operation)
        return changes
    if target.filter is not None:
        wanted = target.filter.equal.get("value")
        if wanted is None or operation.op != "remove":
            raise invalid_filter('Members are named by members[value eq "<id>"], and that to remove them.')
        return _without(changes, [wanted])
    ids = _ids(operation.value if isinstance(operation.value, list) else [operation.value])
    if operation.op == "remove":
        return _without(changes, ids) if ids else Changes({}, {}, all=True)
    if operation.op == "replace":
        return Changes(dict.fromkeys(ids), {}, all=True)
    for one in ids:
        changes.remove.pop(one, None)
        changes.add[one] = None
    return changes


def _without(changes: Changes, ids: Sequence[str]) -> Changes:
    for one in ids:
        changes.add.pop(one, None)
        changes.remove[one] = None
    return changes


def replaced(document: Document) -> Changes:
    """Returns the changes of members that a whole document asks for."""
    return Changes(dict.fromkeys(_ids(document.get("members", ()))), {}, all=True)


def _ids(given: Iterable[Any]) -> list[str]:
    found: list[str] = []
    for one in given:
        value = one.get("value") if isinstance(one, Mapping) else one
        if value is None:
            continue
        if not isinstance(value, str) or not value.isascii() or not value.isprintable() or len(value) > 100:
            raise invalid_value("A member is named by the id of a person: {value: id}.")
        found.append(value)
    return found


def _name_of(document: Document) -> str:
    name = document.get("displayName", "")
    if (fault := name_fault(name)) is not None:
        raise invalid_value(f"displayName {fault}.")
    return str(name)
