"""How far a replica is behind at the most: by what it has of the database log, whatever the clocks say."""

from collections import deque

_MAX_POSITIONS = 1000
_MAX_PAUSE_SECONDS = 5.0


class ReplicaLag:
    """Knows as of when the replica has everything; the longer nobody has looked, the further it is behind.

    One that was more than `max_seconds` behind counts again once it is behind by half of that; 0 is no limit.
    """

    def __init__(self, max_seconds: int, now: float) -> None:
        self.max_seconds = max_seconds
        self._began = now
        self._whole_until: float | None = None
        self._positions: deque[tuple[float, int]] = deque()
        self.is_behind = False
        #: Whether it has left the database, or was never one of its own.
        self.is_of_another = False

    @property
    def pause_seconds(self) -> float:
        """How long to wait until the next look."""
        return min(_MAX_PAUSE_SECONDS, self.max_seconds / 4)

    def seconds(self, now: float) -> float:
        return now - (self._began if self._whole_until is None else self._whole_until)

    def allows(self, now: float) -> bool:
        """Tells whether the replica may be asked."""
        if not self.max_seconds:
            return True
        if self.is_of_another:
            return False
        is_within = self._whole_until is not None and self.seconds(now) <= self.max_seconds
        return is_within and not self.is_behind

    def note(self, at: float, position: str, replayed: str | None) -> None:
        """Records where the database's log ended at a time, and how far the replica has come since.

        None is a copy that does not follow the log: of that nothing can be told but that it answers.
        """
        if replayed is None:
            self._whole_until = at
            return
        end = _number(position)
        if self._positions and self._positions[-1][1] > end:  # put back from a backup
            self._positions.clear()
        if self._positions and self._positions[-1][1] == end:
            self._positions.pop()
        self._positions.append((at, end))
        while self._positions and self._positions[0][1] <= _number(replayed):
            self._whole_until = self._positions.popleft()[0]
        if len(self._positions) > _MAX_POSITIONS:
            self._positions = deque(list(self._positions)[::2])

    def has_changed(self, now: float) -> bool:
        """Decides whether the replica is behind; returns whether that is another than before."""
        was_behind, seconds = self.is_behind, self.seconds(now)
        self.is_behind = seconds > (self.max_seconds / 2 if was_behind else self.max_seconds)
        return self.is_behind != was_behind


def is_ahead(replayed: str | None, position: str) -> bool:
    """Tells whether a replica has more than the log of the database held."""
    return replayed is not None and _number(replayed) > _number(position)


def has_parted(history: str, of_database: str) -> bool:
    """Tells whether a copy that follows no log was made from the log of the database, and left it."""
    cluster, _ = history.split("/")
    return history != of_database and of_database.startswith(f"{cluster}/")


def follows(history: str, of_database: str) -> bool:
    """Tells whether a standby can be one of the database: its timeline may be an earlier one, not a later."""
    cluster, timeline = history.split("/")
    own_cluster, own_timeline = of_database.split("/")
    return cluster == own_cluster and int(timeline, 16) <= int(own_timeline, 16)


def _number(position: str) -> int:
    """Returns a position of the log as one number; PostgreSQL writes it as two, in hex."""
    high, low = position.split("/")
    return (int(high, 16) << 32) + int(low, 16)
