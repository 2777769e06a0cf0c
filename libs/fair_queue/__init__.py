"""Weighted fair queueing: whose turn it is, within the room that each line and its group have."""

from libs.fair_queue.turns import CREDIT, NO_LIMIT, UNLIMITED, Head, Line, Room, Turns, give_turns, max_turns

__all__ = ["CREDIT", "NO_LIMIT", "UNLIMITED", "Head", "Line", "Room", "Turns", "give_turns", "max_turns"]
