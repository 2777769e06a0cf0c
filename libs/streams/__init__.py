"""Streams on their way to a caller: how they begin, wait, and are closed."""

from libs.streams.closing import OneChunk, after, begun, close, no_chunks
from libs.streams.handover import First, Handover
from libs.streams.server_sent import encode_event

__all__ = ["First", "Handover", "OneChunk", "after", "begun", "close", "encode_event", "no_chunks"]
