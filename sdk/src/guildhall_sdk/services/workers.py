"""Pull workers inside this process, for tests."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Protocol

from guildhall_sdk.context import Clock
from guildhall_sdk.hooks import declares
from guildhall_sdk.jobs import RemoteHandler


@dataclass(frozen=True, slots=True)
class WorkerModel:
    """A model behind an OpenAI-compatible endpoint that a worker reaches itself; the url has its `/v1`."""

    name: str
    url: str
    key: str | None = field(default=None, repr=False)


class LocalWorkers(Protocol):
    """Runs in this process what `guildhall worker` runs on another machine, for the test harness."""

    def running(
        self,
        url: str,
        token: str,
        clock: Clock,
        *,
        kinds: Sequence[str] | None = None,
        slots: int = 1,
        model: WorkerModel | None = None,
    ) -> AbstractAsyncContextManager[None]:
        """Runs a worker for the server at this address until the block ends; it finishes what it holds.

        Without `kinds` it runs all that have a worker, and with a model also turns of it.
        """


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
