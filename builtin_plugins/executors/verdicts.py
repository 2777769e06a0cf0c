"""From what was last seen of an executor to how it is."""

from guildhall_sdk import Clock, Row
from guildhall_sdk.services.executors import Health

PROBE_EVERY_MS = 30_000
_PROBES_MISSED_MS = 5 * PROBE_EVERY_MS
_GRACE_MS = 30_000

SIMULATED_OK = Health("ok", None, "simulated: no model is configured")
NEVER_SEEN = Health("unknown", None, None)


class Verdicts:
    """One that pulls is well for two leases and a little after its last call."""

    def __init__(self, clock: Clock, lease_seconds: int) -> None:
        self._clock = clock
        self._patience_ms = 2 * lease_seconds * 1000 + _GRACE_MS

    def of_push(self, probe: Row | None) -> Health:
        if probe is None or probe["checked_at"] is None:
            return NEVER_SEEN
        checked_at: int = probe["checked_at"]
        if self._clock.now_ms() - checked_at > _PROBES_MISSED_MS:
            return Health("unknown", checked_at, "not checked lately")
        return Health("ok" if probe["reachable"] else "down", checked_at, probe["detail"])

    def of_pull(self, called_at: int | None) -> Health:
        if called_at is None:
            return NEVER_SEEN
        if self._clock.now_ms() - called_at > self._patience_ms:
            return Health("down", called_at, "no worker has called lately")
        return Health("ok", called_at, None)
