"""Workers that call a model which they reach themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol

from guildhall_sdk.hooks import declares
from guildhall_sdk.jobs import RemoteHandler


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRunner:
    """Tells how a worker runs turns of a model that it reaches itself.

    `handler(url, key)` runs jobs of `kind` with the model at this address, the `/v1` included.
    """

    kind: str
    timeout_seconds: int
    handler: Callable[[str, str | None], RemoteHandler]


class TurnHooks(Protocol):
    """The hook of the plugin `jobs` for workers that call models."""

    @declares(TurnRunner, label="runner of turns", name=attrgetter("kind"))
    def declare_turn_runners(self) -> Sequence[TurnRunner]:
        """Declares how a worker runs turns of a model that it reaches itself."""
