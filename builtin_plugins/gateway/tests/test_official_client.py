"""OpenAI's own client talks to the hall: whole and streamed, tools, formats, pictures, refusals."""

import base64
import json
import struct

import pytest
from pydantic import BaseModel

from builtin_plugins.gateway.tests.conftest import call
from guildhall_sdk.dimensions import Quotas

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

ASKED = [{"role": "user", "content": "What is a guild?"}]
COUNT = {
    "type": "function",
    "function": {
        "name": "count",
        "description": "Counts.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
    },
}
PICTURE = "data:image/png;base64,iVBORw0KGgo="


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_a_completion_comes_whole(hall, client_of):
    hall.model.say("A company of craftsmen.")
    client = await client_of()
    answer = await client.chat.completions.create(
        model="default",
        messages=ASKED,
        temperature=0.5,
        max_completion_tokens=50,
        top_p=0.9,
        seed=7,
        user="x",
    )
    assert answer.choices[0].message.content == "A company of craftsmen."
    assert (answer.choices[0].finish_reason, answer.model, answer.object) == (
        "stop",
        "default",
        "chat.completion",
    )
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0
    sent = hall.model.calls[-1].body
    assert (sent["messages"], sent["max_tokens"], sent["top_p"], sent["seed"]) == (ASKED, 50, 0.9, 7)
    assert "user" not in sent


@pytest.mark.every_database
async def test_a_completion_comes_piece_by_piece(hall, client_of):
    hall.model.say("one two three")
    client = await client_of()
    stream = await client.chat.completions.create(
        model="default", messages=ASKED, stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == "one two three"
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [one.choices[0].finish_reason for one in chunks if one.choices][-1] == "stop"
    assert chunks[-1].usage.completion_tokens == 3
    assert len({one.id for one in chunks}) == 1


@pytest.mark.parametrize("streamed", [False, True])
async def test_tools_are_the_clients_own(hall, client_of, streamed):
    client = await client_of()
    hall.model.say("", tool_calls=[call("count", {"text": "a b"})])
    asked = {"model": "default", "messages": ASKED, "tools": [COUNT], "tool_choice": "auto"}
    if streamed:
        async with client.chat.completions.stream(**asked) as stream:
            async for _ in stream:
                pass
            answer = await stream.get_final_completion()
    else:
        answer = await client.chat.completions.create(**asked)
    assert answer.choices[0].finish_reason == "tool_calls"
    (made,) = answer.choices[0].message.tool_calls
    assert (made.function.name, made.function.arguments) == ("count", '{"text": "a b"}')
    assert hall.model.calls[-1].body["tools"] == [COUNT]
    assert hall.model.calls[-1].body["tool_choice"] == "auto"
    hall.model.say("Two words.")
    told = [
        *ASKED,
        answer.choices[0].message.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": made.id, "content": "2"},
    ]
    answer = await client.chat.completions.create(model="default", messages=told, tools=[COUNT])
    assert answer.choices[0].message.content == "Two words."
    assert hall.model.calls[-1].body["messages"][-1]["content"] == "2"


async def test_an_answer_keeps_to_a_format(hall, client_of):
    class Berth(BaseModel):
        number: int

    hall.model.say('{"number": 7}')
    client = await client_of()
    answer = await client.chat.completions.parse(model="default", messages=ASKED, response_format=Berth)
    assert answer.choices[0].message.parsed == Berth(number=7)


async def test_a_picture_goes_along_and_an_address_does_not(hall, client_of, openai):
    client = await client_of()

    def asked(url):
        parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": url}}]
        return client.chat.completions.create(model="default", messages=[{"role": "user", "content": parts}])

    hall.model.say("A harbour.")
    assert (await asked(PICTURE)).choices[0].message.content == "A harbour."
    assert hall.model.calls[-1].body["messages"][0]["content"][1]["image_url"]["url"] == PICTURE
    with pytest.raises(openai.BadRequestError) as refused:
        await asked("http://127.0.0.1/picture.png")
    assert refused.value.param == "messages.0.content.1.image_url.url"
    assert len(hall.model.calls) == 1


@pytest.mark.every_database
async def test_models_are_those_that_the_caller_may_use(hall, client_of, openai):
    client = await client_of()
    assert [one.id async for one in await client.models.list()] == ["default"]
    assert (await client.models.retrieve("default")).object == "model"
    allowed = {"executor": "local", "model": "q-1", "allowed": {"users": [hall.acme.admin.user_id]}}
    assert (await hall.operator.put("/api/models/quick", allowed)).status_code == 200
    try:
        for name in ("quick", "nothing"):
            with pytest.raises(openai.NotFoundError) as refused:
                await client.chat.completions.create(model=name, messages=ASKED)
            assert refused.value.code == "unknown_model"
        theirs = await client_of(hall.acme.admin)
        hall.model.say("Quick.")
        answer = await theirs.chat.completions.create(model="quick", messages=ASKED)
        assert (answer.model, hall.model.calls[-1].body["model"]) == ("quick", "q-1")
    finally:
        await hall.operator.delete("/api/models/quick")


async def test_what_cannot_be_done_here_is_refused_in_openais_words(hall, client_of, openai):
    client = await client_of()
    for more, param in (
        ({"n": 2}, "n"),
        ({"logprobs": True}, "logprobs"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        ({"extra_body": {"frequency": 1}}, "frequency"),
        ({"temperature": 9}, "temperature"),
    ):
        with pytest.raises(openai.BadRequestError) as refused:
            await client.chat.completions.create(model="default", messages=ASKED, **more)
        assert (refused.value.type, refused.value.code) == ("invalid_request_error", "invalid_request")
        assert refused.value.param.startswith(param)
    assert hall.model.calls == []


async def test_who_has_no_token_or_no_right_is_told_in_the_same_way(hall, client_of, openai):
    with pytest.raises(openai.AuthenticationError) as refused:
        await (await client_of(key="sk-nothing")).models.list()
    assert refused.value.code == "unauthenticated"
    other = (await hall.with_token(hall.acme.member, scope=["notes:read"])).token
    with pytest.raises(openai.PermissionDeniedError) as refused:
        await (await client_of(key=other)).chat.completions.create(model="default", messages=ASKED)
    assert refused.value.type == "permission_error"
    await hall.acme.owner.post("/api/features/chat", {"enabled": False})
    with pytest.raises(openai.PermissionDeniedError) as refused:
        await (await client_of()).models.list()
    assert refused.value.code == "feature_disabled"


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_model_that_fails_is_said_so(hall, client_of, streamed, openai):
    client = await client_of()
    hall.model.fail(500)
    with pytest.raises(openai.InternalServerError) as refused:
        await client.chat.completions.create(model="default", messages=ASKED, stream=streamed)
    assert (refused.value.status_code, refused.value.code) == (502, "model_unavailable")
    hall.model.fail(429, headers={"Retry-After": "9"})
    with pytest.raises(openai.InternalServerError) as busy:
        await client.chat.completions.create(model="default", messages=ASKED, stream=streamed)
    assert (busy.value.status_code, busy.value.response.headers["retry-after"]) == (503, "9")


async def test_whoever_hangs_up_ends_the_models_turn(hall, client_of):
    client = await client_of()
    body = b'data: {"choices": [{"index": 0, "delta": {"content": "on and on"}, "finish_reason": null}]}\n\n'
    hall.model.hang(body)
    stream = await client.chat.completions.create(model="default", messages=ASKED, stream=True)
    async for chunk in stream:
        if chunk.choices and chunk.choices[0].delta.content:
            break
    await stream.close()
    await hall.model.calls[0].left.wait()


@pytest.mark.every_database
@pytest.mark.parametrize("streamed", [False, True])
async def test_what_is_left_of_a_quota_is_in_the_headers_and_beyond_it_nothing_is_asked(
    hall, client_of, openai, streamed
):
    client = await client_of()
    async with hall.server.data.write() as writer:
        quotas = hall.server.service(Quotas)
        await quotas.set_limit(writer, "team", hall.acme.id, "ai.requests", "hour", 1)
    completions = client.chat.completions.with_raw_response
    raw = await completions.create(model="default", messages=ASKED, stream=streamed)
    if streamed:
        assert [chunk async for chunk in raw.parse()]
    assert raw.headers["x-ratelimit-limit-requests"] == "1"
    assert raw.headers["x-ratelimit-remaining-requests"] == "0"
    assert raw.headers["x-ratelimit-reset-requests"].endswith("s")
    with pytest.raises(openai.RateLimitError) as refused:
        await client.chat.completions.create(model="default", messages=ASKED)
    assert refused.value.code == "quota_exceeded"
    assert len(hall.model.calls) == 1


async def test_a_response_comes_whole_and_in_events(hall, client_of):
    client = await client_of()
    hall.model.say("Once.")
    whole = await client.responses.create(model="default", input="Tell me.", instructions="Be short.")
    assert (whole.output_text, whole.status, whole.model) == ("Once.", "completed", "default")
    assert whole.usage.total_tokens > 0
    assert [one["role"] for one in hall.model.calls[-1].body["messages"]] == ["system", "user"]
    hall.model.say("one two")
    async with client.responses.stream(model="default", input="Again.") as stream:
        kinds = [event.type async for event in stream]
        final = await stream.get_final_response()
    assert final.output_text == "one two"
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert kinds.count("response.output_text.delta") == 2


async def test_a_response_calls_functions_and_is_told_what_came_of_it(hall, client_of, openai):
    client = await client_of()
    tool = {"type": "function", **COUNT["function"], "strict": False}
    hall.model.say("", tool_calls=[call("count", {"text": "a"})])
    first = await client.responses.create(model="default", input=ASKED, tools=[tool])
    (made,) = first.output
    assert (made.type, made.name) == ("function_call", "count")
    hall.model.say("One.")
    told = [
        *ASKED,
        made.model_dump(exclude_none=True),
        {"type": "function_call_output", "call_id": made.call_id, "output": "1"},
    ]
    second = await client.responses.create(model="default", input=told, tools=[tool])
    assert second.output_text == "One."
    assert [one["role"] for one in hall.model.calls[-1].body["messages"]] == ["user", "assistant", "tool"]
    with pytest.raises(openai.BadRequestError):
        await client.responses.create(model="default", input="x", previous_response_id="resp_1")


async def test_embeddings_are_an_executors_in_numbers_and_in_base64(hall, client_of):
    client = await client_of()
    vectors = [{"index": 0, "embedding": [0.5, 0.25]}, {"index": 1, "embedding": [1.0, 0.0]}]
    answer = {"object": "list", "data": vectors, "usage": {"prompt_tokens": 4, "total_tokens": 4}}
    made = await hall.operator.post(
        "/api/executors", {"name": "vec", "mode": "push", "url": hall.model.url, "model": "v"}
    )
    assert made.status_code == 201, made.text
    await hall.operator.put("/api/models/vec", {"executor": "vec", "allowed": {"roles": ["member"]}})
    try:
        for form in ("float", "base64"):
            hall.model.send(json.dumps(answer).encode(), content_type="application/json")
            found = await client.embeddings.create(model="vec", input=["a", "b"], encoding_format=form)
            first = found.data[0].embedding
            if form == "base64":
                first = list(struct.unpack("<2f", base64.b64decode(first)))
            assert (first, found.model, found.usage.total_tokens) == ([0.5, 0.25], "vec", 4)
    finally:
        await hall.operator.delete("/api/models/vec")
        await hall.operator.delete(f"/api/executors/{made.json()['id']}")
