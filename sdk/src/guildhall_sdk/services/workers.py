"""Pull workers inside this process, for tests."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from guildhall_sdk.context import Clock


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
        ...
