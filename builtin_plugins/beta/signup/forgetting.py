"""Forgetting sign-ups that the gate counts no more."""

import asyncio
import logging

from builtin_plugins.beta.signup import gate
from guildhall_sdk import Host, Unavailable

EVERY_SECONDS = 3600.0
_ROWS = 500
_log = logging.getLogger("guildhall.beta")


class Forgetting:
    """Sweeps at the start and every hour; any process may, as what is gone is gone."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def run(self) -> None:
        """Sweeps until it is cancelled."""
        while True:
            try:
                await self.sweep()
            except Unavailable:
                _log.info("arrivals.put_off", extra={"fields": {}})
            await asyncio.sleep(EVERY_SECONDS)

    async def sweep(self) -> None:
        """Forgets what is due, some at a time."""
        now = self._host.clock.now_ms()
        while await self._forget_some(now) == _ROWS:
            pass

    async def _forget_some(self, now_ms: int) -> int:
        async with self._host.data.write() as writer:
            return await gate.sweep(writer, now_ms, _ROWS)
