"""HTTP to addresses that a company chose, and the secrets that a team keeps for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from guildhall_sdk.data import Reader
from guildhall_sdk.errors import BadGateway


class OutboundFailed(BadGateway, code="outbound_failed", title="Another server cannot be reached"):
    """Raised where no whole answer came.

    The code says why: `outbound_failed`, `outbound_timeout`, `outbound_too_large` or `outbound_busy`.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundRequest:
    """A request of a company. `plugin` is the id of the plugin that sends it, which it is counted for.

    The answer comes within `timeout_seconds` and `max_bytes`, or not at all; with `truncate` a longer one is
    cut there.
    """

    plugin: str
    org_id: str
    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)
    timeout_seconds: float = 30
    max_bytes: int = 1024 * 1024
    truncate: bool = False


class OutboundAnswer(NamedTuple):
    """A whole answer, whatever its status; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class OutboundHttp(Protocol):
    """HTTP to the public internet, and no further unless the operator says otherwise."""

    #: Whether companies may name private addresses: `SERVICE_ORG_PRIVATE_ENDPOINTS`.
    private_allowed: bool

    async def check(self, url: str) -> str:
        """Returns an address in the spelling to store. Not inside a scope.

        Raises `UserError` `endpoint_refused` for what is no address, or one that may not be used.
        """

    async def send(self, request: OutboundRequest) -> OutboundAnswer:
        """Sends a request, in turn with the company's others, and returns its answer. Not inside a scope.

        No redirect is followed, and the address is checked again. Raises `UserError` `endpoint_refused`, and
        `OutboundFailed`.
        """


class TeamSecrets(Protocol):
    """Secrets that a team stores by name, such as the key of a service that it calls."""

    async def get(self, reader: Reader, team_id: str, name: str) -> str | None:
        """Returns a secret, or None where the team has none of that name. Never log it, or answer with it."""

    async def names(self, reader: Reader, team_id: str) -> Sequence[str]:
        """Returns the names of the team's secrets, in order."""
