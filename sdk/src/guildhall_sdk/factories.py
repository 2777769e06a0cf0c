"""How the conformance tests get a real id for each path parameter."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Protocol


class SampleClient(Protocol):
    """Calls the server as one person; answers are (status, decoded JSON)."""

    @property
    def user_id(self) -> str: ...

    async def call(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Mapping[str, Any]]: ...


MakeId = Callable[[SampleClient, str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Factory:
    """Makes a resource for the path prefix `at` through the front door and gives its id.

    `at` is a path up to and with the parameter (`/api/notes/:id`). The maker gets a client of the
    owning company and a canary to put into every text it writes. For a nested path it may give the
    ids of the parents too, as `parent/child`. `tenant` is False for names that every company shares
    (a tool, a feature), where no foreign id exists.
    """

    at: str
    make: MakeId
    _: KW_ONLY
    tenant: bool = True
