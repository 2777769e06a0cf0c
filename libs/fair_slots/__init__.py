"""Fair shares of one process: of its event loop, its memory, and threads for long computations.

What many requests of one company ask for is spread out, so that nobody waits behind another's queue.
"""

from libs.fair_slots.in_flight import InFlight, Slot
from libs.fair_slots.threads import BODIES, RESULTS, TEXTS, FairThread, Steps, finished
from libs.fair_slots.turns import (
    CONNECTION_HOLDER,
    TURNS,
    ConnectionHolder,
    LoopTurns,
    TurnsOfLoops,
    take_turn,
)

__all__ = [
    "BODIES",
    "CONNECTION_HOLDER",
    "RESULTS",
    "TEXTS",
    "TURNS",
    "ConnectionHolder",
    "FairThread",
    "InFlight",
    "LoopTurns",
    "Slot",
    "Steps",
    "TurnsOfLoops",
    "finished",
    "take_turn",
]
