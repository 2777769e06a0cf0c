"""What the client of a completion says of its parts and the whole, where no checksum was kept to compare."""

from collections.abc import Mapping, Sequence

from builtin_plugins.s3.wire.bodies import NamedPart
from builtin_plugins.s3.wire.checksums import (
    Algorithm,
    ChecksumType,
    ExpectedChecksum,
    RunningDigest,
    combined,
    encode_digest,
)
from builtin_plugins.s3.wire.errors import BadDigest, InvalidPart


class ChecksumProof:
    """Takes the checksums of the bytes as they go by, and refuses what the client said wrongly."""

    def __init__(self, expected: ExpectedChecksum | None = None, named: Sequence[NamedPart] = ()) -> None:
        self._expected = expected
        self._named: Mapping[int, Mapping[Algorithm, str]] = {
            part.number: part.checksums for part in named if part.checksums
        }
        self._of_all = None if expected is None else expected.algorithm.start()
        self._of_part: dict[Algorithm, RunningDigest] = {}
        self._parts: list[tuple[str, int]] = []
        self._size = 0

    @property
    def needed(self) -> bool:
        """Whether the client said anything that only the bytes can prove."""
        return self._expected is not None or bool(self._named)

    def begin_part(self, number: int) -> None:
        algorithms = set(self._named.get(number, {}))
        if self._expected is not None:
            algorithms.add(self._expected.algorithm)
        self._of_part = {algorithm: algorithm.start() for algorithm in algorithms}
        self._size = 0

    def update(self, data: bytes) -> None:
        self._size += len(data)
        for running in self._of_part.values():
            running.update(data)
        if self._of_all is not None:
            self._of_all.update(data)

    def end_part(self, number: int) -> None:
        found = {algorithm: encode_digest(running.digest()) for algorithm, running in self._of_part.items()}
        for algorithm, value in self._named.get(number, {}).items():
            if value != found[algorithm]:
                raise InvalidPart(PartNumber=str(number))
        if self._expected is not None:
            self._parts.append((found[self._expected.algorithm], self._size))

    def end(self) -> None:
        """Checks the whole: the client may mean the checksum of all bytes, or of the parts' checksums."""
        if self._expected is None or self._of_all is None:
            return
        algorithm, value = self._expected.algorithm, self._expected.value
        composite = combined(algorithm, ChecksumType.COMPOSITE, self._parts)
        if value not in (encode_digest(self._of_all.digest()), composite, composite.partition("-")[0]):
            raise BadDigest(f"The {algorithm} you specified is not that of the parts.")
