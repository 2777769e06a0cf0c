"""Forgetting: prospects after the days that the operator sets, and sign-ups that the gate counts no more."""

import asyncio
import logging

from builtin_plugins.beta.prospects.prospects import sql
from builtin_plugins.beta.prospects.settings import RETENTION_DAYS
from builtin_plugins.beta.signup import gate
from guildhall_sdk import Host, Unavailable

EVERY_SECONDS = 3600.0
_DAY_MS = 24 * 3600 * 1000
_ROWS = 500
_log = logging.getLogger("guildhall.beta")


class Retention:
    """Sweeps at the start and every hour; any process may, as what is gone is gone."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def run(self) -> None:
        """Sweeps until it is cancelled."""
        while True:
            try:
                await self.sweep()
            except Unavailable:
                _log.info("retention.put_off", extra={"fields": {}})
            await asyncio.sleep(EVERY_SECONDS)

    async def sweep(self) -> int:
        """Forgets what is due, some at a time; returns how many prospects were erased."""
        erased, now = 0, self._host.clock.now_ms()
        while await self._forget_arrivals(now) == _ROWS:
            pass
        days = self._host.setting(RETENTION_DAYS)
        while days:
            swept = await self._erase(now - days * _DAY_MS)
            erased += swept
            if swept < _ROWS:
                break
        if erased:
            _log.info("prospects.expired", extra={"fields": {"count": erased}})
        return erased

    async def _forget_arrivals(self, now_ms: int) -> int:
        async with self._host.data.write() as writer:
            return await gate.sweep(writer, now_ms, _ROWS)

    async def _erase(self, floor: int) -> int:
        async with self._host.data.write() as writer:
            return len(await writer.all(sql.sweep, floor=floor, max_rows=_ROWS))
