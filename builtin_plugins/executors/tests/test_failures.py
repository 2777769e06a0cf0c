"""What an endpoint says of its own troubles: for the operator's log, and not for whoever asked."""

import json

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

CHAT, STREAM = "/api/ai/chat", "/api/ai/chat/stream"
KEY = "sk-proj-Zm9yIG5vYm9keQ0123456789"
WORDS = f"Incorrect API key provided: {KEY}. The organization org-of-the-operator is over its budget"


@pytest.fixture
async def hall(share_hall):
    async with share_hall(with_model=True) as opened:
        yield opened


def logged(caplog):
    fields = [getattr(record, "fields", {}) for record in caplog.records]
    return [one["reason"] for one in fields if one.get("reason")]


@pytest.mark.parametrize("path", [CHAT, STREAM])
@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
async def test_its_words_are_for_the_log_and_the_key_in_them_for_nobody(hall, caplog, path, status):
    hall.model.fail(status, WORDS)
    answer = await hall.acme.member.post(path, {"prompt": "Hello"})
    assert answer.status_code in (502, 503)
    assert not any(word in answer.text for word in (KEY, "Incorrect", "org-of-the-operator"))
    (reason,) = logged(caplog)
    assert "org-of-the-operator" in reason
    assert KEY not in caplog.text + reason


async def test_an_error_in_the_midst_of_a_stream_is_no_different(hall, caplog):
    error = json.dumps({"error": {"message": WORDS}})
    begun = {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": None}]}
    hall.model.send(f"data: {json.dumps(begun)}\n\n".encode(), f"data: {error}\n\n".encode())
    async with hall.acme.member.events("POST", STREAM, {"prompt": "Hello"}) as events:
        last = [event async for event in events][-1]
    assert (last.event, last.data["detail"]) == ("error", "The model failed.")
    (reason,) = logged(caplog)
    assert "org-of-the-operator" in reason
    assert KEY not in reason


@pytest.mark.parametrize("secret", [KEY, "9f8e7d6c5b4a39281706f5e4d3c2b1a0", "AIzaSyD0123456789-abcdef"])
async def test_a_request_that_is_refused_is_explained_without_what_looks_like_a_key(hall, secret):
    hall.model.fail(400, f"The context is 4096 tokens, for {secret} too")
    answer = await hall.acme.member.post(CHAT, {"prompt": "Hello"})
    assert "The context is 4096 tokens" in answer.json()["detail"]
    assert secret not in answer.text
