"""Messages for browsers: written down with the notification, and sent to the push services in turn."""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from builtin_plugins.web_push.devices import sql
from builtin_plugins.web_push.encryption import MAX_MESSAGE, SenderKey, encrypt
from guildhall_sdk import Host, Row, UserError, Writer
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.localization import Localization
from guildhall_sdk.services.notifications import NotificationChannel, Notified
from guildhall_sdk.services.outbound import OutboundFailed, OutboundHttp, OutboundRequest
from libs.coordination import repeat_when_woken
from libs.icu_messages import format_message

_log = logging.getLogger("guildhall.push")
_NEWS = "pushes"
AT_ONCE = 64
#: Of one company, whose services may all be slow; and in one claim.
_OF_COMPANY = 8
TIMEOUT_SECONDS = 15.0
LEASE_MS = 120_000
_MINUTE_MS = 60_000
#: When a message is tried again, after each attempt; then it stays in the inbox alone.
RETRIES_MS = tuple(minutes * _MINUTE_MS for minutes in (1, 5, 30, 240))
#: A browser that is off is told within a day, or not at all.
_TTL_SECONDS = 24 * 3600
_POLL_SECONDS = 60.0
_MAX_TEXT = 1_000
_GONE = (403, 404, 410)


async def write_down(host: Host, writer: Writer, notified: Sequence[Notified]) -> None:
    """Writes down what is to be sent, for each browser of those who chose to be told there."""
    told = {one.user_id: one.id for one in notified if one.push}
    if not told:
        return
    notice, at = notified[0].notice, notified[0].at
    content = {"text": notice.kind.text, "params": dict(notice.params), "link": notice.link}
    binds = {"org_id": notice.org_id, "told": json.dumps(told), "now": at}
    if await writer.all(sql.write_down, **binds, content=json.dumps(content, ensure_ascii=False)):
        writer.after_commit(partial(host.news(_NEWS).announce, {}))


CHANNEL = NotificationChannel(name="push", deliver=write_down)


class PushSender:
    """The work of one process: it claims messages that are due, and sends them."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._woken = asyncio.Event()

    async def listen(self) -> None:
        """Wakes the sender at each message that was written down, here or in another process."""
        with self._host.news(_NEWS).listen() as announcements:
            async for _ in announcements:
                self._woken.set()

    async def run(self) -> None:
        """Sends what is due, until it is cancelled."""
        await repeat_when_woken(self._woken, self.work, _POLL_SECONDS)

    async def work(self) -> None:
        """Sends all that is due now; for who is slow no other company waits."""
        under_way: dict[asyncio.Task[object], str] = {}
        woken = asyncio.ensure_future(self._woken.wait())
        try:
            while True:
                if woken.done():
                    self._woken.clear()
                    woken = asyncio.ensure_future(self._woken.wait())
                claimed = await self._claim([*under_way.values()])
                for message in claimed:
                    under_way[asyncio.create_task(self._try_to_send(message))] = message["org_id"]
                if claimed:
                    continue
                if not under_way:
                    return
                done, _ = await asyncio.wait({*under_way, woken}, return_when=asyncio.FIRST_COMPLETED)
                for task in done & under_way.keys():
                    del under_way[task]
        finally:
            for task in (left := {woken, *under_way}):
                task.cancel()
            await asyncio.wait(left)

    async def _claim(self, under_way: Sequence[str]) -> Sequence[Row]:
        """Claims some of what is due, of companies of which not much is under way."""
        room = min(AT_ONCE - len(under_way), _OF_COMPANY)
        if room <= 0:
            return ()
        busy = [one for one, many in Counter(under_way).items() if many >= _OF_COMPANY]
        now = self._host.clock.now_ms()
        async with self._host.data.write() as writer:
            return await writer.all(
                sql.claim, now=now, until=now + LEASE_MS, busy=json.dumps(busy), limit=room
            )

    async def _try_to_send(self, message: Row) -> None:
        """Sends one message; one that cannot be sent keeps no other waiting."""
        try:
            await self._send(message)
        except Exception:
            fields = {"notification": message["notification_id"]}
            _log.exception("push.not_sent", extra={"fields": fields})
            with suppress(Exception):  # it is claimed once more when its time has passed
                await self._end(message)

    async def _send(self, message: Row) -> None:
        named = _names_of(message)
        async with self._host.data.read() as reader:
            device = await reader.one(sql.device_to_tell, **named)
            credentials = self._host.service(Credentials)
            is_over = device is not None and not await credentials.alive(reader, device["session_id"])
        if device is None or is_over:
            await self._end(message, device=None if device is None else device["id"])
            return
        body = encrypt(await self._text(message, device["locale"]), device["public_key"], device["secret"])
        now = self._host.clock.now_ms()
        request = OutboundRequest(
            plugin="web-push",
            org_id=device["org_id"],
            url=device["endpoint"],
            method="POST",
            headers={
                "Authorization": self._host.service(SenderKey).authorization(device["endpoint"], now),
                "Content-Encoding": "aes128gcm",
                "Content-Type": "application/octet-stream",
                "TTL": str(_TTL_SECONDS),
            },
            body=body,
            timeout_seconds=TIMEOUT_SECONDS,
            max_bytes=4_096,
            truncate=True,
        )
        try:
            status = (await self._host.service(OutboundHttp).send(request)).status
        except OutboundFailed:
            status = 503
        except UserError:  # an address that may not be spoken to any more
            status = 410
        if status == 429 or status >= 500:
            await self._put_off(message, now)
        else:
            await self._end(message, device=device["id"] if status in _GONE else None)

    async def _text(self, message: Row, locale: str) -> bytes:
        content: Mapping[str, Any] = json.loads(message["content"])
        known = (await self._host.service(Localization).messages(locale)).get(content["text"])
        text = content["text"] if known is None else format_message(known, content["params"], locale)
        shown = {"id": message["notification_id"], "text": text[:_MAX_TEXT], "link": content["link"]}
        written = json.dumps(shown, ensure_ascii=False).encode()
        if len(written) > MAX_MESSAGE:
            written = json.dumps({**shown, "text": text[: _MAX_TEXT // 8]}, ensure_ascii=False).encode()
        return written

    async def _put_off(self, message: Row, now: int) -> None:
        attempts = message["attempts"]
        if attempts > len(RETRIES_MS):
            await self._end(message)
            return
        async with self._host.data.write() as writer:
            await writer.run(sql.put_off, **_names_of(message), due_at=now + RETRIES_MS[attempts - 1])

    async def _end(self, message: Row, *, device: str | None = None) -> None:
        """Deletes a message, and the device too where it tells nobody any more."""
        async with self._host.data.write() as writer:
            if device is None:
                await writer.run(sql.delete_message, **_names_of(message))
            else:
                await writer.run(sql.forget_device, id=device, org_id=message["org_id"])


def _names_of(message: Row) -> Mapping[str, str]:
    return {name: message[name] for name in ("device_id", "notification_id", "org_id")}
