"""Work beside requests and jobs, begun by `host.background(name, run)`."""

from typing import Protocol


class BackgroundWork(Protocol):
    """A piece of work that its plugin owns."""

    @property
    def ended(self) -> bool:
        """Whether it has returned, or was cancelled; one that failed and waits to begin again has not."""
        ...

    async def cancel(self) -> None:
        """Ends it, and comes back when it has ended or has not let itself be ended for ten seconds."""
        ...

    async def wait(self) -> None:
        """Comes back when it has ended."""
        ...
