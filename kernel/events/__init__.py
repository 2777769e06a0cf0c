"""Events: recorded with what makes them happen, and delivered to those who subscribed as jobs."""

from kernel.events.deliveries import Deliveries
from kernel.events.fan_out import FanOut
from kernel.events.outbox import Outbox, RecordedEvent

__all__ = ["Deliveries", "FanOut", "Outbox", "RecordedEvent"]
