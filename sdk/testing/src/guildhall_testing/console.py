"""One psql for many statements: starting one for each would take longer than most of them."""

import subprocess
import threading
from collections.abc import Sequence
from typing import Any

_SUCCESS = "00000"


class Console:
    """Statements one after the other, from any thread, each in a transaction of its own."""

    def __init__(self, command: Sequence[Any], **process: Any) -> None:
        self._psql = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt at the terminal is for the tests, which then close us
            text=True,
            **process,
        )
        self._turn = threading.Lock()

    def run(self, statement: str) -> None:
        assert self._psql.stdin is not None and self._psql.stdout is not None
        with self._turn:
            self._psql.stdin.write(f"{statement};\n\\echo :SQLSTATE :LAST_ERROR_MESSAGE\n")
            self._psql.stdin.flush()
            state, _, message = self._psql.stdout.readline().strip().partition(" ")
        if state != _SUCCESS:
            raise RuntimeError(f"psql: {message or 'it has ended'}")

    def close(self) -> None:
        """Closes the console, which ends by itself when there is nobody to listen to."""
        self._psql.communicate()
