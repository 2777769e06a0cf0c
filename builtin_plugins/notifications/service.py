"""Who is told what: written in the transaction of what happened, and handed to the other channels."""

import json
import logging
import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from guildhall_sdk import Host, Reader, Row, Writer, load_queries, new_id
from guildhall_sdk.ids import first_id
from guildhall_sdk.plugin import PluginData, Plugins, RemovedPlugin
from guildhall_sdk.retention import Retained, days_setting
from guildhall_sdk.services.notifications import (
    Notice,
    NotificationChannel,
    NotificationKind,
    Notified,
)
from guildhall_sdk.services.pages import LiveLists
from libs.change_watch import Followers

PREFIX = "ntf"
LIST = "/api/notifications"
#: A person has so many in their inbox; the oldest go.
MAX_OF_PERSON = 500
MAX_PARAM = 200
_PEOPLE_PER_TURN = 32

sql = load_queries(Path(__file__).with_name("queries.sql"))
_log = logging.getLogger("guildhall.notifications")
# So many people are told by one notice; those behind them by id are not.
_MAX_TOLD = 500

KEEP_DAYS = days_setting(
    "keep_days", what="notifications", default=90, variable="SERVICE_KEEP_NOTIFICATIONS_DAYS"
)


class InboxFollowers(Followers):
    """Woken when one of those whom they follow is told something, or has read it."""


class StoredNotifications:
    """Implements the SDK's `Notifications`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def notify(self, writer: Writer, notice: Notice) -> None:
        told = await writer.all(
            sql.told,
            people=json.dumps([*notice.people]),
            roles=json.dumps([*notice.roles]),
            org_id=notice.org_id,
            team_id=notice.team_id,
            kind=notice.kind.name,
            by=notice.by or "",
            limit=_MAX_TOLD,
        )
        if not told:
            return
        now = self._host.clock.now_ms()
        # A session that follows its inbox goes by ids; of those who are told at once each is its own list.
        made = [
            {"id": new_id(PREFIX, now), "user_id": row["user_id"], "team_id": row["team_id"]} for row in told
        ]
        inserted = await writer.all(
            sql.insert,
            made=json.dumps(made),
            org_id=notice.org_id,
            kind=notice.kind.name,
            params=_params_of(notice),
            link=notice.link,
            once=notice.key,
            now=now,
        )
        if not inserted:
            return
        people = [row["user_id"] for row in inserted]
        # Of many, a few at a time: each has their turn before their inbox is much longer.
        for user_id in random.sample(people, -(-len(people) // _PEOPLE_PER_TURN)):
            await writer.run(sql.drop_oldest, user_id=user_id, most=MAX_OF_PERSON)
        writer.after_commit(partial(tell_of_change, self._host, people))
        chosen = {row["user_id"]: row for row in told}
        await self._hand_on(writer, [_notified(notice, row, chosen[row["user_id"]], now) for row in inserted])

    async def stop_mail(self, writer: Writer, org_id: str, user_id: str, kind: str) -> None:
        plugins = self._host.service(Plugins)
        before = await settings_of(writer, plugins, org_id, user_id)
        for name in before if kind == "*" else [kind] if kind in before else []:
            binds = {"org_id": org_id, "user_id": user_id, "kind": name}
            await writer.run(sql.choose, **binds, mail="never", push=int(before[name]["push"]))

    async def _hand_on(self, writer: Writer, notified: Sequence[Notified]) -> None:
        for plugin_id, channel in self._host.service(Plugins).owned(NotificationChannel):
            try:
                async with writer.savepoint():
                    await channel.deliver(self._host.host_of(plugin_id), writer, notified)
            except Exception:
                fields = {"channel": channel.name, "plugin": plugin_id}
                _log.exception("notification.not_handed_on", extra={"fields": fields})


def tell_of_change(host: Host, people: Sequence[str]) -> None:
    """Tells whoever looks at the inboxes of these people that something has changed."""
    host.service(InboxFollowers).notify(people)
    host.service(LiveLists).changed(LIST, *people)


def _params_of(notice: Notice) -> str:
    return json.dumps(
        {
            name: value if isinstance(value, int) else value[:MAX_PARAM]
            for name, value in notice.params.items()
        },
        ensure_ascii=False,
    )


def _notified(notice: Notice, row: Row, chosen: Row, now: int) -> Notified:
    kind = notice.kind
    return Notified(
        id=row["id"],
        org_id=notice.org_id,
        user_id=row["user_id"],
        notice=notice,
        at=now,
        mail=kind.mail if chosen["mail"] is None else chosen["mail"],
        push=kind.push if chosen["push"] is None else bool(chosen["push"]),
    )


def kinds_by_name(plugins: Plugins) -> Mapping[str, NotificationKind]:
    return {kind.name: kind for kind in plugins.declared(NotificationKind)}


async def settings_of(reader: Reader, plugins: Plugins, org_id: str, user_id: str) -> dict[str, Any]:
    """Returns what holds for a person, by kind."""
    rows = await reader.all(sql.settings_of, user_id=user_id, org_id=org_id)
    chosen = {row["kind"]: {"mail": row["mail"], "push": bool(row["push"])} for row in rows}
    return {
        kind.name: chosen.get(kind.name, {"mail": kind.mail, "push": kind.push})
        for kind in plugins.declared(NotificationKind)
    }


async def _count_old(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count_old, before=first_id(PREFIX, before)))


async def _delete_old(writer: Writer, before: int, limit: int) -> int:
    return len(await writer.all(sql.delete_old, before=first_id(PREFIX, before), limit=limit))


OLD_NOTIFICATIONS = Retained(
    name="notifications",
    title="notifications",
    keep_days=KEEP_DAYS,
    count=_count_old,
    delete_expired=_delete_old,
)


async def _count(reader: Reader, removed: RemovedPlugin) -> int:
    kinds = removed.names(NotificationKind)
    return sum([int(await reader.value(sql.count_of_kind, kind=kind)) for kind in kinds])


async def _remove(writer: Writer, removed: RemovedPlugin) -> None:
    for kind in removed.names(NotificationKind):
        await writer.run(sql.drop_of_kind, kind=kind)
        await writer.run(sql.drop_choices, kind=kind)


#: What people were told by a plugin that is gone, and what they chose for it.
PLUGIN_DATA = (PluginData(name="notifications", count=_count, remove=_remove),)
