"""How a session with a server ends, and how long to wait before the next."""

import asyncio
import random
from contextvars import ContextVar
from dataclasses import dataclass

FIRST_PAUSE_SECONDS = 1.0
#: With the chance on top and the time to connect: there within a minute of coming up.
LONGEST_PAUSE_SECONDS = 45.0
#: A session of this length was a good one: the next begins at once.
_GOOD_SECONDS = 10.0


class Lost(Exception):
    """Why a session is over. `forgotten` by its server: what is under way will hear the same in a moment."""

    def __init__(self, reason: str, *, forgotten: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.forgotten = forgotten


@dataclass(slots=True)
class Attempt:
    """One call on one session. `untaken`: the server has certainly not acted on it, so it may be repeated."""

    untaken: bool = False


#: The attempt that a request of the transport belongs to.
CURRENT_ATTEMPT: ContextVar[Attempt | None] = ContextVar("mcp_attempt", default=None)


class Pauses:
    """1, 2, 4 … seconds between sessions, a little apart in each process."""

    def __init__(self) -> None:
        self._next = FIRST_PAUSE_SECONDS

    def after(self, seconds: float) -> float:
        """Returns the pause after a session that lasted so long; 0.0 seconds is one that never was."""
        if seconds >= _GOOD_SECONDS:
            self._next = FIRST_PAUSE_SECONDS
            return 0.0
        pause = self._next
        self._next = min(2 * pause, LONGEST_PAUSE_SECONDS)
        return pause * random.uniform(1.0, 1.1)  # noqa: S311


class SessionWatch:
    """What the transport and the server's own notifications tell about one session."""

    def __init__(self, *, quiet: bool = False) -> None:
        #: Nothing of it is logged: the one before has ended in the same way.
        self.quiet = quiet
        self.lost: asyncio.Future[Lost] = asyncio.get_running_loop().create_future()
        #: Set when the tools may have changed, or the server may be frozen.
        self.poll = asyncio.Event()
        #: What the transport met last, for a session that does not come about.
        self.hint = ""

    def lose(self, lost: Lost) -> None:
        """Ends the session; the first reason counts."""
        if not self.lost.done():
            self.lost.set_result(lost)
