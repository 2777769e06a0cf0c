"""Calls of rows: each is sent until it is answered, and a refusal is raised."""

import secrets
from asyncio import sleep
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from guildhall_client.asynchronous.files import blocks
from guildhall_client.errors import Malformed, Unreachable, problem_of
from guildhall_client.retries import Retries
from guildhall_client.sending import OMITTED, given, words
from guildhall_client.uploads import Source, headers_of, is_ours, opened

_NOTHING: Mapping[str, str] = {}


class AsyncApi:
    """What the resources of a client call rows with."""

    def __init__(self, http: httpx.AsyncClient, retries: Retries) -> None:
        self.http = http
        self.retries = retries

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
        body: Any = OMITTED,
        keyed: bool = True,
        idempotency_key: str | None = None,
    ) -> Any:
        """Returns what a row answers, as JSON; None where it is nothing.

        A POST carries an `Idempotency-Key`, so that it happens once however often it is sent.
        """
        headers = {"Accept": "application/json"}
        if method == "POST" and (keyed or idempotency_key):
            headers["Idempotency-Key"] = idempotency_key or secrets.token_hex(16)
        content = given(fields) if fields is not None else body
        asked = words(query) if query else None
        request: dict[str, Any] = {} if content is OMITTED else {"json": content}
        attempt = 0
        while True:
            try:
                response = await self.http.request(method, path, params=asked, headers=headers, **request)
            except httpx.TransportError as error:
                wait = self.retries.after_failure(error, attempt, method=method, headers=headers)
                if wait is None:
                    raise _unreachable(self.http, error) from error
            else:
                if response.is_success:
                    return _json(response)
                wait = self.retries.after_answer(response, attempt, method=method, headers=headers)
                if wait is None:
                    raise problem_of(response)
            attempt += 1
            await sleep(wait)

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] = _NOTHING,
        timeout: httpx.Timeout | None = None,
    ) -> AsyncIterator[httpx.Response]:
        """Yields a response whose body is still to be read. A refusal is raised, without another attempt."""
        more: dict[str, Any] = {} if fields is None else {"json": given(fields)}
        if timeout is not None:
            more["timeout"] = timeout
        asked = words(query) if query else None
        try:
            async with self.http.stream(method, path, params=asked, headers=headers, **more) as response:
                if not response.is_success:
                    await response.aread()
                    raise problem_of(response)
                yield response
        except httpx.TransportError as error:
            raise _unreachable(self.http, error) from error

    async def upload(
        self,
        method: str,
        path: str,
        source: Source,
        content_type: str | None,
        *,
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        """Sends bytes as they are; a file that can be read anew is sent again where that may help."""
        content = opened(source)
        try:
            headers = {
                "Accept": "application/json",
                **headers_of(content, path, content_type),
            }
            again = isinstance(content, bytes) or content.seekable()
            begin = 0 if isinstance(content, bytes) or not again else content.tell()
            attempt = 0 if again else self.retries.attempts
            asked = words(query) if query else None
            while True:
                sent = content if isinstance(content, bytes) else blocks(content)
                try:
                    response = await self.http.request(
                        method, path, params=asked, headers=headers, content=sent
                    )
                except httpx.TransportError as error:
                    wait = self.retries.after_failure(error, attempt, method=method, headers=headers)
                    if wait is None:
                        raise _unreachable(self.http, error) from error
                else:
                    if response.is_success:
                        return _json(response)
                    wait = self.retries.after_answer(response, attempt, method=method, headers=headers)
                    if wait is None:
                        raise problem_of(response)
                attempt += 1
                await sleep(wait)
                if not isinstance(content, bytes):
                    content.seek(begin)
        finally:
            if is_ours(source) and not isinstance(content, bytes):
                content.close()


def _json(response: httpx.Response) -> Any:
    if response.status_code == 204 or not response.content:
        return None
    try:
        return response.json()
    except (ValueError, RecursionError):
        raise Malformed(f"{response.url.host} answers with something that is not JSON") from None


def _unreachable(http: httpx.AsyncClient, error: httpx.TransportError) -> Unreachable:
    return Unreachable(f"{http.base_url.host} does not answer: {str(error) or type(error).__name__}")
