"""How many connections there may be at once: from one address, and in all."""

import resource
import time
from collections import Counter
from collections.abc import Sequence

from guildhall_sdk.addresses import address_key
from kernel.config import Network
from kernel.http.forwarding import Proxies
from kernel.logs import get_logger

PER_ADDRESS = 512
# The database, the log, plugins and whatever else needs a descriptor while all connections are taken.
RESERVED_DESCRIPTORS = 128
# A connection needs a second descriptor when it sends or takes a file.
_DESCRIPTORS_EACH = 2
_MAX_DESCRIPTORS = 1_048_576
_TOLD_AGAIN_SECONDS = 60.0
_log = get_logger("http")


def raise_descriptor_limit() -> None:
    """As many open files as the system lets this process have: the usual 1,024 are few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MAX_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def room_for_connections() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    descriptors = _MAX_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
    return max(descriptors - RESERVED_DESCRIPTORS, _DESCRIPTORS_EACH) // _DESCRIPTORS_EACH


class ConnectionLimits:
    """Counts the connections of all listeners of a process. Trusted proxies speak for many addresses."""

    def __init__(self, trusted_proxies: Sequence[Network] = ()) -> None:
        self._proxies = Proxies(trusted_proxies)
        self._max_open = room_for_connections()
        # One address alone must not be able to take all the room.
        self._max_per_address = min(PER_ADDRESS, max(1, self._max_open // 2))
        self._by_address: Counter[str] = Counter()
        self._told_at = float("-inf")
        self.open = 0
        self.refused = 0

    def enter(self, address: str) -> bool:
        """Whether one more from there may be open; if so, `leave` when it is not any more."""
        key = address_key(address)
        crowded = self._by_address[key] >= self._max_per_address and not self._proxies.trusts(address)
        if crowded or self.open >= self._max_open:
            self._refuse(key, crowded=crowded)
            return False
        self.open += 1
        self._by_address[key] += 1
        return True

    def leave(self, address: str) -> None:
        key = address_key(address)
        self.open -= 1
        self._by_address[key] -= 1
        if not self._by_address[key]:
            del self._by_address[key]

    def _refuse(self, key: str, *, crowded: bool) -> None:
        self.refused += 1
        now = time.monotonic()
        if now - self._told_at < _TOLD_AGAIN_SECONDS:
            return
        self._told_at = now
        if crowded:
            hint = "if this is a proxy of yours, name it in SERVICE_TRUSTED_PROXIES"
            _log.warning("connections.refused", address=key, limit=self._max_per_address, hint=hint)
        else:
            hint = "raise the limit of open files of this process"
            _log.error("connections.refused", open=self.open, limit=self._max_open, hint=hint)
