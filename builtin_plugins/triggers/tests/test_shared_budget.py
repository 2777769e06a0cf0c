"""All runs that descend from one upload share a budget, whatever leads from one to the next."""

from collections import Counter

import pytest

from builtin_plugins.triggers.tests.conftest import Triggers

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

MAX_RUNS, EAGER = 12, 3


@pytest.fixture
async def triggers(share_hall, tools):
    async with share_hall(tools, SERVICE_TRIGGERS_MAX_RUNS=str(MAX_RUNS)) as hall:
        opened = Triggers(hall)
        await opened.publish("derive-it", tool="derive")
        yield opened


async def decided(triggers, made):
    """How often each decision was made, over all triggers; None is a run."""
    return Counter([reason for one in made for reason in await triggers.reasons(one)])


async def runs(triggers):
    return len((await triggers.admin.get("/api/runs?limit=200")).json()["items"])


@pytest.mark.every_database
async def test_triggers_that_multiply_stop_at_the_budget_of_the_upload(triggers):
    made = [await triggers.create("derive-it", fire_on_derived=True) for _ in range(EAGER)]
    await triggers.upload("in/a.png")
    first = await decided(triggers, made)
    assert (first[None], await runs(triggers)) == (MAX_RUNS, MAX_RUNS)
    assert first["budget"] > 0
    await triggers.upload("in/b.png")
    second = await decided(triggers, made)
    assert (second[None], await runs(triggers)) == (2 * MAX_RUNS, 2 * MAX_RUNS)


async def test_an_upload_that_leads_to_no_more_than_it_may_is_not_stopped(triggers):
    """Also where each of its runs was written by a chain of others."""
    keys = ["a" + ".derived.txt" * number for number in range(5)]
    made = [await triggers.create("derive-it", match_prefix=key, fire_on_derived=True) for key in keys]
    await triggers.upload("a")
    reasons = await decided(triggers, made)
    assert "budget" not in reasons and reasons[None] >= len(keys)


async def test_what_did_not_start_takes_nothing_from_the_budget(triggers):
    refused = [await triggers.create("derive-it", input={"unknown": 1}) for _ in range(5)]
    made = [await triggers.create("derive-it") for _ in range(MAX_RUNS)]
    await triggers.upload("in/a.png")
    assert (await decided(triggers, refused))["invalid_input"] == 5
    assert (await decided(triggers, made))[None] == MAX_RUNS
