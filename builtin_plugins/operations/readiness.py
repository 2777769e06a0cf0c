"""Is the server ready? Measured, remembered for a second, and told once in the log when it changes."""

import asyncio
import errno
import logging
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread

from guildhall_sdk import Host, Problem
from guildhall_sdk.engines.engine import DatabaseBusy
from guildhall_sdk.services.server import (
    DRAINING,
    NOT_READY,
    STARTING,
    DatabaseHealth,
    ServerLife,
    Trouble,
)
from libs.disks import Disk, DiskTrouble

REMEMBERED_SECONDS = 1.0
WATCH_SECONDS = 10.0
DATABASE_PATIENCE_SECONDS = 3.0
DISK_PATIENCE_SECONDS = 3.0
_LOG_AGAIN_SECONDS = 60.0
_DEEPEST_CAUSE = 8
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_NO_DATABASE = Trouble("database", "The database cannot be reached.")
_NO_DISK = Trouble("disk", "The disk is full, or cannot be written to.")
_log = logging.getLogger("guildhall.readiness")


class ServerReadiness:
    """Implements the SDK's `Readiness`."""

    def __init__(self, host: Host) -> None:
        self._life = host.service(ServerLife)
        self._database = host.service(DatabaseHealth)
        folders = (host.settings.data, self._database.pool.folder)
        self._disks = tuple(dict.fromkeys(Disk(one.absolute()) for one in folders if one is not None))
        self._probing: dict[Disk, asyncio.Future[str | None]] = {}
        self._measuring: asyncio.Task[Trouble | None] | None = None
        self._measured_at = float("-inf")
        self._troubled: set[str] = set()
        self._logged_full_at = float("-inf")

    async def watch(self) -> None:
        """Looks again and again once the server answers, so that trouble is logged though nobody asks."""
        await self._life.started.wait()
        while True:
            await asyncio.shield(self._measure_soon())
            await asyncio.sleep(WATCH_SECONDS)

    async def stop(self) -> None:
        if self._measuring is not None:
            self._measuring.cancel()
            with suppress(asyncio.CancelledError):
                await self._measuring

    async def trouble(self) -> Trouble | None:
        if self._life.stopping.is_set():
            return DRAINING
        if not self._life.started.is_set():
            return STARTING
        return await asyncio.shield(self._measure_soon())

    async def until_stopping(self) -> None:
        await self._life.stopping.wait()

    def suspect(self, refusal: Problem) -> None:
        if not self._life.started.is_set() or refusal.code == NOT_READY:
            return
        self._measure_soon()
        now = asyncio.get_running_loop().time()
        if now - self._logged_full_at >= _LOG_AGAIN_SECONDS and any(map(_is_full_disk, _causes(refusal))):
            self._logged_full_at = now
            folders = [str(disk.folder) for disk in self._disks]
            detail = "a request met a full disk; make room on it"
            _log.error("disk.full", extra={"fields": {"folders": folders, "detail": detail}})

    def _measure_soon(self) -> "asyncio.Task[Trouble | None]":
        """Starts one measurement for all who ask meanwhile and within the next second."""
        age = asyncio.get_running_loop().time() - self._measured_at
        if self._measuring is None or (self._measuring.done() and age >= REMEMBERED_SECONDS):
            self._measuring = asyncio.create_task(self._measure())
        return self._measuring

    async def _measure(self) -> Trouble | None:
        database, *disks = await asyncio.gather(
            self._database_trouble(), *(self._disk_trouble(disk) for disk in self._disks)
        )
        self._measured_at = asyncio.get_running_loop().time()
        self._log_change("database", "the database", database)
        for disk, trouble in zip(self._disks, disks, strict=True):
            self._log_change("disk", str(disk.folder), trouble)
        if database is not None:
            return _NO_DATABASE
        return _NO_DISK if any(disks) else None

    def _log_change(self, reason: str, subject: str, trouble: str | None) -> None:
        if trouble is not None and subject not in self._troubled:
            self._troubled.add(subject)
            fields = {"reason": reason, "subject": subject, "detail": trouble}
            _log.error("readiness.lost", extra={"fields": fields})
        elif trouble is None and subject in self._troubled:
            self._troubled.discard(subject)
            _log.warning("readiness.regained", extra={"fields": {"reason": reason, "subject": subject}})

    async def _database_trouble(self) -> str | None:
        try:
            async with asyncio.timeout(DATABASE_PATIENCE_SECONDS):
                await self._database.ping()
        except TimeoutError:
            return f"{self._database.pool.place} does not answer within {DATABASE_PATIENCE_SECONDS:g} s"
        except Problem as refusal:
            return f"{self._database.pool.place}: {_reason(refusal.__cause__ or refusal)}"
        except Exception as error:
            return f"{self._database.pool.place}: {_reason(error)}"
        return None

    async def _disk_trouble(self, disk: Disk) -> str | None:
        """Checks a disk; where it hangs, waits for the thread that asks already and begins no other."""
        probe = self._probing.get(disk)
        if probe is None or probe.done():
            probe = self._probing[disk] = _in_thread(disk)
        try:
            async with asyncio.timeout(DISK_PATIENCE_SECONDS):
                return await asyncio.shield(probe)
        except TimeoutError:
            return f"the disk of {disk.folder} does not answer within {DISK_PATIENCE_SECONDS:g} s"


def _in_thread(disk: Disk) -> "asyncio.Future[str | None]":
    """Checks a disk in a thread of its own, which a process that ends does not wait for."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[str | None] = loop.create_future()

    def settle(trouble: str | None) -> None:
        if not future.done():
            future.set_result(trouble)

    def probe() -> None:
        try:
            disk.check()
            trouble = None
        except DiskTrouble as found:
            trouble = str(found)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, trouble)

    Thread(target=probe, name="disk probe", daemon=True).start()
    return future


def _reason(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    for _ in range(_DEEPEST_CAUSE):
        if found is None:
            return
        yield found
        found = found.__cause__


def _is_full_disk(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _FULL
    return isinstance(error, DatabaseBusy) and error.disk_full
