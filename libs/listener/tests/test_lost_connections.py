"""A connection that is gone: whoever still writes to it must let everybody else go on."""

import asyncio

import h11

from libs.listener.protocol import PlainProtocol


async def test_writing_to_a_lost_connection_lets_others_have_their_turn():
    """A stream that waits for nothing of its own would else keep the loop, and never hear that it is over."""
    protocol = PlainProtocol.__new__(PlainProtocol)
    protocol._is_lost = lambda: True
    others = asyncio.Event()
    asyncio.get_running_loop().call_soon(others.set)
    await protocol._send_h11_event(h11.Data(data=b"x"))
    assert others.is_set()
