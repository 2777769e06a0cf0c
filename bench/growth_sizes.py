"""How much there is on the large side."""

import os

_MOST = 1_000_000


def grown(size: int, most: int = _MOST) -> int:
    """Returns the size times `BENCH_GROWTH` of the environment, up to a million, or to `most`."""
    share = float(os.environ.get("BENCH_GROWTH", "1"))
    return min(int(size * share), max(size, most))
