"""Sample content for a team that has nothing yet."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol

from guildhall_sdk.context import Host
from guildhall_sdk.data import Writer
from guildhall_sdk.hooks import declares
from guildhall_sdk.principal import Principal


@dataclass(frozen=True, slots=True)
class Seeded:
    """The number of samples that were made, and of those that were there before."""

    created: int
    existing: int


Seed = Callable[[Host, Writer, Principal, int], Awaitable[Seeded]]


@dataclass(frozen=True, slots=True)
class Samples:
    """The samples of one kind, such as `notes`.

    `seed(host, writer, principal, now_ms)` makes those that the caller's team does not have; called
    again, or by two at once, it makes none twice. `permission` is what making one by hand needs.
    """

    name: str
    permission: str
    seed: Seed


class SampleHooks(Protocol):
    """The hook of the plugin `admin` for sample content."""

    @declares(
        Samples,
        label="sample content",
        name=attrgetter("name"),
        functions={"seed": ("host", "writer", "principal", "now_ms")},
    )
    def declare_samples(self) -> Sequence[Samples]:
        """Declares sample content that a team can ask for."""
