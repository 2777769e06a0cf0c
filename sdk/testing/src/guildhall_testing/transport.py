"""HTTP/1.1 to servers on this machine, for httpx: a client that costs less than the server that it calls."""

import asyncio
import select
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import httpx

_PATIENCE_SECONDS = 60
_MAX_CONNECTIONS = 100
_MAX_HEAD = 1024 * 1024
_PIECE = 64 * 1024
_NO_BODY = (204, 304)

Header = tuple[bytes, bytes]


class LocalTransport(httpx.AsyncBaseTransport):
    """Keeps connections alive and shares them; what httpx raises for a lost one is raised here too."""

    def __init__(self) -> None:
        self._idle: defaultdict[tuple[str, int], list[_Connection]] = defaultdict(list)
        self._slots = asyncio.Semaphore(_MAX_CONNECTIONS)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.scheme != "http":
            raise httpx.UnsupportedProtocol(f"{request.url.scheme} is not for a hall")
        place = request.url.host, request.url.port or 80
        await self._slots.acquire()
        try:
            connection = await self._connected(*place)
        except BaseException:
            self._slots.release()
            raise
        body = _Body(self, place, connection)
        try:
            await connection.send(request)
            status, headers = await connection.head()
            body.expect(request.method, status, headers)
        except BaseException:
            await body.aclose()
            raise
        return httpx.Response(status, headers=headers, stream=body, request=request)

    async def _connected(self, host: str, port: int) -> "_Connection":
        idle = self._idle[host, port]
        while idle:
            connection = idle.pop()
            if connection.is_usable():
                return connection
            connection.close()
        try:
            reader, writer = await asyncio.open_connection(host, port, limit=_MAX_HEAD)
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        return _Connection(reader, writer)

    def give_back(self, place: tuple[str, int], connection: "_Connection", *, reusable: bool) -> None:
        """Takes a connection back, to be used again unless its last answer was its end."""
        self._slots.release()
        if reusable:
            self._idle[place].append(connection)
        else:
            connection.close()

    async def aclose(self) -> None:
        for idle in self._idle.values():
            for connection in idle:
                connection.close()
        self._idle.clear()


class _Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    def is_usable(self) -> bool:
        """Tells whether the server still listens: an idle connection has something to read at its end."""
        if self._writer.is_closing() or self._reader.at_eof():
            return False
        # Not `select.select`, which takes no descriptor past the first 1,024.
        waiting = select.poll()
        waiting.register(self._writer.get_extra_info("socket").fileno(), select.POLLIN)
        return not waiting.poll(0)

    async def send(self, request: httpx.Request) -> None:
        """Sends all of a request; one that is answered early, and not read to its end, is no failure."""
        lines = [b"%s %s HTTP/1.1" % (request.method.encode("ascii"), request.url.raw_path)]
        for name, value in request.headers.raw:
            if b"\r" in value or b"\n" in value:
                raise httpx.LocalProtocolError(f"a line break in the header {name!r}")
            lines.append(b"%s: %s" % (name, value))
        head = b"\r\n".join(lines) + b"\r\n\r\n"
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                self._writer.write(head)
                assert isinstance(request.stream, httpx.AsyncByteStream)
                is_chunked = (
                    "content-length" not in request.headers and "transfer-encoding" in request.headers
                )
                async for piece in request.stream:
                    self._writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if is_chunked else piece)
                    await self._writer.drain()
                if is_chunked:
                    self._writer.write(b"0\r\n\r\n")
        except ConnectionError:
            return
        except TimeoutError as error:
            raise httpx.WriteTimeout("the server does not read on") from error

    async def head(self) -> tuple[int, list[Header]]:
        """Returns the status and the headers of the answer, after any that only announce it."""
        status = 100
        while status < 200:
            with _as_httpx("Server disconnected without sending a response."):
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    head = await self._reader.readuntil(b"\r\n\r\n")
            first, *lines = head[:-4].split(b"\r\n")
            status = int(first.split(b" ", 2)[1])
        return status, [_header(line) for line in lines]

    async def pieces(self, length: int) -> AsyncIterator[bytes]:
        while length:
            piece = await self._read(min(length, _PIECE))
            length -= len(piece)
            yield piece

    async def chunks(self) -> AsyncIterator[bytes]:
        while length := int((await self._line()).partition(b";")[0], 16):
            async for piece in self.pieces(length):
                yield piece
            await self._line()
        while await self._line():
            pass

    async def rest(self) -> AsyncIterator[bytes]:
        """Yields what comes until the server hangs up."""
        while not self._reader.at_eof():
            with _as_httpx():
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    piece = await self._reader.read(_PIECE)
            if piece:
                yield piece

    async def _read(self, at_most: int) -> bytes:
        with _as_httpx():
            async with asyncio.timeout(_PATIENCE_SECONDS):
                piece = await self._reader.read(at_most)
            if not piece:
                raise asyncio.IncompleteReadError(b"", at_most)
        return piece

    async def _line(self) -> bytes:
        with _as_httpx():
            async with asyncio.timeout(_PATIENCE_SECONDS):
                line = await self._reader.readuntil(b"\r\n")
        return line[:-2]

    def close(self) -> None:
        self._writer.close()


class _Body(httpx.AsyncByteStream):
    """What follows the head; the connection goes back when all of it was read, or nobody wants more."""

    def __init__(self, transport: LocalTransport, place: tuple[str, int], connection: _Connection) -> None:
        self._transport, self._place = transport, place
        self._connection: _Connection | None = connection
        self._reusable = self._complete = False
        self._pieces: AsyncIterator[bytes] | None = None

    def expect(self, method: str, status: int, headers: list[Header]) -> None:
        """Learns from the head how the body ends."""
        assert self._connection is not None
        named = {name.lower(): value.lower() for name, value in headers}
        self._reusable = named.get(b"connection") != b"close"
        if method == "HEAD" or status in _NO_BODY:
            self._complete = True
        elif named.get(b"transfer-encoding") == b"chunked":
            self._pieces = self._connection.chunks()
        elif b"content-length" in named:
            length = int(named[b"content-length"])
            self._complete = not length
            self._pieces = self._connection.pieces(length)
        else:
            self._reusable, self._pieces = False, self._connection.rest()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._complete or self._pieces is None:
            return
        async for piece in self._pieces:
            yield piece
        self._complete = True

    async def aclose(self) -> None:
        if self._connection is not None:
            reusable = self._reusable and self._complete
            self._transport.give_back(self._place, self._connection, reusable=reusable)
            self._connection = None


def _header(line: bytes) -> Header:
    name, _, value = line.partition(b":")
    return name, value.strip()


@contextmanager
def _as_httpx(ended: str = "peer closed connection without sending complete message body") -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise httpx.ReadTimeout("the server says nothing") from error
    except asyncio.IncompleteReadError as error:
        raise httpx.RemoteProtocolError(ended) from error
    except ConnectionError as error:
        raise httpx.ReadError(str(error)) from error
