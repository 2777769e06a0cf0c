"""How many requests of one credential may be under way at once, and how much memory a company's may take."""

from collections import Counter
from types import TracebackType

from guildhall_sdk.errors import TooManyRequests

PER_CREDENTIAL = 512
# Of long bodies and long answers together; what is shorter is bounded by the number of requests.
BYTES_PER_COMPANY = 128 * 1024 * 1024
LONG_BYTES = 128 * 1024


class InFlight:
    """Counts what is under way, from a request's gates to the last byte of its answer."""

    def __init__(self, most: int | None = None) -> None:
        """`most` is `PER_CREDENTIAL` where none is given."""
        self._most = most
        self._held: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    def slot(self) -> "Slot":
        """`with in_flight.slot() as slot:` around a request, and `slot.take(credential)` inside."""
        return Slot(self._most, self._held, self._bytes)


class Slot:
    """One request's place; free again when its block ends."""

    __slots__ = ("_bytes", "_carried", "_company", "_held", "_key", "_most")

    def __init__(self, most: int | None, held: Counter[str], of_companies: Counter[str]) -> None:
        self._most = most
        self._held = held
        self._bytes = of_companies
        self._key: str | None = None
        self._company = ""
        self._carried = 0

    def take(self, key: str) -> None:
        """Raises `TooManyRequests` when the caller has too many under way already."""
        most = PER_CREDENTIAL if self._most is None else self._most
        if self._held[key] >= most:
            raise TooManyRequests(
                f"{most} such requests of yours are under way; wait for one of them to end.",
                headers={"Retry-After": "1"},
            )
        self._held[key] += 1
        self._key = key

    def carry(self, company: str, size: int) -> None:
        """So much is held in memory until the block ends.

        Raises `TooManyRequests` when the company's other requests hold too much beside it.
        """
        if size <= LONG_BYTES:
            return
        others = self._bytes[company] - self._carried
        if others and others + self._carried + size > BYTES_PER_COMPANY:
            raise TooManyRequests(
                "Too many long bodies and answers of your company are under way; wait for one to end.",
                headers={"Retry-After": "1"},
            )
        self._company = company
        self._carried += size
        self._bytes[company] += size

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
