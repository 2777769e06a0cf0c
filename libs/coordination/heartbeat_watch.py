"""Who has given no sign for too long."""

from collections.abc import Mapping


class HeartbeatWatch:
    """Watches the signs of others, which each gives by a clock of its own.

    No clock but the watcher's is asked: one that jumps elsewhere makes nobody silent. After a gap in which it
    looked at nothing itself, it begins anew.
    """

    def __init__(self, silent_ms: int, longest_gap_ms: int) -> None:
        self._silent_ms = silent_ms
        self._longest_gap_ms = longest_gap_ms
        self._looked_at = 0
        # Of each the last sign, and when it was seen first, by the steady clock of this process.
        self._signs: dict[str, tuple[int, int]] = {}

    def overdue(self, seen: Mapping[str, int], steady_ms: int) -> list[str]:
        """Returns those that have given no sign for too long. `seen` is everybody's last sign now."""
        before = self._signs if steady_ms - self._looked_at <= self._longest_gap_ms else {}
        self._looked_at = steady_ms
        self._signs = {
            one: known if (known := before.get(one)) and known[0] == at else (at, steady_ms)
            for one, at in seen.items()
        }
        return [one for one, (_, since) in self._signs.items() if steady_ms - since >= self._silent_ms]
