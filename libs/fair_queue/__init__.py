"""Weighted fair queueing: whose turn it is, within the room that each line and its group have."""

from libs.fair_queue.places import FEW_PLACES, CountedPlaces
from libs.fair_queue.turns import (
    CREDIT,
    NO_LIMIT,
    UNLIMITED,
    Capacity,
    Head,
    Line,
    Turns,
    give_turns,
    max_turns,
)

__all__ = [
    "CREDIT",
    "FEW_PLACES",
    "NO_LIMIT",
    "UNLIMITED",
    "Capacity",
    "CountedPlaces",
    "Head",
    "Line",
    "Turns",
    "give_turns",
    "max_turns",
]
