"""Arithmetic on vectors: eight bits a number to store them, and codes of 512 bits to find the near ones by.

A code says on which side of 512 planes a vector lies. The planes are the same for all vectors of a length,
and go through the middle of what the model makes of anything: so the bits differ, and two codes differ in
about as many of them as the angle between the vectors is wide. Comparing 100,000 takes milliseconds.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BITS = 512
CODE_BYTES = BITS // 8
_WORDS = CODE_BYTES // 8
_SEED = 20_261
_SCALE_BYTES = 4
# How far from unrelated texts a passage has to be, in standard deviations.
_APART, _LOWEST = 2.5, 0.05


class Space(NamedTuple):
    """What one model's vectors lie in. `executor` is None for the model inside the server."""

    id: int
    model: str
    executor: str | None
    dimensions: int
    mean: "NDArray[np.float32]"
    floor: float

    @classmethod
    def of(cls, row: Any) -> "Space":
        import numpy as np

        mean = np.frombuffer(bytes(row["mean"]), dtype=np.float32)
        return cls(row["id"], row["model"], row["executor"], row["dimensions"], mean, float(row["floor"]))

    def centred(self, vectors: Sequence[Sequence[float]]) -> "NDArray[np.float32]":
        """Returns vectors of unit length as seen from the middle of the space."""
        return unit(unit(_matrix(vectors)) - self.mean)


def _matrix(vectors: Sequence[Sequence[float]]) -> "NDArray[np.float32]":
    import numpy as np

    return np.asarray(vectors, dtype=np.float32)


def unit(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    import numpy as np

    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    found: NDArray[np.float32] = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return found


def measured_space(
    questions: Sequence[Sequence[float]], answers: Sequence[Sequence[float]]
) -> tuple[bytes, float]:
    """Returns mean and floor of a space, from vectors of texts of which none fits another."""
    import numpy as np

    short, long = unit(_matrix(questions)), unit(_matrix(answers))
    mean = np.concatenate([short, long]).mean(axis=0, dtype=np.float64).astype(np.float32)
    pairs = unit(short - mean) @ unit(long - mean).T
    return mean.tobytes(), max(_LOWEST, float(pairs.mean() + _APART * pairs.std()))


@lru_cache(maxsize=8)
def _planes(dimensions: int) -> "NDArray[np.float32]":
    import numpy as np

    return np.random.default_rng(_SEED + dimensions).standard_normal((dimensions, BITS), dtype=np.float32)


def codes_of(centred: "NDArray[np.float32]") -> "list[bytes]":
    """Returns the code of each vector, made one by one.

    Numpy shares a product of many with threads of its own, which take processors from everybody as they wait.
    """
    import numpy as np

    planes = _planes(centred.shape[1])
    return [np.packbits(vector @ planes > 0).tobytes() for vector in centred]


def packed(centred: "NDArray[np.float32]") -> list[bytes]:
    """Returns each vector in eight bits a number, behind what one step of them is."""
    import numpy as np

    scales = np.maximum(np.abs(centred).max(axis=1, keepdims=True), 1e-12).astype(np.float32) / 127
    steps = np.rint(centred / scales).astype(np.int8)
    return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, steps, strict=True)]


def similarities(
    centred: "NDArray[np.float32]", stored: Sequence[bytes], dimensions: int
) -> "NDArray[np.float32]":
    """Returns how near each stored vector is to one: 1 is the same direction, 0 none in common."""
    import numpy as np

    rows = np.frombuffer(b"".join(stored), dtype=np.uint8).reshape(len(stored), _SCALE_BYTES + dimensions)
    scales = np.ascontiguousarray(rows[:, :_SCALE_BYTES]).view(np.float32)[:, 0]
    steps = np.ascontiguousarray(rows[:, _SCALE_BYTES:]).view(np.int8).astype(np.float32)
    found = (steps @ centred) * scales
    return np.asarray(np.clip(np.nan_to_num(found), -1.0, 1.0), dtype=np.float32)


class Codes:
    """The codes of one company in one space, in memory, by the ids of their passages in order."""

    def __init__(self) -> None:
        import numpy as np

        self.count = 0
        self._ids = np.zeros(0, dtype=np.int64)
        self._codes = np.zeros((0, _WORDS), dtype=np.uint64)

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return int(self._ids.nbytes + self._codes.nbytes)

    @property
    def last_id(self) -> int:
        return int(self._ids[self.count - 1]) if self.count else 0

    def add(self, ids: Sequence[int], codes: Sequence[bytes]) -> None:
        """Adds passages, whose ids are higher than all before."""
        import numpy as np

        count = self.count + len(ids)
        if count > len(self._ids):
            capacity = count if not self.count else max(count, len(self._ids) * 5 // 4)
            self._ids = np.resize(self._ids, capacity)
            self._codes = np.resize(self._codes, (capacity, _WORDS))
        self._ids[self.count : count] = ids
        flat = np.frombuffer(b"".join(codes), dtype=np.uint64)
        self._codes[self.count : count] = flat.reshape(len(ids), _WORDS)
        self.count = count

    def distances(self, code: bytes, start: int, end: int) -> "NDArray[np.uint16]":
        """Returns in how many bits the codes from `start` to `end` differ from one."""
        import numpy as np

        differing = np.bitwise_count(self._codes[start:end] ^ np.frombuffer(code, dtype=np.uint64))
        found: NDArray[np.uint16] = differing.sum(axis=1, dtype=np.uint16)
        return found

    def places(self, ids: Sequence[int]) -> "NDArray[np.int64]":
        """Returns where these ids stand, as far as they do."""
        import numpy as np

        wanted = np.asarray(sorted(ids), dtype=np.int64)
        places = np.searchsorted(self._ids[: self.count], wanted)
        there = places < self.count
        places, wanted = places[there], wanted[there]
        found: NDArray[np.int64] = places[self._ids[places] == wanted]
        return found

    def ids_at(self, places: "NDArray[np.int64]") -> list[int]:
        return [int(one) for one in self._ids[places]]

    def codes_at(self, places: "NDArray[np.int64]") -> "Codes":
        """Returns a part of it."""
        part = Codes()
        part._ids, part._codes, part.count = self._ids[places], self._codes[places], len(places)
        return part
