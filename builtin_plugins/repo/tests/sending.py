"""An upload as no client would send it."""

import asyncio

from guildhall_testing.raw import RawAnswer


class Sending:
    """One upload, byte by byte, as no client would send it."""

    def __init__(self, reader, writer):
        self._reader, self._writer = reader, writer

    async def send(self, data):
        self._writer.write(data)
        await self._writer.drain()

    async def send_chunk(self, data):
        await self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def answer(self):
        """What the server says until it hangs up; who sends on regardless may not hear it."""
        try:
            return RawAnswer.parse(await asyncio.wait_for(self._reader.read(-1), 60))
        except ConnectionError:
            return RawAnswer(0, {}, b"")

    async def interim(self):
        return await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), 60)

    def answered(self):
        return bool(self._reader._buffer) or self._reader.at_eof()

    async def hang_up(self):
        self._writer.transport.abort()
