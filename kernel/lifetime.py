"""The life of a server: it has started, and it is told to stop."""

import asyncio


class Lifetime:
    """Implements the SDK's `ServerLife`. Whoever stops the server sets `stopping` before anything else."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.stopping = asyncio.Event()

    @property
    def has_started(self) -> bool:
        return self.started.is_set()

    @property
    def is_stopping(self) -> bool:
        return self.stopping.is_set()

    async def until_started(self) -> None:
        await self.started.wait()

    async def until_stopping(self) -> None:
        await self.stopping.wait()
