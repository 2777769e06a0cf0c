"""Requests under way: how many each caller has, and how many bytes of them each company holds in memory."""

from collections import Counter
from collections.abc import Callable
from types import TracebackType

PER_CREDENTIAL = 512
# Of long bodies and long answers together; what is shorter is bounded by the number of requests.
BYTES_PER_COMPANY = 128 * 1024 * 1024
LONG_BYTES = 128 * 1024
#: Makes the error that a caller gets of the text that tells what to do.
Refuse = Callable[[str], Exception]


class InFlight:
    """Counts the requests under way, from their gates to the last byte of their answer."""

    def __init__(self, refuse: Refuse, *, max_requests: int | None = None) -> None:
        """Allows each credential so many requests at once, or `PER_CREDENTIAL` where none is given.

        One too many raises what `refuse` makes of the reason.
        """
        self._refuse = refuse
        self._limit = max_requests
        self._held: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    def slot(self) -> "Slot":
        """Returns the slot of one request, for `with in_flight.slot() as slot:` around it.

        Inside the block `slot.take(credential)` counts the request for its caller.
        """
        return Slot(self._refuse, self._limit, self._held, self._bytes)


class Slot:
    """The place of one request among those under way; free again when its block ends."""

    __slots__ = ("_bytes", "_carried", "_company", "_held", "_key", "_limit", "_refuse")

    def __init__(
        self, refuse: Refuse, limit: int | None, held: Counter[str], of_companies: Counter[str]
    ) -> None:
        self._refuse = refuse
        self._limit = limit
        self._held = held
        self._bytes = of_companies
        self._key: str | None = None
        self._company = ""
        self._carried = 0

    def take(self, key: str) -> None:
        """Counts the request for a caller; refuses it where too many are under way already."""
        limit = PER_CREDENTIAL if self._limit is None else self._limit
        if self._held[key] >= limit:
            raise self._refuse(f"{limit} such requests of yours are under way; wait for one of them to end.")
        self._held[key] += 1
        self._key = key

    def carry(self, company: str, size: int) -> None:
        """Counts bytes that the request holds in memory until its block ends.

        Refuses them where the company's other requests already hold too much.
        """
        if size <= LONG_BYTES:
            return
        others = self._bytes[company] - self._carried
        if others and others + self._carried + size > BYTES_PER_COMPANY:
            raise self._refuse(
                "Too many long bodies and answers of your company are under way; wait for one to end."
            )
        self._company = company
        self._carried += size
        self._bytes[company] += size

    def settle(self, held: int, size: int) -> None:
        """Corrects what was counted by `carry` before the work, once its real size is known."""
        if held > LONG_BYTES and self._carried:
            self._carried += size - held
            self._bytes[self._company] += size - held

    def __enter__(self) -> "Slot":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._key is not None:
            self._held[self._key] -= 1
            if not self._held[self._key]:
                del self._held[self._key]
        if self._carried:
            self._bytes[self._company] -= self._carried
            if not self._bytes[self._company]:
                del self._bytes[self._company]
