"""One digest over the rows of a table, whatever their order."""

import hashlib


class RowsDigest:
    """Adds up the digests of rows: equal for the same rows in any order."""

    def __init__(self) -> None:
        self._rows = 0
        self._sum = 0

    def add(self, row: bytes) -> None:
        """Counts one row, in whatever form the engine always writes it."""
        self._rows += 1
        self._sum += int.from_bytes(hashlib.sha256(row).digest(), "big")

    def result(self) -> tuple[int, str]:
        """Returns how many rows there were so far, and their digest in hex."""
        return self._rows, f"{self._sum % 2**256:064x}"


class LinesDigest:
    """The digest over rows of which each is a line, however the lines come in pieces."""

    def __init__(self) -> None:
        self._rows = RowsDigest()
        self._rest = b""

    def update(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._rows.add(line)

    def result(self) -> tuple[int, str]:
        """Returns how many whole lines there were so far, and their digest in hex."""
        return self._rows.result()
