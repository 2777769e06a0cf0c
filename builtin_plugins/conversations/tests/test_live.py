"""What happens in a conversation is live in every tab; a turn is stopped, put off, outlives its server."""

import asyncio
import json
import os
import socket

import httpx
import pytest

from builtin_plugins.conversations.tests.conftest import PATH, text
from guildhall_testing.model import ScriptedModel
from tests import commands

pytestmark = pytest.mark.shared_server


def chunk(said):
    body = {"choices": [{"index": 0, "delta": {"content": said}, "finish_reason": None}]}
    return f"data: {json.dumps(body)}\n\n".encode()


async def until(events, name):
    """Reads events up to the first of this name; returns them."""
    seen = []
    async for event in events:
        seen.append(event)
        if event.event == name:
            return seen
    raise AssertionError(f"the stream ended before {name}")


async def test_two_tabs_are_told_the_same_as_it_happens(hall, begin):
    talk = await begin()
    after = (await talk.read())["last_event_id"]
    hall.model.say("One two three.")
    headers = {"Last-Event-ID": after}

    async def tab():
        async with talk.client.events("GET", f"{talk.path}/events", headers=headers) as events:
            return await until(events, "done")

    tabs = [asyncio.create_task(tab()) for _ in range(2)]
    message = await talk.ask()
    first, second = await asyncio.gather(*tabs)
    assert [(one.id, one.event) for one in first] == [(one.id, one.event) for one in second]
    assert first[-1].data == second[-1].data
    said = "".join(one.data["text"] for one in first if one.event == "delta")
    done = first[-1].data
    assert (said, done["id"], done["state"], text(done)) == ("One two three.", message["id"], "done", said)
    assert [one.data["role"] for one in first if one.event == "message"][:2] == ["user", "assistant"]
    numbers = [int(one.id) for one in first]
    assert numbers == sorted(set(numbers))


async def test_who_comes_back_gets_what_they_missed_and_who_comes_anew_only_what_is_new(hall, begin):
    talk = await begin()
    hall.model.say("First.")
    await talk.answered("One")
    async with talk.client.events("GET", f"{talk.path}/events", headers={"Last-Event-ID": "0"}) as events:
        missed = await until(events, "done")
    async with talk.client.events(
        "GET", f"{talk.path}/events", headers={"Last-Event-ID": missed[1].id}
    ) as events:
        rest = await until(events, "done")
    assert [one.id for one in rest] == [one.id for one in missed[2:]]
    hall.model.hang(chunk("Sec"))
    async with talk.client.events("GET", f"{talk.path}/events") as events:
        message = await talk.ask("Two")
        fresh = await until(events, "delta")
    assert text(fresh[0].data) == "Two"
    assert int(fresh[0].id) > int(missed[-1].id)
    await talk.client.post(f"{talk.path}/messages/{message['id']}/stop")
    refused = await talk.client.get(f"{talk.path}/events", headers={"Last-Event-ID": "x"})
    assert refused.status_code == 400


async def test_a_stopped_answer_keeps_what_it_said_and_the_model_stops(hall, begin):
    talk = await begin()
    hall.model.hang(chunk("Once upon "), chunk("a time"))
    async with talk.client.events("GET", f"{talk.path}/events") as events:
        message = await talk.ask("Tell me.")
        await until(events, "delta")
        shown = (await talk.read())["messages"][-1]
        assert (shown["state"], text(shown)) == ("running", "Once upon a time")
        stopped = await talk.client.post(f"{talk.path}/messages/{message['id']}/stop")
        assert stopped.status_code == 202, stopped.text
        done = (await until(events, "done"))[-1].data
    await hall.model.calls[0].left.wait()
    assert (done["state"], text(done)) == ("stopped", "Once upon a time")
    assert (done["model"], done["usage"]["estimated"]) == ("default", True)
    again = await talk.client.post(f"{talk.path}/messages/{message['id']}/stop")
    assert (again.status_code, again.json()["code"]) == (409, "not_stoppable")
    hall.model.say("And they lived.")
    assert text(await talk.answered("Go on.")) == "And they lived."


async def test_one_that_waits_for_its_turn_is_stopped_before_it_begins(hall, begin, limit_jobs):
    talk = await begin()
    await limit_jobs(0)
    message = await talk.ask()
    stopped = await talk.client.post(f"{talk.path}/messages/{message['id']}/stop")
    assert stopped.json()["message"]["state"] == "stopped"
    await limit_jobs(5)
    await hall.drain_jobs()
    assert ((await talk.message(message["id"]))["state"], hall.model.calls) == ("stopped", [])


async def test_deleting_a_conversation_ends_its_turn_and_its_streams(hall, begin):
    talk = await begin()
    hall.model.hang(chunk("Once"))
    async with talk.client.events("GET", f"{talk.path}/events") as events:
        await talk.ask()
        await until(events, "delta")
        assert (await talk.client.delete(talk.path)).status_code == 204
        last = [event async for event in events][-1]
    assert (last.event, last.data["status"]) == ("error", 404)
    await hall.model.calls[0].left.wait()


async def test_a_stream_ends_when_its_reader_may_not_read_any_more(hall, begin):
    talk, owner = await begin(), hall.acme.owner
    grant = {"principal_type": "user", "principal_id": owner.user_id}
    await talk.client.post(f"{talk.path}/share", {**grant, "capability": "view"})
    async with owner.events("GET", f"{talk.path}/events") as events:
        hall.model.say("Hello.")
        await talk.answered()
        await until(events, "done")
        await talk.client.post(f"{talk.path}/unshare", grant)
        last = [event async for event in events][-1]
    assert (last.event, last.data["status"]) == ("error", 404)


@pytest.mark.any_database
async def test_a_busy_model_puts_the_answer_off(hall, begin):
    talk = await begin()
    hall.model.fail(429, headers={"Retry-After": "7"})
    hall.model.say("Now.")
    async with talk.client.events("GET", f"{talk.path}/events") as events:
        message = await talk.ask()
        status = (await until(events, "status"))[-1].data
        assert (status["text"], status["retry_after"]) == ("busy", 7)
        assert (await talk.message(message["id"]))["state"] == "queued"
        hall.clock.advance(seconds=8)
        done = (await until(events, "done"))[-1].data
    assert (done["state"], text(done)) == ("done", "Now.")


async def test_a_revoked_token_ends_what_was_asked_with_it(hall, begin, limit_jobs):
    talk = await begin()
    token = await hall.with_token(talk.client, scope=["chat:use"])
    await limit_jobs(0)
    message = await talk.ask(client=token)
    tokens = (await hall.acme.owner.get("/api/tokens")).json()["items"]
    for one in tokens:
        await hall.acme.owner.delete(f"/api/tokens/{one['id']}")
    await limit_jobs(5)
    await hall.drain_jobs()
    answer = await talk.message(message["id"])
    assert (answer["state"], answer["error"]["code"]) == ("stopped", "credential_revoked")
    assert hall.model.calls == []


@pytest.mark.own_server
@pytest.mark.any_database
async def test_an_answer_outlives_its_server(tmp_path):
    """Killed in the middle of it: the next server writes it, from the beginning, once."""
    model = ScriptedModel()
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    environ = commands.bare_environment() | {
        "SERVICE_DATA": str(tmp_path),
        "SERVICE_BIND": address,
        "SERVICE_S3_BIND": "127.0.0.1:0",
        "SERVICE_LOG_LEVEL": "error",
        "SERVICE_LEASE_SECONDS": "5",
        **model.settings(),
    }

    async def serve():
        process = await commands.start(environ, "serve")
        await asyncio.wait_for(process.stdout.readline(), 60)
        return process

    process = await serve()
    try:
        async with httpx.AsyncClient(base_url=f"http://{address}", timeout=60, trust_env=False) as http:
            person = {"username": "ada", "password": "difference engine"}
            token = (await http.post("/api/bootstrap", json=person)).json()["token"]
            http.headers["Authorization"] = f"Bearer {token}"
            path = f"{PATH}/{(await http.post(PATH, json={})).json()['id']}"
            model.hang(chunk("Half of "))
            asked = (await http.post(f"{path}/messages", json={"prompt": "Tell me."})).json()["message"]
            async with http.stream("GET", f"{path}/events", headers={"Last-Event-ID": "0"}) as events:
                async for line in events.aiter_lines():
                    if line == "event: delta":
                        break
            os.kill(process.pid, 9)
            await process.wait()
            model.say("All of it.")
            process = await serve()
            async with http.stream("GET", f"{path}/events", headers={"Last-Event-ID": "0"}) as events:
                async for line in events.aiter_lines():
                    if line == "event: done":
                        break
            _, answer = (await http.get(path)).json()["messages"]
        assert (answer["id"], answer["state"], text(answer)) == (asked["id"], "done", "All of it.")
        assert len(model.calls) == 2
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await model.close()
