"""Factories of real ids for path parameters, for the conformance tests."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Protocol


class SampleClient(Protocol):
    """A client that calls the server as one person; an answer is (status, decoded JSON)."""

    @property
    def user_id(self) -> str:
        """The id of the person."""
        ...

    async def call(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Mapping[str, Any]]:
        """Calls a route, and returns the status and the decoded JSON of the answer."""
        ...


MakeId = Callable[[SampleClient, str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Factory:
    """A maker of a resource below the path prefix `at`, through the API; it returns the id.

    `at` is a path up to and with the parameter (`/api/notes/:id`). The maker gets a client of the owning
    company and a canary to put into every text it writes. For a nested path it may give the ids of the
    parents too, as `parent/child`. `tenant` is False for names that every company shares (a tool, a feature),
    where no foreign id exists. `role` is the maker's in their team, for what its owner may not make or see.
    """

    at: str
    make: MakeId
    _: KW_ONLY
    tenant: bool = True
    role: str = "owner"
