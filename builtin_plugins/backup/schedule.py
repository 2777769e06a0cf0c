"""Backups on a schedule: when, where to, how many are kept, whether each is rehearsed, and how that went."""

import asyncio
import base64
import binascii
import json
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from guildhall_sdk import Call, Host, Reader, Reply, Route, Setting, rfc3339
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.engines.engine import InstanceTables
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.schema import boolean as flag
from guildhall_sdk.schema import integer, nullable, shape, string
from guildhall_sdk.services.server import InstanceFacts, InstanceInspection
from guildhall_sdk.settings import boolean, whole

#: The fact that tells of the last one, as JSON, and the one that says when the last was begun.
LAST, BEGUN = "backup_last", "backup_begun"
_DAY = 24 * 3600
_LOOK_SECONDS = 30.0
#: One that failed is tried again so soon, or after `every` where that is sooner.
_AGAIN_SECONDS = 900
_log = logging.getLogger("guildhall.backup")


def _place(given: str) -> str:
    if given.startswith("s3://") and not given.removeprefix("s3://").strip("/"):
        raise ValueError("takes a folder, or s3://bucket/prefix")
    return given if given.startswith("s3://") else str(Path(given).absolute())


def _key(given: str) -> bytes:
    try:
        key = base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != 32:
        raise ValueError("takes 32 bytes in base64: openssl rand -base64 32")
    return key


TO: Setting[str | None] = Setting(
    name="to", help="where backups are made: a folder, or s3://bucket/prefix", default=None, parse=_place
)
EVERY = Setting(name="every", help="how many seconds lie between two backups", default=_DAY, parse=whole(1))
KEEP = Setting(name="keep", help="how many backups are kept", default=14, parse=whole(1, 10_000))
KEY: Setting[bytes | None] = Setting(
    name="key",
    help="32 bytes in base64 that backups are encrypted with",
    default=None,
    parse=_key,
    secret=True,
)
REHEARSE = Setting(
    name="rehearse", help="whether each is restored into a scratch place", default=True, parse=boolean
)
SETTINGS: Sequence[Setting[Any]] = (TO, EVERY, KEEP, KEY, REHEARSE)


class BackupSchedule:
    """Runs in every server process; one at a time has a command make a backup, in a process of its own."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._every = host.setting(EVERY)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(min(_LOOK_SECONDS, max(self._every / 4, 0.2)))
            if await self.take_turn():
                await self.make()

    async def take_turn(self) -> bool:
        """Returns whether one is due that nobody else has begun."""
        facts, now = self._host.service(InstanceFacts), self._host.clock.now_ms()
        async with self._host.data.read() as reader:
            if not self._is_due(await last_of(facts, reader), await facts.find(reader, BEGUN), now):
                return False
        async with self._host.data.write() as writer:
            await writer.serialize("backups on a schedule")
            if not self._is_due(await last_of(facts, writer), await facts.find(writer, BEGUN), now):
                return False
            await facts.set(writer, BEGUN, str(now))
        return True

    def _is_due(self, last: Mapping[str, Any] | None, begun: str | None, now: int) -> bool:
        again = min(self._every, _AGAIN_SECONDS) * 1000
        since_last = self._every * 1000 if last is None else now - int(last["at_ms"])
        since_begun = again if begun is None else now - int(begun)
        return since_last >= self._every * 1000 and since_begun >= again

    async def make(self) -> bool:
        """Makes one by `guildhall backup now`; what it says is logged."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "kernel.cli", "backup", "now"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "SERVICE_DATA": str(self._host.settings.data)},
        )
        try:
            said, _ = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()
            await process.wait()
            raise
        lines = said.decode("utf-8", "replace").splitlines()
        fields = {"fields": {"said": lines[-1][:500] if lines else ""}}
        if process.returncode:
            _log.error("backup.failed", extra=fields)
        else:
            _log.info("backup.made", extra=fields)
        return process.returncode == 0


async def last_of(facts: InstanceFacts, reader: Reader) -> dict[str, Any] | None:
    """Reads what is known of the last backup that was made."""
    text = await facts.find(reader, LAST)
    return None if text is None else dict(json.loads(text))


def is_overdue(last: Mapping[str, Any] | None, every: int, now_ms: int) -> bool:
    """Whether the last one is older than any delay explains; where there is none, nobody can tell."""
    return last is not None and now_ms - int(last["at_ms"]) > (2 * every + _AGAIN_SECONDS) * 1000


async def measure_age(host: Host, reader: Reader) -> Mapping[tuple[str, ...], float]:
    """Measures how old the last backup is; nothing where there is none."""
    last = await last_of(host.service(InstanceFacts), reader)
    return {} if last is None else {(): max(0.0, (host.clock.now_ms() - last["at_ms"]) / 1000)}


async def check_age(host: CommandHost) -> str:
    """Tells `guildhall doctor` how old the last backup is, and whether its rehearsal went well."""
    settings, _ = host.service(InstanceInspection).settings()
    values = {id(one.setting): one.value for one in settings}
    if (place := values[id(TO)]) is None:
        return "none are scheduled: set SERVICE_BACKUP_TO"
    async with host.service(InstanceTables).opened() as data, data.read() as reader:
        last = await last_of(host.service(InstanceFacts), reader)
    if last is None:
        raise OperatorError(f"none was made yet in {place}; `guildhall backup now` makes one")
    age = (host.clock.now_ms() - int(last["at_ms"])) // 1000
    said = f"the last one, {last['name']}, is of {rfc3339(int(last['at_ms']))}"
    if is_overdue(last, values[id(EVERY)], host.clock.now_ms()):
        raise OperatorError(f"{said}, {age} s ago: see backup.failed in the log")
    if values[id(REHEARSE)] and not last["rehearsed"]:
        raise OperatorError(f"{said}, and it could not be restored: run `guildhall backup now`")
    return f"{said}{', and was restored on trial' if last['rehearsed'] else ''}"


_LAST = shape(
    {
        "name": string(),
        "at": string(format="date-time"),
        "age_seconds": integer(0),
        "rehearsed": flag(description="Whether it was restored on trial"),
    }
)
ROUTES = (
    Route(
        "GET",
        "/api/admin/backups",
        "backups",
        "How backups are made on the schedule, and how old the last one is",
        permission="instance:manage",
        reply=shape(
            {
                "to": nullable(
                    string(description="A folder or s3://bucket/prefix; null: none are scheduled")
                ),
                "every_seconds": integer(1),
                "keep": integer(1),
                "encrypted": flag(),
                "rehearses": flag(description="Whether each is to be restored on trial"),
                "overdue": flag(description="Whether one should have been made long ago"),
                "last": nullable(_LAST),
            }
        ),
    ),
)


async def backups(call: Call) -> Reply:
    host, now = call.host, call.host.clock.now_ms()
    async with call.read() as reader:
        last = await last_of(host.service(InstanceFacts), reader)
    to = host.setting(TO)
    told = last and {
        "name": last["name"],
        "at": rfc3339(int(last["at_ms"])),
        "age_seconds": max(0, (now - int(last["at_ms"])) // 1000),
        "rehearsed": bool(last["rehearsed"]),
    }
    return Reply(
        {
            "to": to,
            "every_seconds": host.setting(EVERY),
            "keep": host.setting(KEEP),
            "encrypted": host.setting(KEY) is not None,
            "rehearses": host.setting(REHEARSE),
            "overdue": to is not None and is_overdue(last, host.setting(EVERY), now),
            "last": told,
        }
    )


HANDLERS: Mapping[str, Any] = {"backups": backups}
