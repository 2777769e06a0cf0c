"""Where an executor may live, with refusals that a caller of ours can read."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from guildhall_sdk import UserError
from libs import outbound_http
from libs.outbound_http import Endpoint, Resolve, public_addresses

if TYPE_CHECKING:
    from libs.outbound_http.transport import PooledClient


class EndpointRefused(UserError):
    """The address is not one, or not one that may be used here."""

    code = "endpoint_refused"


def parse_endpoint(url: str) -> Endpoint:
    """Raises `EndpointRefused` for what is not plainly an http:// or https:// address."""
    with _refusals():
        return outbound_http.parse_endpoint(url)


async def check_public(endpoint: Endpoint, resolve: Resolve) -> None:
    """Checks at creation. A name that does not resolve now is let in: it is checked again at every use."""
    with _refusals():
        await outbound_http.check_public(endpoint, resolve)


def open_client(resolve: Resolve | None = None) -> "PooledClient":
    """Returns a client; with a resolver it goes to public addresses alone, and raises `EndpointRefused`."""
    from libs.outbound_http import transport

    async def checked(host: str, port: int) -> list[str]:
        assert resolve is not None
        with _refusals():
            return [*await public_addresses(host, port, resolve)]

    return transport.open_client(None if resolve is None else checked)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except outbound_http.EndpointRefused as refusal:
        raise EndpointRefused(str(refusal)) from None
