"""The testing guide's model and worker."""

import pytest

from guildhall_sdk import NewJob
from guildhall_sdk.services.jobs import Jobs

pytestmark = pytest.mark.any_database


async def test_a_title_comes_from_the_model(open_hall, example):
    binder = example("binder")
    await binder.test_a_title_comes_from_the_model(open_hall, binder)


@pytest.mark.hall_databases("sqlite")
async def test_a_book_is_bound_by_a_worker(open_hall, example):
    binder = example("binder")
    await binder.test_a_book_is_bound_by_a_worker(open_hall, binder)


@pytest.mark.hall_databases("sqlite")
async def test_a_worker_takes_turns_for_the_model(open_hall):
    async with open_hall() as hall:
        hall.model.say("Hello from the worker")
        messages = [{"role": "user", "content": "Say hello"}]
        who = hall.acme.member
        payload = {"messages": messages, "model": "scripted"}
        turn = NewJob("ai.turn", who.org_id, who.team_id, who.user_id, payload)
        async with hall.server.data.write() as writer:
            asked = await hall.server.service(Jobs).enqueue(writer, turn)
        async with hall.run_worker("ai.turn", with_model=True):
            done = (await who.get(f"/api/jobs/{asked.id}?wait=20")).json()
        assert done["result"]["reply"] == "Hello from the worker"
        assert hall.model.calls[0].body["messages"] == messages
