"""One request and its whole answer, within a time, a size and a number at once."""

import asyncio
from contextlib import aclosing

import pytest

from libs.outbound_http import (
    AnswerTooLarge,
    EndpointRefused,
    HttpTimeout,
    Request,
    Slots,
    TooManyAtOnce,
    fetch,
    parse_url,
)
from libs.outbound_http.transport import open_client
from tests.told_server import ToldServer


@pytest.fixture
async def server():
    told = ToldServer()
    await told.start()
    yield told
    await told.stop()


@pytest.fixture
async def client():
    async with aclosing(open_client()) as opened:
        yield opened


def request(server, path="/in?team=7", *, timeout=60, max_bytes=1000):
    return Request("POST", f"{server.url}{path}", {"X-One": "1"}, b"{}", timeout, max_bytes)


async def test_an_answer_is_read_whole_with_its_headers(client, server):
    server.answer(b"Hello", 418, X_Kind="teapot")
    answer = await fetch(client, Slots(1, 1), "acme", request(server))
    assert (answer.status, answer.headers["x-kind"], answer.body) == (418, "teapot", b"Hello")
    line, headers, body = server.requests[0]
    assert (line, headers["x-one"], body) == ("POST /in?team=7 HTTP/1.1", "1", b"{}")


async def test_an_answer_that_is_too_long_is_let_go(client, server):
    server.answer(b"x" * 1001)
    with pytest.raises(AnswerTooLarge):
        await fetch(client, Slots(1, 1), "acme", request(server))


async def test_an_answer_that_is_too_long_is_cut_where_its_beginning_is_enough(client, server):
    server.answer(b"x" * 100_000)
    cut = request(server)._replace(truncate=True)
    assert (await fetch(client, Slots(1, 1), "acme", cut)).body == b"x" * 1000


async def test_a_server_that_says_nothing_is_waited_for_so_long_and_no_longer(client, server):
    server.silent = True
    with pytest.raises(HttpTimeout):
        await fetch(client, Slots(1, 1), "acme", request(server, timeout=0.05))


async def test_a_redirect_is_an_answer_like_any_other(client, server):
    server.answer(b"", 302, Location="http://127.0.0.1/elsewhere")
    assert (await fetch(client, Slots(1, 1), "acme", request(server))).status == 302
    assert len(server.requests) == 1


async def test_one_holder_waits_for_itself_and_for_nobody_else():
    slots, held = Slots(1, 1), asyncio.Event()

    async def hold(holder):
        async with slots.slot(holder):
            await held.wait()

    holding = [asyncio.create_task(hold("acme")) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(TooManyAtOnce):
        async with slots.slot("acme"):
            pass
    async with slots.slot("globex"):
        pass
    held.set()
    await asyncio.gather(*holding)
    async with slots.slot("acme"):
        pass


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://Hooks.example.com./in/?a=b&c", "https://hooks.example.com/in/?a=b&c"),
        ("http://hooks.example.com", "http://hooks.example.com/"),
    ],
)
def test_a_whole_address_keeps_its_path_and_its_query(url, written):
    assert parse_url(url).url == written


@pytest.mark.parametrize(
    "url", ["https://hooks.example.com/#in", "ftp://hooks.example.com/", "https://a:b@hooks.example.com/"]
)
def test_what_is_no_address_to_send_to_is_refused(url):
    with pytest.raises(EndpointRefused):
        parse_url(url)
