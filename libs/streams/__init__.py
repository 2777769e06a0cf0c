"""Streams on their way to a caller: how they begin, wait, and are closed."""

from libs.streams.closing import after, begun, close, no_chunks
from libs.streams.handover import First, Handover

__all__ = ["First", "Handover", "after", "begun", "close", "no_chunks"]
