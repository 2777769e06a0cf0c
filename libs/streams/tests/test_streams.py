"""The first chunk of a stream is read early, and its source is closed whoever stops."""

import pytest

from libs.streams import after, begun, close


class Source:
    def __init__(self, *chunks):
        self.chunks, self.closed = [*chunks], False

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.chunks:
            raise StopAsyncIteration
        chunk = self.chunks.pop(0)
        if isinstance(chunk, Exception):
            raise chunk
        return chunk

    async def aclose(self):
        self.closed = True


async def test_all_chunks_come_in_their_order_and_the_source_is_closed():
    source = Source(b"a", b"b", b"c")
    assert [chunk async for chunk in await begun(source)] == [b"a", b"b", b"c"]
    assert source.closed


async def test_an_error_at_the_first_chunk_shows_before_the_rest_is_read():
    with pytest.raises(LookupError):
        await begun(Source(LookupError("gone")))


async def test_who_stops_early_closes_the_source():
    source = Source(b"b")
    chunks = after(b"a", source)
    assert await anext(chunks) == b"a"
    await close(chunks)
    assert source.closed


async def test_what_has_no_end_of_its_own_is_left_alone():
    await close(iter(()))
