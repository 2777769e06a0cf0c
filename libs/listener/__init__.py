"""From sockets to an ASGI application: Hypercorn and h11, adapted where it was measured."""

from libs.listener.listening import (
    QUIET_SECONDS,
    AddressTaken,
    ConnectionLimits,
    Drain,
    bound_socket,
    listen,
    raise_descriptor_limit,
)
from libs.listener.policy import Policy, Refusal

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
