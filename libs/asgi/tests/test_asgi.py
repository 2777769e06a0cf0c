"""Applications put together: who answers, and what is sent."""

import asyncio

import pytest

from libs.asgi import Deferred, behind, first_found, is_from_other_site, joined_headers


def answering(status, asked=None):
    async def app(scope, receive, send):
        if asked is not None:
            asked.append(scope)
        await send({"type": "http.response.start", "status": status})
        await send({"type": "http.response.body"})

    return app


async def statuses(app, **scope):
    sent = []

    async def send(message):
        sent.append(message.get("status", "body"))

    await app({"method": "GET", "path": "/", "headers": [], **scope}, None, send)
    return sent


@pytest.mark.parametrize(
    ("method", "first", "sent"),
    [
        ("GET", 200, [200, "body"]),
        ("GET", 404, [201, "body"]),
        ("HEAD", 404, [201, "body"]),
        ("POST", 404, [404, "body"]),
        ("GET", 500, [500, "body"]),
    ],
)
async def test_the_second_answers_what_the_first_does_not_find(method, first, sent):
    app = first_found(answering(first), answering(201))
    assert await statuses(app, method=method) == sent


async def test_whoever_comes_too_early_waits_but_for_the_probe():
    app = Deferred("/ready", answering(503))
    waiting = asyncio.create_task(statuses(app))
    assert await statuses(app, path="/ready") == [503, "body"]
    assert not waiting.done()
    app.serve(answering(200))
    assert await waiting == [200, "body"]
    assert await statuses(app, path="/ready") == [200, "body"]


@pytest.mark.parametrize(
    ("client", "seen"),
    [
        (("10.0.0.1", 5), {"client": ("192.0.2.7", 0), "peer": "10.0.0.1"}),
        (("192.0.2.7", 5), {"client": ("192.0.2.7", 5)}),
        (None, {"client": None}),
    ],
)
async def test_the_caller_is_whom_the_proxies_name(client, seen):
    asked = []
    await statuses(behind(answering(200, asked), lambda *_: "192.0.2.7", "peer"), client=client)
    assert {name: asked[0].get(name) for name in seen} == seen
    assert "peer" in seen or "peer" not in asked[0]


def test_lines_of_one_name_are_a_list():
    assert joined_headers([(b"a", b"1"), (b"b", b"2"), (b"a", b"3")]) == {"a": "1, 3", "b": "2"}


@pytest.mark.parametrize(
    ("headers", "other"),
    [
        ({}, False),
        ({"sec-fetch-site": "same-origin", "origin": "https://elsewhere"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": "same-site"}, True),
        ({"sec-fetch-site": "cross-site", "origin": "https://own"}, True),
        ({"origin": "https://own", "host": "x"}, False),
        ({"origin": "http://here:80", "host": "here:80"}, False),
        ({"origin": "https://elsewhere", "host": "x"}, True),
        ({"origin": "null", "host": "x"}, True),
        ({"origin": "http://[", "host": "x"}, True),
    ],
)
def test_a_page_of_another_site_is_told(headers, other):
    assert is_from_other_site(headers, "own") is other
