"""Services of plugins that may not be there."""

from typing import TypeVar

from guildhall_sdk import Host

Service = TypeVar("Service")


def offered(host: Host, protocol: type[Service]) -> Service | None:
    """The service, or None where no plugin brings it."""
    try:
        return host.service(protocol)
    except KeyError:
        return None
