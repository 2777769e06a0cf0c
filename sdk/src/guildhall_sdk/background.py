"""Work beside requests and jobs, begun by `host.background(name, run)`."""

from typing import Protocol


class BackgroundWork(Protocol):
    """Work that a plugin began beside requests and jobs, by `host.background`."""

    @property
    def ended(self) -> bool:
        """Whether the work has returned or was cancelled; work that failed will begin again, and has not."""
        ...

    async def cancel(self) -> None:
        """Cancels the work, and returns when it has ended or has kept running for ten seconds."""
        ...

    async def wait(self) -> None:
        """Returns when the work has ended."""
        ...
