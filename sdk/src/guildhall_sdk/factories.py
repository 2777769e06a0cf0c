"""Factories of real ids for path parameters, for the conformance tests."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple, Protocol

from guildhall_sdk.context import Host
from guildhall_sdk.data import Writer
from guildhall_sdk.principal import Principal


class SampleClient(Protocol):
    """A client that calls the server as one person; an answer is (status, decoded JSON)."""

    @property
    def user_id(self) -> str:
        """The id of the person."""

    async def call(
        self, method: str, path: str, body: Any = None, *, may_refuse: bool = False, **headers: str
    ) -> tuple[int, Mapping[str, Any]]:
        """Calls a route with JSON, or with bytes as they are; returns the status and the answer's JSON.

        The test of a factory whose call is refused fails with the refusal, unless it `may_refuse`.
        """


@dataclass(frozen=True, slots=True)
class Factory:
    """A maker of a resource below the path prefix `at`, through the API; it returns the id.

    `at` is a path up to and with the parameter (`/api/notes/:id`), or the whole path of the one row that
    needs something of its own (`/api/notes/:id/picture`). The maker gets a client of the owning
    company and a canary to put into every text it writes. For a nested path it may give the ids of the
    parents too, as `parent/child`. `tenant` is False for names that every company shares (a tool, a feature),
    where no foreign id exists. `role` is the maker's in their team, for what its owner may not make or see.
    """

    at: str
    make: Callable[[SampleClient, str], Awaitable[str]]
    _: KW_ONLY
    tenant: bool = True
    role: str = "owner"


class Seeded(NamedTuple):
    """The number of samples that were made, and of those that were there before."""

    created: int
    existing: int


@dataclass(frozen=True, slots=True)
class Samples:
    """The samples of one kind, such as `notes`.

    `seed(host, writer, principal, now_ms)` makes those that the caller's team does not have; called
    again, or by two at once, it makes none twice. `permission` is what making one by hand needs.
    """

    name: str
    permission: str
    seed: Callable[[Host, Writer, Principal, int], Awaitable[Seeded]]
