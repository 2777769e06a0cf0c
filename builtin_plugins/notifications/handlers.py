"""HTTP in and out."""

import json
import re

from builtin_plugins.notifications.inbox import InboxStream, count_unread, public, whose
from builtin_plugins.notifications.service import (
    PREFIX,
    InboxFollowers,
    kinds_by_name,
    settings_of,
    sql,
    tell_of_change,
)
from guildhall_sdk import Call, InvalidRequest, Reply, cut_page, page, page_bounds
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.replies import event_stream
from guildhall_sdk.services.localization import Localization
from guildhall_sdk.services.notifications import NotificationKind

_ID = re.compile(rf"{PREFIX}_[0-9a-z]{{26}}")
# Behind every id.
_NEWEST = f"{PREFIX}_~"


async def list_notifications(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    statement = sql.unread_page if call.query["unread"] == "1" else sql.page
    async with call.read() as reader:
        rows = await reader.all(statement, **whose(call.principal), before=before or _NEWEST, limit=fetched)
        unread = await count_unread(reader, call.principal)
    visible, cursor = cut_page(rows, fetched, lambda row: str(row["id"]))
    return page(await public(call.host, call.principal.locale, visible), cursor, unread=unread)


async def read_notifications(call: Call) -> Reply:
    """Marks them; what is not there, or somebody else's, is passed over."""
    who, ids = call.principal, call.body.get("ids")
    if (ids is None) == (not call.body.get("all", False)):
        raise InvalidRequest.at("/ids", "give one of ids and all: true")
    async with call.write() as writer:
        if ids is None:
            await writer.run(sql.read_all, **whose(who), now=call.now_ms)
        else:
            await writer.run(sql.read_some, **whose(who), ids=json.dumps(ids), now=call.now_ms)
        unread = await count_unread(writer, who)
        writer.after_commit(lambda: tell_of_change(call.host, [who.user_id]))
    return Reply({"unread": unread})


async def follow_notifications(call: Call) -> Reply:
    who, seen = call.principal, call.headers.get("last-event-id", "").strip() or None
    if seen is not None and not _ID.fullmatch(seen):
        raise InvalidRequest(
            "Last-Event-ID is not the id of a notification; leave it out to hear of new ones alone."
        )
    stream = InboxStream(call.host, who, seen)
    call.service(InboxFollowers).admit(stream, credential=who.credential.id, company=who.org_id)
    return event_stream(stream.events())


async def list_kinds(call: Call) -> Reply:
    messages = await call.service(Localization).messages(call.principal.locale)
    items = [
        {
            "name": kind.name,
            "plugin": plugin_id,
            "title": messages.get(kind.title, kind.title),
            "mail": kind.mail,
            "push": kind.push,
        }
        for plugin_id, kind in call.service(Plugins).owned(NotificationKind)
    ]
    return page(items, None)


async def get_settings(call: Call) -> Reply:
    who = call.principal
    async with call.read() as reader:
        return Reply(await settings_of(reader, call.service(Plugins), who.org_id, who.user_id))


async def put_settings(call: Call) -> Reply:
    who, plugins = call.principal, call.service(Plugins)
    known = kinds_by_name(plugins)
    for name in call.body:
        if name not in known:
            raise InvalidRequest.at(
                f"/{name.replace('~', '~0').replace('/', '~1')}",
                "is no kind of notification; GET /api/notification-kinds lists them",
            )
    async with call.write() as writer:
        await writer.serialize(f"notification-settings:{who.user_id}")
        before = await settings_of(writer, plugins, who.org_id, who.user_id)
        for name, choice in call.body.items():
            chosen = {**before[name], **choice}
            await writer.run(
                sql.choose,
                org_id=who.org_id,
                user_id=who.user_id,
                kind=name,
                mail=chosen["mail"],
                push=int(chosen["push"]),
            )
        return Reply(await settings_of(writer, plugins, who.org_id, who.user_id))


HANDLERS = {
    handler.__name__: handler
    for handler in (
        *(list_notifications, read_notifications, follow_notifications),
        *(list_kinds, get_settings, put_settings),
    )
}
