"""Server-sent events as they come off the wire: lines, however they are cut."""

MAX_LINE_BYTES = 1024 * 1024
MAX_STREAM_BYTES = 16 * 1024 * 1024
# A byte order mark, which may stand before the first line.
_MARK = b"\xef\xbb\xbf"


class StreamTooLarge(Exception):
    """A line, or all of them together, are larger than anybody would write."""


class EventLines:
    """Takes bytes in, and gives what stands behind each `data:`; comments and empty ones are skipped."""

    __slots__ = ("_rest", "_size")

    def __init__(self) -> None:
        self._rest = bytearray()
        self._size = 0

    def add(self, received: bytes) -> list[bytes]:
        """The data that these bytes complete."""
        if self._size == 0:
            received = received.removeprefix(_MARK)
        self._size += len(received)
        if self._size > MAX_STREAM_BYTES:
            raise StreamTooLarge
        if not self._rest and received.endswith(b"\n\n") and received.find(b"\n") == len(received) - 2:
            # One whole event, as nearly all come.
            return [data] if (data := _data(received)) else []
        first, *lines = received.split(b"\n")
        self._rest += first
        if lines:
            lines.insert(0, bytes(self._rest))
            self._rest = bytearray(lines.pop())
        if len(self._rest) > MAX_LINE_BYTES:
            raise StreamTooLarge
        return [data for line in lines if (data := _data(line))]

    def finish(self) -> list[bytes]:
        """The data of a last line that nobody ended."""
        rest, self._rest = bytes(self._rest), bytearray()
        return [data] if (data := _data(rest)) else []


def _data(line: bytes) -> bytes:
    return line[5:].strip() if line.startswith(b"data:") else b""
