"""From sockets to an ASGI application: Hypercorn and h11, adapted where it was measured."""

from libs.listener.listening import (
    QUIET_SECONDS,
    ConnectionLimits,
    Drain,
    listen,
    raise_descriptor_limit,
)
from libs.listener.policy import Policy, Refusal
from libs.listener.sockets import AddressTaken, bound_socket

__all__ = [
    "QUIET_SECONDS",
    "AddressTaken",
    "ConnectionLimits",
    "Drain",
    "Policy",
    "Refusal",
    "bound_socket",
    "listen",
    "raise_descriptor_limit",
]
