import asyncio
from collections import deque

import pytest

from libs.request_body import ClientGone, RefusableBody, unless_gone


class Refusals:
    patience_seconds = 0.01

    def too_large(self, limit):
        return ValueError(f"more than {limit}")

    def too_slow(self):
        return ValueError("too slow")


def body_of(*chunks, headers=((b"transfer-encoding", b"chunked"),)):
    messages = deque({"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks)

    async def receive():
        while not messages:
            await asyncio.Event().wait()
        return messages.popleft()

    return RefusableBody(receive, {"headers": headers}, Refusals())


async def test_a_body_is_refused_in_the_words_of_its_protocol():
    with pytest.raises(ValueError, match="more than 5"):
        await body_of(b"abc", b"def").read(5)
    with pytest.raises(ValueError, match="too slow"):
        await body_of(b"abc").read(5)


async def test_a_head_that_announces_none_has_no_body():
    assert await body_of(headers=[(b"content-length", b"0")]).read(5) == b""


async def test_work_ends_with_whoever_waits_for_it():
    class Gone:
        async def hung_up(self):
            return

    with pytest.raises(ClientGone):
        await unless_gone(Gone(), asyncio.sleep(3600))
