"""Who was given what on a conversation, by whom and until when."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from builtin_plugins.conversations.conversation import RIGHTS, Conversation
from guildhall_sdk import (
    Conflict,
    InvalidRequest,
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

sql = load_queries(Path(__file__).with_name("sharing.sql"))

MAX_GRANTS = 1000


class Holder(NamedTuple):
    """To whom; `pointer` is where the body named them."""

    type: Literal["user", "team"]
    id: str
    pointer: str


def holder_in(body: Mapping[str, Any]) -> Holder:
    """Reads `{principal_type, principal_id}`, or `{user_id}`; never both."""
    if "user_id" in body:
        for name in ("principal_type", "principal_id"):
            if name in body:
                raise InvalidRequest.at(f"/{name}", "must not stand beside user_id")
        return Holder("user", body["user_id"], "/user_id")
    for name in ("principal_type", "principal_id"):
        if name not in body:
            raise InvalidRequest.at(f"/{name}", "is required")
    return Holder(body["principal_type"], body["principal_id"], "/principal_id")


def capability_in(body: Mapping[str, Any]) -> str:
    """Reads the capability; `{user_id}` alone means view."""
    if "capability" not in body:
        if "user_id" in body:
            return "view"
        raise InvalidRequest.at("/capability", "is required: view or edit")
    return str(body["capability"])


async def share(
    writer: Writer, caller: Principal, conversation: Conversation, body: Mapping[str, Any], now_ms: int
) -> None:
    """Grants a right on a conversation that is held; a second time changes it."""
    holder, capability, ends = holder_in(body), capability_in(body), time_in(body, "expires_at")
    if ends is not None and ends <= now_ms:
        raise InvalidRequest.at("/expires_at", "must be in the future")
    if holder.type == "user" and holder.id == conversation.owner_id:
        raise InvalidRequest.at(holder.pointer, "owns this conversation already")
    wanted = sql.colleague if holder.type == "user" else sql.team
    if await writer.one(wanted, principal_id=holder.id, org_id=conversation.org_id) is None:
        who = "is nobody" if holder.type == "user" else "is no team"
        raise InvalidRequest.at(holder.pointer, f"{who} in your company")
    here = {"id": conversation.id, "org_id": conversation.org_id}
    if await writer.value(sql.many_grants, **here) >= MAX_GRANTS:
        raise Conflict(f"A conversation is shared with at most {MAX_GRANTS}; share it with a team instead.")
    await writer.run(
        sql.put_grant,
        **here,
        principal_type=holder.type,
        principal_id=holder.id,
        capability=capability,
        granted_by=caller.user_id,
        expires_at=ends,
        now=now_ms,
    )
    detail = {
        "principal_type": holder.type,
        "principal_id": holder.id,
        "capability": capability,
        "expires_at": rfc3339_or_none(ends),
    }
    writer.audit("conversation.shared", ("conversation", conversation.id), detail=detail)


async def unshare(writer: Writer, conversation: Conversation, body: Mapping[str, Any]) -> None:
    """Ends a grant, if there is one."""
    holder = holder_in(body)
    gone = await writer.one(
        sql.delete_grant,
        id=conversation.id,
        org_id=conversation.org_id,
        principal_type=holder.type,
        principal_id=holder.id,
    )
    if gone is not None:
        detail = {"principal_type": holder.type, "principal_id": holder.id}
        writer.audit("conversation.unshared", ("conversation", conversation.id), detail=detail)


async def page_of_grants(
    reader: Reader,
    conversation: Conversation,
    now_ms: int,
    after: str | None = None,
    fetched: int = MAX_GRANTS + 1,
) -> Reply:
    """Returns the grants in the order they were given: all, or the page after `after`."""
    after_time, _, after_id = (after or "0.").partition(".")
    if not (after_time.isascii() and after_time.isdigit() and len(after_time) < 16):
        raise InvalidRequest.at("?cursor", "is not a cursor that this list gave; start without one")
    rows = await reader.all(
        sql.grants,
        id=conversation.id,
        org_id=conversation.org_id,
        after_time=int(after_time),
        after_id=after_id,
        limit=fetched,
    )
    given, next_cursor = cut_page(rows, fetched, lambda row: f"{row['granted_at']}.{row['principal_id']}")
    return page([_entry(row, now_ms) for row in given], next_cursor)


def _entry(row: Mapping[str, Any], now_ms: int) -> dict[str, Any]:
    ends = row["expires_at"]
    return {
        "principal_type": row["principal_type"],
        "principal_id": row["principal_id"],
        "name": row["name"],
        "capability": row["capability"],
        "permissions": list(RIGHTS[row["capability"]]),
        "granted_by": row["granted_by"],
        "granted_by_name": row["granted_by_name"],
        "granted_at": rfc3339(row["granted_at"]),
        "expires_at": rfc3339_or_none(ends),
        "expired": ends is not None and ends <= now_ms,
    }
