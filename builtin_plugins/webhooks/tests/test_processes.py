"""Several server processes: what one of them made, the others hear of."""

import asyncio

import pytest

from tests.processes import second_process

pytestmark = [pytest.mark.hall_databases("postgresql"), pytest.mark.own_server]


async def test_a_webhook_that_one_process_made_hears_of_what_happens_in_another(hall, outgoing, receiver):
    async with second_process(hall, SERVICE_ORG_PRIVATE_ENDPOINTS="on") as call:
        await outgoing.create()
        written = []
        async with asyncio.timeout(60):
            while not receiver.requests:
                note = {"title": "Tar", "visibility": "team"}
                answer = await call(outgoing.owner, "POST", "/api/notes", note)
                assert answer.status_code == 201, answer.text
                written.append(answer.json()["id"])
                await hall.drain_jobs()
    # The clocks of the two are years apart, and so one takes over what the other still sends.
    told = {*zip([body["data"]["note_id"] for body in outgoing.bodies], outgoing.ids, strict=True)}
    assert {note_id for note_id, _ in told} <= {*written}
    assert len(told) == len({note_id for note_id, _ in told}), "each has one id, however often it is sent"
