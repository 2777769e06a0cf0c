"""Short reads of SQLite on the event loop's own thread: a thread that has to be woken costs them more."""

import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from guildhall_sdk import Row, Statement
from kernel.db.sqlite_statements import fetch

_SECONDS = 0.001
# Some ten microseconds of SQLite's machine, while what it reads is in memory.
_STEPS_BETWEEN_LOOKS = 500
# How often a statement that took too long goes to a thread at once before it is tried here again.
_PASSED_OVER = 200
_REMEMBERED = 1_000


class BriefReads:
    """Gives the rows of a statement that takes a moment; one that does not is stopped and given up.

    The connection must have no patience: whatever a statement would wait for is waited for elsewhere.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._until = 0.0
        self._pass_over: dict[str, int] = {}
        connection.set_progress_handler(self._is_late, _STEPS_BETWEEN_LOOKS)

    def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row] | None:
        """None where somebody else has to read them, or to say what is wrong."""
        if self._pass_over and self._is_passed_over(statement.sqlite):
            return None
        self._until = time.monotonic() + _SECONDS
        try:
            return fetch(self._connection, statement.sqlite, binds)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                self._remember(statement.sqlite)
            return None

    def close(self) -> None:
        self._connection.close()

    def _is_late(self) -> bool:
        return time.monotonic() > self._until

    def _is_passed_over(self, text: str) -> bool:
        left = self._pass_over.get(text, 0)
        if left > 1:
            self._pass_over[text] = left - 1
        elif left == 1:
            del self._pass_over[text]
        return left > 0

    def _remember(self, text: str) -> None:
        if len(self._pass_over) >= _REMEMBERED:
            with suppress(StopIteration):
                del self._pass_over[next(iter(self._pass_over))]
        self._pass_over[text] = _PASSED_OVER
