"""A model's endpoint as plugins call and stream it, through the harness's scripted model."""

import asyncio
import logging
from contextlib import aclosing

import pytest

from builtin_plugins.executors import answers, model_endpoint
from builtin_plugins.executors.records import NewExecutor
from guildhall_sdk import UserError
from guildhall_sdk.services.models import Executors, ExecutorTimeout, ModelUnavailable
from guildhall_testing.heartbeat import quietest
from guildhall_testing.model import MODEL_KEY, MODEL_NAME

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ASKED = {"messages": [{"role": "user", "content": "Say hello"}]}
HELLO = b'data: {"choices": [{"delta": {"content": "Hello"}, "finish_reason": null}]}\n\n'
FINISH = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'


async def endpoint_of(hall, executor=None, company=None):
    async with hall.server.data.read() as reader:
        org_id = (company or hall.acme).org_id
        return await hall.server.service(Executors).endpoint(reader, org_id, executor)


@pytest.fixture
async def hall(share_hall):
    async with share_hall(with_model=True) as opened:
        yield opened


def text_of(chunks):
    return "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])


@pytest.mark.hall_databases("sqlite")
async def test_the_instances_own_model_is_called_and_streamed(hall):
    endpoint = await endpoint_of(hall)
    assert (endpoint.executor, endpoint.model) == ("local", MODEL_NAME)
    assert MODEL_KEY not in repr(endpoint)
    hall.model.say("Hello there")
    answer = await endpoint.call(ASKED)
    assert answer["choices"][0]["message"]["content"] == "Hello there"
    hall.model.say("Hello  there, again")
    chunks = [chunk async for chunk in endpoint.stream({**ASKED, "model": "other"})]
    assert text_of(chunks) == "Hello  there, again"
    first, second = hall.model.calls
    assert first.body == {**ASKED, "model": MODEL_NAME}
    assert second.body == {**ASKED, "model": "other", "stream": True}
    assert first.headers["authorization"] == f"Bearer {MODEL_KEY}"


async def test_an_executor_is_found_by_id_and_name_among_those_offered(open_hall):
    async with open_hall() as hall:
        assert await endpoint_of(hall) is None, "the simulated model has no address"
        executors = hall.server.service(Executors)
        made = {}
        for name, mode, org_id in (("Big", "push", hall.acme.org_id), ("Puller", "pull", None)):
            url = hall.model.url if mode == "push" else None
            key = "sk-of-acme-alone" if mode == "push" else None
            new = NewExecutor(name, mode, url=url, model="big-1", key=key, org_id=org_id)
            admitted = await executors.admit(new, by_operator=True)
            async with hall.server.data.write() as writer:
                made[name], _ = await executors.create(writer, admitted)
        for named in ("Big", "big", made["Big"].id):
            endpoint = await endpoint_of(hall, named)
            assert (endpoint.executor, endpoint.model) == ("Big", "big-1")
        await endpoint.call(ASKED)
        assert hall.model.calls[0].headers["authorization"] == "Bearer sk-of-acme-alone"
        assert await endpoint_of(hall, "Puller") is None
        for company, named in ((hall.globex, "Big"), (hall.globex, made["Big"].id), (hall.acme, "nobody")):
            with pytest.raises(UserError) as unknown:
                await endpoint_of(hall, named, company)
            assert unknown.value.code == "unknown_executor"


@pytest.mark.hall_databases("sqlite")
async def test_a_companys_endpoint_is_checked_whenever_it_is_used(open_hall):
    async with open_hall() as hall:
        executors = hall.server.service(Executors)
        new = NewExecutor("inward", "push", url=hall.model.url, org_id=hall.acme.org_id)
        admitted = await executors.admit(new, by_operator=True)
        async with hall.server.data.write() as writer:
            # As if its name had led elsewhere when it was made.
            by_company = type(admitted)(admitted.new, by_operator=False)
            await executors.create(writer, by_company)
        endpoint = await endpoint_of(hall, "inward")
        for used in (endpoint.call(ASKED), anext(endpoint.stream(ASKED))):
            with pytest.raises(UserError) as refused:
                await used
            assert refused.value.code == "endpoint_refused"
        assert hall.model.calls == []


@pytest.mark.hall_databases("sqlite")
async def test_failures_say_so_without_the_key(hall, caplog):
    caplog.set_level(logging.DEBUG)
    endpoint = await endpoint_of(hall)

    async def failing(streamed):
        with pytest.raises(ModelUnavailable) as failed:
            if streamed:
                [_ async for _ in endpoint.stream(ASKED)]
            else:
                await endpoint.call(ASKED)
        assert (failed.value.status, failed.value.code) == (502, "model_unavailable")
        assert MODEL_KEY not in failed.value.detail
        return failed.value

    for streamed in (False, True):
        hall.model.fail(400, f"max_tokens is not supported with {MODEL_KEY}")
        refused = await failing(streamed)
        assert (refused.upstream_status, refused.retry) == (400, False)
        assert "max_tokens is not supported" in refused.detail
        hall.model.fail(503)
        assert (await failing(streamed)).retry is True
        hall.model.send(b"<html>", content_type="text/html")
        await failing(streamed)
    hall.model.send(b'{"error": {"message": "no"}}', content_type="application/json")
    failed = await failing(False)
    assert (failed.detail, failed.reason) == ("The model failed.", "no")
    hall.model.send(b"data: {oops\n\n")
    assert "not JSON" in (await failing(True)).detail
    hall.model.send(b'data: {"choices": []}\n\n')
    assert "broke off" in (await failing(True)).detail
    hall.model.send(b'data: {"error": {"message": "overloaded"}}\n\n', FINISH)
    assert (await failing(True)).reason == "overloaded"
    assert MODEL_KEY not in caplog.text

    hall.model.send(b": waiting\r\n\r\ndata:\r\nevent: x\n", FINISH.replace(b"\n", b"\r\n"))
    assert len([chunk async for chunk in endpoint.stream(ASKED)]) == 1, "a finish reason is an end too"


@pytest.mark.hall_databases("sqlite")
async def test_answers_are_bounded(hall, monkeypatch):
    monkeypatch.setattr(model_endpoint, "MAX_ANSWER_BYTES", 1000)
    monkeypatch.setattr(answers, "MAX_LINE_BYTES", 1000)
    monkeypatch.setattr(answers, "MAX_STREAM_BYTES", 100_000)
    endpoint = await endpoint_of(hall)
    hall.model.send(b" " * 2000, content_type="application/json")
    with pytest.raises(ModelUnavailable, match="is larger than"):
        await endpoint.call(ASKED)
    for chunks in ([b"data: " + b"x" * 2000], [b": comment\n" * 2000] * 10):
        hall.model.send(*chunks)
        with pytest.raises(ModelUnavailable, match="too large"):
            [_ async for _ in endpoint.stream(ASKED)]
    monkeypatch.undo()

    async def streamed():
        hall.model.send(*[b"data: {}\n" * 1_000] * 10, FINISH)
        return len([_ async for _ in endpoint.stream(ASKED)])

    chunks, held_ms = await quietest(streamed, 50)
    assert chunks == 10_001
    assert held_ms < 50


@pytest.mark.hall_databases("sqlite")
async def test_who_leaves_hangs_up_and_who_waits_too_long_is_told(open_hall):
    async with open_hall(with_model=True, SERVICE_EXECUTOR_TIMEOUT="3") as hall:
        endpoint = await endpoint_of(hall)
        hall.model.hang()
        with pytest.raises(ExecutorTimeout) as late:
            await endpoint.call(ASKED)
        assert (late.value.status, late.value.code) == (504, "executor_timeout")
        hall.model.hang(FINISH)
        async with aclosing(endpoint.stream(ASKED)) as chunks:
            await anext(chunks)
        hall.model.hang()
        asking = asyncio.create_task(endpoint.call(ASKED))
        async with asyncio.timeout(60):
            while len(hall.model.calls) < 3:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            asking.cancel()
            for call in hall.model.calls:
                await call.left.wait()
        hall.model.hang(HELLO)
        with pytest.raises(ExecutorTimeout):
            [_ async for _ in endpoint.stream(ASKED)]
        hall.model.hang(HELLO, FINISH)
        assert len([_ async for _ in endpoint.stream(ASKED)]) == 2, (
            "after the finish reason nothing has to come"
        )
