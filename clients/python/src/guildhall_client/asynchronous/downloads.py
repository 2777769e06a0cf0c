"""Content as bytes, read as it comes and gone on with where a connection breaks."""

import hashlib
from asyncio import sleep
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from os import PathLike
from pathlib import Path
from typing import Any

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.files import put_in_place, write
from guildhall_client.errors import Changed, Problem, Unreachable

Progress = Callable[[int, int | None], None]


class AsyncDownload:
    """The bytes of something; nothing is asked for before they are read.

    Where a connection breaks, the rest is asked for, and only if the content is still the same.
    """

    def __init__(self, api: AsyncApi, path: str, query: Mapping[str, Any] | None = None) -> None:
        self._api = api
        self._path = path
        self._query = query
        self._etag: str | None = None
        #: How long the content is, once something was read and the server says so.
        self.size: int | None = None
        self.content_type: str | None = None

    async def read(self) -> bytes:
        """Returns all of it."""
        return b"".join([block async for block in self])

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self._blocks(0)) as blocks:
            async for block in blocks:
                yield block

    async def save(self, path: str | PathLike[str], progress: Progress | None = None) -> Path:
        """Writes it into a file, which is there once it is whole; a folder gets no file of its own.

        What came of it is kept beside it as `.part` when a download breaks off, and the next one of the same
        content goes on from there. `progress` is called with the bytes so far, and of how many.
        """
        path = Path(path)
        await self._look()
        part = path.with_name(f".{path.name}.{_short(self._etag)}.part")
        begin = part.stat().st_size if self._etag is not None and part.exists() else 0
        with part.open("ab" if begin else "wb") as file:
            done = begin
            if self.size is None or begin < self.size:
                async for block in self._blocks(begin):
                    await write(file, block)
                    done += len(block)
                    if progress is not None:
                        progress(done, self.size)
        await put_in_place(part, path)
        return path

    async def _look(self) -> None:
        """Asks which content it is and how long, and leaves it there."""
        failures = 0
        while True:
            try:
                async with self._api.stream("GET", self._path, query=self._query) as response:
                    self._learn(response.headers, 0)
                    return
            except (Unreachable, Problem) as error:
                failures += 1
                await sleep(self._api.retries.after_break(error, failures))

    def _learn(self, headers: Mapping[str, str], begin: int) -> None:
        self._etag = headers.get("etag")
        self.content_type = headers.get("content-type")
        length = headers.get("content-length", "")
        self.size = begin + int(length) if length.isdigit() and "content-encoding" not in headers else None

    async def _blocks(self, begin: int) -> AsyncGenerator[bytes, None]:
        at, failures = begin, 0
        if begin == 0:
            self._etag = None
        while True:
            try:
                async with aclosing(self._connection(at)) as blocks:
                    async for block in blocks:
                        at, failures = at + len(block), 0
                        yield block
                return
            except (Unreachable, Problem) as error:
                if at and self._etag is None:
                    raise
                failures += 1
                await sleep(self._api.retries.after_break(error, failures))

    async def _connection(self, begin: int) -> AsyncGenerator[bytes, None]:
        """Yields what one answer has from a byte on. Raises `Changed` where it is not the same any more."""
        headers = {"Accept": "*/*", "Accept-Encoding": "identity"}
        if begin and self._etag is not None:
            headers |= {"Range": f"bytes={begin}-", "If-Range": self._etag}
        async with self._api.stream("GET", self._path, query=self._query, headers=headers) as response:
            if begin and response.status_code != 206:
                raise Changed("the content has changed since its first bytes were read; read it anew")
            self._learn(response.headers, begin)
            async for block in response.aiter_bytes():
                yield block


def _short(etag: str | None) -> str:
    return hashlib.sha256((etag or "").encode()).hexdigest()[:12]
