"""A blueprint answers requests that are handed to it."""

import pytest
from quart import Blueprint, abort, g, request

from libs.blueprints import BlueprintRequest, MountedBlueprint, Refused, Unservable


def request_of(path, method="GET", body=b"", query=b""):
    return BlueprintRequest(
        method=method,
        scheme="http",
        path=path,
        query=query,
        headers={"host": "hall.example", "content-length": str(len(body))},
        address="192.0.2.7",
        body=body,
    )


@pytest.fixture
def mounted():
    blueprint = Blueprint("board", __name__, url_prefix="/board")

    @blueprint.post("/<int:number>")
    async def echo(number):
        """Says it again

        and more.
        """
        return {"number": number, "body": (await request.get_data()).decode(), "call": g.call}

    @blueprint.get("/new")
    async def new():
        abort(405)

    @blueprint.get("/<path:rest>")
    async def rest(rest):
        """Takes the rest"""

        async def pieces():
            yield rest
            yield b"!"

        return pieces()

    return MountedBlueprint(blueprint, "/at")


def test_rules_come_the_most_particular_first(mounted):
    assert [(rule.method, rule.path, rule.doc) for rule in mounted.rules()] == [
        ("GET", "/at/board/new", ""),
        ("POST", "/at/board/:number", "Says it again"),
        ("GET", "/at/board/*rest", "Takes the rest"),
    ]


async def test_a_handler_gets_the_request_and_what_is_given(mounted):
    answered = await mounted.answer(request_of("/at/board/5", "POST", b"tea"), call="the call")
    assert (answered.status, answered.content_type) == (200, "application/json")
    assert answered.content == b'{"body":"tea","call":"the call","number":5}\n'


async def test_a_stream_is_left_to_its_reader(mounted):
    answered = await mounted.answer(request_of("/at/board/a/b"))
    assert answered.content is None
    assert b"".join([chunk async for chunk in answered.stream]) == b"a/b!"


async def test_a_refusal_is_raised(mounted):
    with pytest.raises(Refused) as refused:
        await mounted.answer(request_of("/at/board/new"))
    assert (refused.value.status, refused.value.name) == (405, "Method Not Allowed")


def test_a_websocket_cannot_be_served():
    blueprint = Blueprint("live", __name__)
    blueprint.websocket("/live")(lambda: None)
    with pytest.raises(Unservable, match="the blueprint live has a websocket"):
        MountedBlueprint(blueprint, "/at")
