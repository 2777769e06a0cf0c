"""Replies that go wrong on their way out."""

import httpx
import pytest

from guildhall_sdk import Auth, Plugin, Reply, Route, hookimpl

pytestmark = pytest.mark.any_database


class Clumsy:
    """A plugin whose replies cannot be sent."""

    PLUGIN = Plugin("clumsy", "Clumsy", "0.1.0", "Drops things.")

    @hookimpl
    def declare_routes(self):
        return [
            Route("GET", "/api/no-json", "no_json", "Not JSON", auth=Auth.PUBLIC),
            Route("GET", "/api/torn", "torn", "Torn", auth=Auth.PUBLIC, content_type="text/plain"),
        ]

    @hookimpl
    def declare_handlers(self):
        async def no_json(call):
            return Reply({"what": object()})

        async def torn(call):
            async def stream():
                yield b"the first half"
                raise RuntimeError("as told")

            return Reply(stream=stream(), content_type="text/plain")

        return {"no_json": no_json, "torn": torn}


async def test_a_body_that_is_no_json_is_an_honest_failure(open_hall):
    async with open_hall(Clumsy()) as hall:
        answer = await hall.anonymous.get("/api/no-json")
        assert (answer.status_code, answer.json()["code"]) == (500, "internal")
        assert "object" not in answer.text


async def test_a_stream_that_breaks_is_cut_and_never_looks_whole(open_hall):
    async with open_hall(Clumsy()) as hall:
        with pytest.raises(httpx.RemoteProtocolError):
            await hall.anonymous.get("/api/torn")
        assert (await hall.anonymous.get("/health")).status_code == 200


async def test_a_long_answer_is_encoded_in_steps_and_says_the_same(hall, monkeypatch):
    long = 'é"\n\\' * 150_000
    made = (await hall.acme.member.post("/api/notes", {"title": "Long", "body": long})).json()

    def at_once(body):
        raise AssertionError("a long answer was encoded at once")

    with monkeypatch.context() as patch:
        patch.setattr("libs.strict_json.decoding.encode_json", at_once)
        answer = await hall.acme.member.get(f"/api/notes/{made['id']}")
    assert answer.status_code == 200
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert answer.json()["body"] == long
