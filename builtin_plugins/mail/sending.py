"""Sends what waits: claimed by one process, tried again while the server is away, given up at its no."""

import asyncio
import logging
from contextlib import suppress
from typing import NamedTuple

import aiosmtplib

from builtin_plugins.mail.digests import Digests
from builtin_plugins.mail.mailbox import SECRET, decoded, sql
from builtin_plugins.mail.resets import answer_requests
from builtin_plugins.mail.settings import MAIL_URL, MailServer
from builtin_plugins.mail.writing import Sent, write
from guildhall_sdk import Host, Row
from guildhall_sdk.services.identity import Vault
from libs.coordination import repeat_when_woken

_log = logging.getLogger("guildhall.mail")

AT_ONCE = 20
TIMEOUT_SECONDS = 30
#: For so long nobody else tries what is being tried.
LEASE_MS = AT_ONCE * TIMEOUT_SECONDS * 1000 + 60_000
_MINUTE_MS = 60_000
#: When a letter is tried again, after each attempt; then it is given up.
RETRIES_MS = tuple(minutes * _MINUTE_MS for minutes in (1, 5, 15, 60, 240, 720))
_POLL_SECONDS = 15.0
_ERROR_MAX = 300
_PERMANENT = range(500, 600)


class _Outcome(NamedTuple):
    """How an attempt went: `state` is None where it is tried again."""

    state: str | None
    error: str | None = None


class MailSender:
    """The work of one process: letters, requests for a new password, and daily letters."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._digests = Digests(host)
        self._woken = asyncio.Event()

    async def listen(self) -> None:
        """Wakes the sender at each letter that was written down, here or in another process."""
        with self._host.news("mails").listen() as announcements:
            async for _ in announcements:
                self._woken.set()

    async def run(self) -> None:
        """Does what is due, until it is cancelled."""
        await repeat_when_woken(self._woken, self.work, _POLL_SECONDS)

    async def work(self) -> None:
        """Does all that is due now."""
        server = self._host.setting(MAIL_URL)
        if server is None:
            return
        await answer_requests(self._host)
        await self._digests.make_due()
        while await self._send_some(server):
            pass

    async def _send_some(self, server: MailServer) -> bool:
        """Sends a few letters by one connection; returns whether there were any."""
        now = self._host.clock.now_ms()
        async with self._host.data.write() as writer:
            claimed = await writer.all(sql.claim, now=now, until=now + LEASE_MS, limit=AT_ONCE)
        if not claimed:
            return False
        client = _client(server)
        try:
            for row in sorted(claimed, key=lambda row: (-row["urgent"], row["id"])):
                await self._end(row, await self._attempt(client, row))
        finally:
            with suppress(aiosmtplib.SMTPException, OSError):
                await client.quit()
            client.close()
        return True

    async def _attempt(self, client: aiosmtplib.SMTP, row: Row) -> _Outcome:
        if row["expires_at"] is not None and row["expires_at"] <= self._host.clock.now_ms():
            return _Outcome("expired", "it was too late when it could be sent")
        async with self._host.data.read() as reader:
            sealed = await self._host.service(Vault).get(reader, SECRET, row["org_id"], row["id"])
        if sealed is None:
            return _Outcome("failed", "what it says is gone")
        try:
            message = await write(self._host, Sent(row["id"], row["created_at"]), decoded(sealed))
            if not client.is_connected:
                await client.connect()
            await client.send_message(message)
        except aiosmtplib.SMTPRecipientsRefused as refusal:
            first = refusal.recipients[0]
            return _outcome(first.code, first.message)
        except aiosmtplib.SMTPAuthenticationError as refusal:
            # Wrong for all letters, and to be mended by the operator.
            return _Outcome(None, _words(refusal.code, "the server refused the sign-in"))
        except aiosmtplib.SMTPResponseException as refusal:
            return _outcome(refusal.code, refusal.message)
        except (aiosmtplib.SMTPException, OSError) as fault:
            return _Outcome(None, f"the server is away: {type(fault).__name__}")
        except Exception:
            _log.exception("mail.not_written", extra={"fields": {"mail": row["id"], "name": row["name"]}})
            return _Outcome("failed", "it could not be written; the log says why")
        return _Outcome("sent")

    async def _end(self, row: Row, outcome: _Outcome) -> None:
        now, state = self._host.clock.now_ms(), outcome.state
        if state is None and row["attempts"] > len(RETRIES_MS):
            state = "failed"
        async with self._host.data.write() as writer:
            if state is None:
                due_at = now + RETRIES_MS[row["attempts"] - 1]
                await writer.run(sql.put_off, id=row["id"], due_at=due_at, error=outcome.error)
            else:
                await writer.run(sql.end_mail, id=row["id"], state=state, error=outcome.error, now=now)
                await self._host.service(Vault).delete(writer, SECRET, row["org_id"], row["id"])
        if state not in (None, "sent"):
            fields = {"mail": row["id"], "name": row["name"], "state": state, "error": outcome.error}
            _log.warning("mail.not_sent", extra={"fields": fields})


def _client(server: MailServer) -> aiosmtplib.SMTP:
    return aiosmtplib.SMTP(
        hostname=server.host,
        port=server.port,
        username=server.username,
        password=server.password,
        use_tls=server.scheme == "smtps",
        start_tls=server.scheme == "smtp+starttls",
        tls_context=server.tls(),
        timeout=TIMEOUT_SECONDS,
    )


def _outcome(code: int, message: str) -> _Outcome:
    return _Outcome("refused" if code in _PERMANENT else None, _words(code, message))


def _words(code: int, message: str) -> str:
    return f"{code} {message}"[:_ERROR_MAX]
