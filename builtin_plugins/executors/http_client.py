"""What is needed of a client for HTTP, whichever library it is made with."""

from collections.abc import AsyncGenerator, Mapping
from typing import Protocol


class HttpFault(Exception):
    """The other side cannot be reached, or broke off, or does not speak HTTP."""


class HttpTimeout(HttpFault):
    """The other side took longer than the client itself waits."""


class HttpAnswer(Protocol):
    """An answer whose head is there; it has to be closed."""

    @property
    def status(self) -> int: ...

    def header(self, name: str) -> str:
        """The value of a header, by its name in lower case; empty where it is missing."""
        ...

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """The body as it comes, and as it was sent. Raises `HttpFault`."""
        ...

    async def aclose(self) -> None: ...


class HttpClient(Protocol):
    """Sends a request as it is: it follows no redirect and keeps no cookie."""

    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> HttpAnswer:
        """The answer once its head is there. Raises `HttpFault`."""
        ...
