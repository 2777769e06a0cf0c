"""Fair shares of one process: of its event loop, its memory, and threads for long computations.

What many requests of one company ask for is spread out, so that nobody waits behind another's queue.
"""

from libs.fair_slots.shares import (
    BODIES,
    CONNECTION_HOLDER,
    LONG_BYTES,
    RESULTS,
    TEXTS,
    TURNS,
    ConnectionHolder,
    FairThread,
    InFlight,
    LoopTurns,
    RecentHolders,
    Slot,
    Steps,
    TurnsOfLoops,
    finished,
)

__all__ = [
    "BODIES",
    "CONNECTION_HOLDER",
    "LONG_BYTES",
    "RESULTS",
    "TEXTS",
    "TURNS",
    "ConnectionHolder",
    "FairThread",
    "InFlight",
    "LoopTurns",
    "RecentHolders",
    "Slot",
    "Steps",
    "TurnsOfLoops",
    "finished",
]
