"""One turn with a model over HTTP: whole and streamed."""

import pytest

PATH = "/api/ai/chat"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "number", "schema": SCHEMA}}


@pytest.fixture
async def modelled(open_hall):
    """A hall whose own model is scripted."""
    async with open_hall(with_model=True) as opened:
        yield opened


async def test_a_turn_answers_and_is_metered_by_what_the_model_counted(modelled, used):
    modelled.model.say("A guild is a union of crafts.")
    answer = await modelled.acme.member.post(PATH, {"prompt": "What is a guild?", "system": "Be short."})
    usage = {"prompt_tokens": 6, "completion_tokens": 7, "total_tokens": 13}
    assert answer.json() == {
        "reply": "A guild is a union of crafts.",
        "model": "scripted",
        "executor": "local",
        "simulated": False,
        "finish_reason": "stop",
        "usage": usage,
    }
    assert await used(modelled.acme.member) == (1, 13, 0)


async def test_a_stream_gives_deltas_and_one_done(modelled, used):
    modelled.model.say("one two three")
    async with modelled.acme.member.events("POST", f"{PATH}/stream", {"prompt": "Count."}) as events:
        seen = [(event.event, event.data) async for event in events]
    assert [data["text"] for name, data in seen[:-1]] == ["one ", "two ", "three"]
    assert seen[-1][0] == "done"
    assert seen[-1][1]["usage"]["total_tokens"] == 4
    assert await used(modelled.acme.member) == (1, 4, 0)


async def test_an_answer_is_judged_by_its_schema_and_repaired_once(modelled, used):
    modelled.model.say("nothing of the kind")
    modelled.model.say('{"n": 3}')
    answer = await modelled.acme.member.post(PATH, {"prompt": "Count.", "response_format": FORMAT})
    assert (answer.status_code, answer.json()["parsed"], answer.json()["repaired"]) == (200, {"n": 3}, True)
    assert (await used(modelled.acme.member))[0] == 1


async def test_an_answer_that_does_not_fit_is_refused(modelled, used):
    modelled.model.say('{"n": "three"}')
    modelled.model.say('{"n": "three"}')
    answer = await modelled.acme.member.post(PATH, {"prompt": "Count.", "response_format": FORMAT})
    assert (answer.status_code, answer.json()["code"]) == (502, "model_format")


async def test_without_a_model_the_simulated_one_answers_and_says_so(hall):
    answer = await hall.acme.member.post(PATH, {"prompt": "Hello"})
    assert (answer.status_code, answer.json()["simulated"], answer.json()["model"]) == (
        200,
        True,
        "simulated",
    )
