"""The HTTP client of a worker: httpx, which goes by the proxies that a machine's environment names."""

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager

import httpx

from libs.outbound_http import HttpFault, HttpTimeout


class WorkerClient:
    """Implements `HttpClient`."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> "WorkerAnswer":
        with _own_faults():
            request = self._client.build_request(method, url, headers=dict(headers), content=body)
            return WorkerAnswer(await self._client.send(request, stream=True))


class WorkerAnswer:
    """Implements `HttpAnswer`."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.status = response.status_code

    def header(self, name: str) -> str:
        value: str = self._response.headers.get(name, "")
        return value

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        with _own_faults():
            async for chunk in self._response.aiter_raw():
                yield chunk

    async def aclose(self) -> None:
        await self._response.aclose()


@contextmanager
def _own_faults() -> Iterator[None]:
    try:
        yield
    except httpx.TimeoutException as fault:
        raise HttpTimeout(str(fault)) from fault
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as fault:
        raise HttpFault(str(fault)) from fault
