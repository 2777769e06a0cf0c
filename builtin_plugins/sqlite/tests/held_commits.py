"""A commit that waits for a test."""

import asyncio
import sqlite3
import threading

from builtin_plugins.sqlite.connection import commit
from guildhall_testing.lines import settle


class HeldCommit:
    """A commit that waits on its thread until it may go on."""

    def __init__(self) -> None:
        self.begun, self.may_go_on = threading.Event(), threading.Event()

    def __call__(self, connection: sqlite3.Connection) -> None:
        self.begun.set()
        self.may_go_on.wait()
        commit(connection)

    async def is_under_way(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, 30)
        await settle()
