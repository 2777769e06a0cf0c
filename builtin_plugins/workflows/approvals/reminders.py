"""Reminders of what waits for a decision: after a day, and once more before its time is over."""

import asyncio
import logging

from builtin_plugins.workflows.runs.notices import REMINDED, Question, tell_of_question
from builtin_plugins.workflows.runs.statements import approval_sql
from guildhall_sdk import Host, Row, Unavailable

_POLL_SECONDS = 30.0
_AT_ONCE = 50
_HOUR_MS = 3600 * 1000
_DAY_MS = 24 * _HOUR_MS
_log = logging.getLogger("guildhall.workflows")


def next_reminder(requested_at: int, expires_at: int | None, after: int) -> int | None:
    """Returns when people are reminded next: a day after they were asked, and with a quarter of it left.

    The second is never more than a day before the end. What has less than an hour in all has no reminder.
    """
    times = {requested_at + _DAY_MS}
    if expires_at is not None:
        whole = expires_at - requested_at
        times = {at for at in times if at < expires_at}
        if whole >= _HOUR_MS:
            times.add(expires_at - min(_DAY_MS, whole // 4))
    return min((at for at in times if at > after), default=None)


class Reminders:
    """Reminds those who are asked, from any process: of several one counts."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def run(self) -> None:
        """Reminds until it is cancelled."""
        while True:
            try:
                await self.send_due()
            except Unavailable as trouble:
                _log.warning("reminders.put_off", extra={"fields": {"reason": trouble.detail}})
            await asyncio.sleep(_POLL_SECONDS)

    async def send_due(self) -> int:
        """Reminds of all that is due; returns of how many."""
        sent, now = 0, self._host.clock.now_ms()
        async with self._host.data.read() as reader:
            first = await reader.value(approval_sql.first_reminder)
        while first is not None and first <= now:
            async with self._host.data.read() as reader:
                rows = await reader.all(approval_sql.to_remind, now=now, limit=_AT_ONCE)
            for row in rows:
                sent += await self._send(row, now)
            if len(rows) < _AT_ONCE:
                break
        return sent

    async def _send(self, row: Row, now: int) -> bool:
        place = {"id": row["id"], "team_id": row["team_id"]}
        following = next_reminder(row["requested_at"], row["expires_at"], now)
        async with self._host.data.write() as writer:
            counted = await writer.all(
                approval_sql.note_reminder, **place, due=row["remind_at"], next=following
            )
            if not counted:
                return False
            people = [one["user_id"] for one in await writer.all(approval_sql.still_asked, **place)]
            question = Question(row["id"], row["org_id"], row["team_id"], row["title"], people, row["role"])
            await tell_of_question(self._host, writer, question, kind=REMINDED, key=f" {row['remind_at']}")
        return True
