"""Who was given what on a conversation, by whom and until when."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
from guildhall_sdk.principal import TEAM_ROLES
from guildhall_sdk.services.notifications import Notice, NotificationKind
from libs.grants import Holder, cursor_of, holder_in, listed, position_in

sql = load_queries(Path(__file__).with_name("sharing.sql"))

MAX_GRANTS = 1000
SHARED = NotificationKind(
    name="conversations.shared",
    title="conversations.notice_shared",
    text="conversations.notice_shared_text",
)


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
    holder, capability = holder_in(body, InvalidRequest.at), capability_in(body)
    ends = time_in(body, "expires_at")
    if ends is not None and ends <= now_ms:
        raise InvalidRequest.at("/expires_at", "must be in the future")
    wanted = sql.colleague if holder.type == "user" else sql.team
    found = await writer.one(wanted, principal_id=holder.id, org_id=conversation.org_id)
    fault = holder.fault(owner_id=conversation.owner_id, is_known=found is not None, thing="conversation")
    if fault is not None:
        raise InvalidRequest.at(holder.pointer, fault)
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


def share_notice(caller: Principal, conversation: Conversation, holder: Holder) -> Notice:
    """Returns what is said to whom a conversation is shared with: a person, or all of a team."""
    is_person = holder.type == "user"
    return Notice(
        kind=SHARED,
        org_id=conversation.org_id,
        team_id=conversation.team_id if is_person else holder.id,
        people=[holder.id] if is_person else (),
        roles=() if is_person else TEAM_ROLES,
        by=caller.user_id,
        params={"by": caller.display_name, "title": conversation.title},
        link=f"/chat/{conversation.id}",
    )


async def unshare(writer: Writer, conversation: Conversation, body: Mapping[str, Any]) -> None:
    """Ends a grant, if there is one."""
    holder = holder_in(body, InvalidRequest.at)
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
    after_time, after_id = position_in(after, InvalidRequest.at)
    rows = await reader.all(
        sql.grants,
        id=conversation.id,
        org_id=conversation.org_id,
        after_time=after_time,
        after_id=after_id,
        limit=fetched,
    )
    given, next_cursor = cut_page(rows, fetched, cursor_of)
    return page([listed(row, RIGHTS[row["capability"]], now_ms, rfc3339) for row in given], next_cursor)
