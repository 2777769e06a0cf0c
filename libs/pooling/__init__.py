"""What the users of a pool of connections share: slots, idle connections, long statements, and a flush."""

from libs.pooling.durability import Flushes, Pending
from libs.pooling.fair_slots import FairSlots, First
from libs.pooling.idle_connections import IdleConnectionWaiters
from libs.pooling.long_statements import LongStatements

__all__ = ["FairSlots", "First", "Flushes", "IdleConnectionWaiters", "LongStatements", "Pending"]
