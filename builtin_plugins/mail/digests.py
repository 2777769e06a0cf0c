"""Notifications by mail: at once, or with others in a letter a day; what was read meanwhile is left out."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from builtin_plugins.mail.mailbox import LetterLine, NoticesLetter, sql
from builtin_plugins.mail.settings import MAIL_URL
from guildhall_sdk import Host, Row, Writer
from guildhall_sdk.services.notifications import Mailer, NotificationChannel, Notified

_log = logging.getLogger("guildhall.mail")
_DAY_MS, _HOUR_MS = 24 * 3600 * 1000, 3600 * 1000
#: The hour, in UTC, at which daily letters are sent.
DAILY_AT = 7
MAX_LINES = 50
_AT_ONCE = 20


async def write_down(host: Host, writer: Writer, notified: Sequence[Notified]) -> None:
    """Writes letters for who wants them at once, and lines of the next daily one for the others."""
    if host.setting(MAIL_URL) is None:
        return
    wanted = [one for one in notified if one.mail != "never"]
    if not wanted:
        return
    people = json.dumps([one.user_id for one in wanted])
    addresses = {row["user_id"]: row for row in await writer.all(sql.addresses, people=people)}
    for one in wanted:
        if (row := addresses.get(one.user_id)) is None:
            continue
        if one.mail == "at_once":
            await host.service(Mailer).send(writer, _letter_of(one, row))
        else:
            await writer.run(
                sql.add_line,
                notification_id=one.id,
                org_id=one.org_id,
                user_id=one.user_id,
                line=json.dumps(asdict(_line_of(one)), ensure_ascii=False),
                due_at=next_daily(one.at),
            )


def next_daily(now_ms: int) -> int:
    """Returns when the next daily letter goes out."""
    today = now_ms - now_ms % _DAY_MS + DAILY_AT * _HOUR_MS
    return today if today > now_ms else today + _DAY_MS


def _line_of(one: Notified) -> LetterLine:
    notice = one.notice
    return LetterLine(text=notice.kind.text, params=dict(notice.params), link=notice.link)


def _letter_of(one: Notified, row: Row) -> NoticesLetter:
    return NoticesLetter(
        name=one.notice.kind.name,
        words="mail.notice",
        to=row["address"],
        locale=row["locale"],
        org_id=one.org_id,
        user_id=one.user_id,
        lines=[_line_of(one)],
        link="/inbox",
        stops=one.notice.kind.name,
    )


class Digests:
    """Makes the daily letters."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def make_due(self) -> None:
        """Makes a letter for each person whose lines are due; each is a transaction of its own."""
        while True:
            now = self._host.clock.now_ms()
            async with self._host.data.read() as reader:
                people = await reader.all(sql.digests_due, now=now, limit=_AT_ONCE)
            made = [await self._try_to_make(row["org_id"], row["user_id"], now) for row in people]
            if len(people) < _AT_ONCE or not any(made):
                return

    async def _try_to_make(self, org_id: str, user_id: str, now: int) -> bool:
        """Makes a letter; one that cannot be made keeps nobody else waiting."""
        try:
            await self._make(org_id, user_id, now)
        except Exception:
            _log.exception("mail.digest_not_made", extra={"fields": {"user": user_id}})
            return False
        return True

    async def _make(self, org_id: str, user_id: str, now: int) -> None:
        async with self._host.data.write() as writer:
            taken = await writer.all(sql.take_lines, user_id=user_id, now=now)
            unread = {row["id"] for row in await writer.all(sql.unread_of, user_id=user_id)}
            rows = sorted((row for row in taken if row["notification_id"] in unread), key=_age)
            found = await writer.all(sql.addresses, people=json.dumps([user_id]))
            if not rows or not found:
                return
            letter = NoticesLetter(
                name="mail.daily",
                words="mail.daily",
                to=found[0]["address"],
                locale=found[0]["locale"],
                org_id=org_id,
                user_id=user_id,
                params={"count": len(rows)},
                lines=[LetterLine(**json.loads(row["line"])) for row in rows[-MAX_LINES:]],
                link="/inbox",
                stops="*",
            )
            await self._host.service(Mailer).send(writer, letter)


def _age(row: Mapping[str, str]) -> str:
    return row["notification_id"]


CHANNEL = NotificationChannel(name="mail", deliver=write_down)
