"""Who was given what on an object, by whom and until when."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from builtin_plugins.repo import finding
from builtin_plugins.repo.finding import sql as objects
from builtin_plugins.repo.object_row import CAPABILITIES, MANAGE, READ, LiveGrant, Record
from guildhall_sdk import (
    InvalidRequest,
    PermissionDenied,
    Principal,
    Reader,
    Reply,
    Writer,
    cut_page,
    load_queries,
    page,
    rfc3339,
    rfc3339_or_none,
)
from guildhall_sdk.ids import time_in
from guildhall_sdk.principal import TEAM_ROLES
from guildhall_sdk.services.notifications import Notice, NotificationKind
from libs.grants import Holder, cursor_of, listed, position_in

sql = load_queries(Path(__file__).with_name("grants.sql"))

MAX_GRANTS = 1000
MAX_TARGETS = 1000
SHARED = NotificationKind(name="repo.shared", title="repo.notice_shared", text="repo.notice_shared_text")


def capability_in(body: Mapping[str, Any]) -> str:
    """Reads the capability; `{user_id}` alone means view."""
    if "user_id" in body:
        if "capability" in body:
            raise InvalidRequest.at("/capability", "must not stand beside user_id, which means view")
        return "view"
    if "capability" not in body:
        raise InvalidRequest.at("/capability", "is required")
    return str(body["capability"])


def end_in(body: Mapping[str, Any], now_ms: int) -> int | None:
    at = time_in(body, "expires_at")
    if at is None:
        return None
    if at <= now_ms:
        raise InvalidRequest.at("/expires_at", "must be in the future")
    return at


async def share(
    writer: Writer,
    caller: Principal,
    record: Record,
    holder: Holder,
    capability: str,
    *,
    expires_at: int | None,
    now_ms: int,
) -> None:
    """Grants a right on an object that is held; nobody gives more than they hold, but for viewing.

    What somebody gives who manages it by a grant is under that grant: it ends with it, at the latest.
    """
    under = record.managed_under(caller)
    if under is not None:
        expires_at = _within(under, expires_at)
    rights = record.rights_of(caller)
    missing = sorted(CAPABILITIES[capability] - rights - {READ})
    if missing:
        raise PermissionDenied(missing[0], f"Only who holds {missing[0]} on this object can give it.")
    await _check_holder(writer, record, holder)
    await writer.run(
        sql.put_grant,
        id=record.id,
        principal_type=holder.type,
        principal_id=holder.id,
        org_id=record.org_id,
        team_id=record.team_id,
        key=record.key,
        capability=capability,
        granted_by=caller.user_id,
        under=None if under is None else under.principal_id,
        expires_at=expires_at,
        now=now_ms,
    )
    await _bring_into_line(writer, record, holder, capability, expires_at)
    visibility = "shared" if record.visibility == "private" else record.visibility
    await writer.run(
        objects.set_visibility, id=record.id, org_id=record.org_id, visibility=visibility, now=now_ms
    )
    detail = {
        "principal_type": holder.type,
        "principal_id": holder.id,
        "capability": capability,
        "expires_at": rfc3339_or_none(expires_at),
    }
    writer.audit("object.shared", ("object", record.id), detail=detail)


def share_notice(caller: Principal, record: Record, holder: Holder) -> Notice:
    """Returns what is said to whom an object is shared with: a person, or all of a team."""
    is_person = holder.type == "user"
    return Notice(
        kind=SHARED,
        org_id=record.org_id,
        team_id=record.team_id if is_person else holder.id,
        people=[holder.id] if is_person else (),
        roles=() if is_person else TEAM_ROLES,
        by=caller.user_id,
        params={"by": caller.display_name, "key": record.key},
        link=f"/files/{record.id}",
    )


def _within(under: LiveGrant, wanted: int | None) -> int | None:
    """Returns when a grant ends: cut to the giver's own end, or refused if the wish is beyond that."""
    if wanted is None or under.expires_at is None:
        return under.expires_at if wanted is None else wanted
    if wanted > under.expires_at:
        raise PermissionDenied(
            MANAGE, f"Your own grant ends at {rfc3339(under.expires_at)}; what you give cannot outlive it."
        )
    return wanted


async def _bring_into_line(
    writer: Writer, record: Record, holder: Holder, capability: str, expires_at: int | None
) -> None:
    """Ends what the holder gave under an earlier grant with this one, and at once without manage."""
    if MANAGE not in CAPABILITIES[capability]:
        await writer.run(sql.delete_under, id=record.id, org_id=record.org_id, principal_id=holder.id)
    elif expires_at is not None:
        await writer.run(
            sql.cut_under,
            id=record.id,
            org_id=record.org_id,
            principal_id=holder.id,
            expires_at=expires_at,
        )


async def unshare(writer: Writer, record: Record, holder: Holder, now_ms: int) -> None:
    """Ends a grant, if there is one, and what the holder gave under it."""
    gone = await writer.one(
        sql.delete_grant,
        id=record.id,
        principal_type=holder.type,
        principal_id=holder.id,
        org_id=record.org_id,
    )
    if gone is None:
        return
    await writer.run(sql.delete_under, id=record.id, org_id=record.org_id, principal_id=holder.id)
    await writer.run(objects.touch, id=record.id, org_id=record.org_id, now=now_ms)
    detail = {"principal_type": holder.type, "principal_id": holder.id}
    writer.audit("object.unshared", ("object", record.id), detail=detail)


async def drop_all(writer: Writer, record: Record) -> None:
    """Takes back whatever was given on an object, without a word to the trail: there is nothing to see."""
    await writer.run(sql.drop_all, id=record.id, org_id=record.org_id)


async def inherit(writer: Writer, source: Record, object_id: str, team_id: str, key: str) -> None:
    """Gives what is made from an object to the same people."""
    await writer.run(
        sql.inherit, id=object_id, team_id=team_id, key=key, source_id=source.id, org_id=source.org_id
    )


async def narrow(writer: Writer, source: Record, object_id: str, now_ms: int) -> None:
    """Takes back what is given on something made from an object to those who do not see that any more."""
    of_both = {"id": object_id, "source_id": source.id, "org_id": source.org_id, "now": now_ms}
    to_team = int(source.visibility == "team")
    for gone in await writer.all(sql.drop_beyond, **of_both, to_team=to_team, team_id=source.team_id):
        writer.audit("object.unshared", ("object", object_id), detail=dict(gone))
    if not to_team:
        await writer.run(sql.cut_beyond, **of_both)


async def page_of_grants(
    reader: Reader, record: Record, now_ms: int, after: str | None = None, fetched: int = MAX_GRANTS + 1
) -> Reply:
    """Returns the grants on an object in the order they were given: all, or the page after `after`."""
    after_time, after_id = position_in(after, InvalidRequest.at)
    rows = await reader.all(
        sql.grants_of,
        id=record.id,
        org_id=record.org_id,
        after_time=after_time,
        after_id=after_id,
        limit=fetched,
    )
    given, next_cursor = cut_page(rows, fetched, cursor_of)
    shown = [listed(row, sorted(CAPABILITIES[row["capability"]]), now_ms, rfc3339) for row in given]
    return page(shown, next_cursor)


async def targets(reader: Reader, caller: Principal) -> dict[str, Any]:
    """Returns the people of the caller's team and the teams of the company."""
    org_id = caller.org_id
    people = await reader.all(sql.people, team_id=caller.team_id, org_id=org_id, limit=MAX_TARGETS)
    teams = await reader.all(sql.teams, org_id=org_id, limit=MAX_TARGETS)
    return {"users": [dict(row) for row in people], "teams": [dict(row) for row in teams]}


async def hold_managed(writer: Writer, caller: Principal, object_id: str, now_ms: int) -> Record:
    """Returns the object, for a caller who decides who sees it."""
    record = await finding.hold_object(writer, caller, object_id, now_ms)
    record.require(MANAGE, caller)
    return record


async def _check_holder(reader: Reader, record: Record, holder: Holder) -> None:
    wanted = sql.colleague if holder.type == "user" else sql.team
    found = await reader.one(wanted, principal_id=holder.id, org_id=record.org_id)
    fault = holder.fault(owner_id=record.owner_id, is_known=found is not None, thing="object")
    if fault is not None:
        raise InvalidRequest.at(holder.pointer, fault)
