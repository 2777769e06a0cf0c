"""Limits by hand and by plan, stocks, and what usage shows of them."""

import asyncio
import json

import pytest

from builtin_plugins.quotas.limits import PLANS
from builtin_plugins.quotas.tests.conftest import make_ledger
from guildhall_sdk import InvalidRequest, NotFound, TooManyRequests

pytestmark = pytest.mark.any_database

GIB = 1024**3
DECIDED_PLANS = {
    "free": (200, 200_000, 2, 2, 1 * GIB),
    "team": (5_000, 5_000_000, 8, 8, 100 * GIB),
    "enterprise": (None, None, 32, 32, None),
}
PLANNED = (
    ("ai.requests", "day"),
    ("ai.tokens.total", "day"),
    ("ai.concurrency", "none"),
    ("jobs.concurrency", "none"),
    ("storage.bytes", "none"),
)


async def company_limits(books):
    columns = ", ".join(f"{window}_limit" for window in ("minute", "hour", "day", "month", "none"))
    rows = await books.process.tamper(f"SELECT dimension, {columns} FROM quota_counters WHERE team_id = ''")
    return {
        (row["dimension"], column.removesuffix("_limit")): value
        for row in rows
        for column, value in row.items()
        if column.endswith("_limit") and value is not None
    }


async def test_setting_a_limit_answers_its_usage_row(books):
    await books.reserve({"test.calls": 3})
    row = await books.limit("test.calls", "hour", 5)
    assert row.public() == {
        "dimension": "test.calls",
        "level": "team",
        "used": 3,
        "limit": 5,
        "remaining": 2,
        "window": "hour",
        "resets_at": "2030-01-01T10:00:00.000Z",
    }
    assert (await books.limit("test.calls", "hour", 2)).public()["remaining"] == 0
    assert (await books.limit("test.calls", "hour", None)).public()["remaining"] is None


async def test_each_window_has_a_limit_of_its_own_and_null_lifts_it(books):
    for window, limit in (("minute", 1), ("none", 5), ("day", 3)):
        await books.limit("test.calls", window, limit)
    shown = [
        (r.window, r.limit) for r in await books.usage() if (r.dimension, r.level) == ("test.calls", "team")
    ]
    assert shown == [("minute", 1), ("day", 3), ("none", 5)]
    for window in ("minute", "day", "none"):
        await books.limit("test.calls", window, None)
    shown = [
        (r.window, r.limit) for r in await books.usage() if (r.dimension, r.level) == ("test.calls", "team")
    ]
    assert shown == [("day", None)]
    await books.reserve({"test.calls": 100})


async def test_usage_shows_every_dimension_at_both_levels(books):
    rows = await books.usage()
    assert [(row.dimension, row.level, row.window) for row in rows] == [
        (name, level, window)
        for name, window in (
            ("test.bytes", "none"),
            ("test.calls", "day"),
            ("test.slots", "none"),
            ("test.words", "day"),
        )
        for level in ("org", "team")
    ]
    async with books.process.data.read() as reader:
        company = await books.ledger.usage(reader, books.org_id)
    assert {row.level for row in company} == {"org"}


async def test_another_teams_usage_is_not_shown(books):
    await books.reserve({"test.calls": 3}, team_id=books.second_team_id)
    await books.limit("test.calls", "day", 77, subject_id=books.second_team_id)
    own = [row for row in await books.usage() if row.dimension == "test.calls"]
    assert [(row.level, row.used, row.limit) for row in own] == [("org", 3, None), ("team", 0, None)]
    foreign = await books.usage(org_id=books.foreign_org_id, team_id=books.foreign_team_id)
    assert all(row.used == 0 for row in foreign)


@pytest.mark.parametrize(
    ("dimension", "window", "limit", "pointer"),
    [
        ("no.such", "day", 1, "/dimension"),
        ("test.slots", "day", 1, "/window"),
        ("test.bytes", "month", 1, "/window"),
        ("test.calls", "week", 1, "/window"),
        ("test.calls", "day", -1, "/limit"),
    ],
)
async def test_a_limit_that_cannot_be_is_refused_at_its_place(books, dimension, window, limit, pointer):
    with pytest.raises(InvalidRequest) as refusal:
        await books.limit(dimension, window, limit)
    assert [error["pointer"] for error in refusal.value.errors] == [pointer]


@pytest.mark.parametrize("level", ["team", "org"])
async def test_there_is_no_limit_for_a_subject_that_is_not_there(books, level):
    with pytest.raises(NotFound):
        await books.limit("test.calls", "day", 1, level=level, subject_id="none_such")


@pytest.mark.every_database
async def test_setting_a_limit_is_recorded(books):
    await books.limit("test.calls", "day", 5, level="org")
    (event,) = await books.process.tamper(
        "SELECT action, target_type, target_id, detail FROM audit_events ORDER BY id"
    )
    assert (event["action"], event["target_type"]) == ("quota.changed", "org")
    assert event["target_id"] == books.org_id
    detail = {"dimension": "test.calls", "limit": 5, "window": "day", "from": None}
    assert json.loads(event["detail"]) == detail


@pytest.mark.parametrize("plan", list(DECIDED_PLANS))
async def test_a_plan_sets_the_companys_caps(books, plan):
    await books.apply_plan(plan)
    wanted = zip(PLANNED, DECIDED_PLANS[plan], strict=True)
    assert await company_limits(books) == {what: limit for what, limit in wanted if limit is not None}


def test_the_plans_are_known_by_name(clock):
    assert list(make_ledger(clock).plans) == list(PLANS) == list(DECIDED_PLANS)


@pytest.mark.every_database
async def test_a_change_of_plan_replaces_what_plans_speak_of_and_nothing_else(books):
    await books.apply_plan("free")
    await books.limit("test.calls", "hour", 9, level="org")
    await books.process.tamper("UPDATE quota_counters SET day_limit = 1 WHERE dimension = 'ai.requests'")
    await books.process.tamper("UPDATE quota_counters SET hour_limit = 50 WHERE dimension = 'ai.requests'")
    await books.apply_plan("enterprise")
    assert await company_limits(books) == {
        ("ai.concurrency", "none"): 32,
        ("jobs.concurrency", "none"): 32,
        ("ai.requests", "hour"): 50,
        ("test.calls", "hour"): 9,
    }


async def test_a_change_of_plan_forgets_no_use(books):
    await books.reserve({"test.calls": 3})
    await books.apply_plan("free")
    await books.apply_plan("team")
    assert await books.used("test.calls", level="org") == 3


async def test_an_unknown_plan_is_refused(books):
    with pytest.raises(InvalidRequest) as refusal:
        await books.apply_plan("gold")
    assert [error["pointer"] for error in refusal.value.errors] == ["/plan"]


async def test_a_stock_grows_to_its_limit_and_shrinks_at_any_time(books):
    await books.limit("test.bytes", "none", 100, level="org")
    await books.adjust(60)
    with pytest.raises(TooManyRequests) as refusal:
        await books.adjust(41, team_id=books.second_team_id)
    assert refusal.value.code == "quota_exceeded"
    assert refusal.value.headers == {}
    assert refusal.value.extras == {
        "dimension": "test.bytes",
        "level": "org",
        "limit": 100,
        "used": 60,
        "window": "none",
    }
    await books.adjust(40, team_id=books.second_team_id)
    await books.limit("test.bytes", "none", 10, level="org")
    await books.adjust(-20)
    assert await books.used("test.bytes") == 40
    assert await books.used("test.bytes", level="org") == 80
    with pytest.raises(TooManyRequests):
        await books.adjust(1)


async def test_a_stock_is_never_less_than_nothing(books):
    await books.adjust(5)
    await books.adjust(-9)
    assert await books.used("test.bytes") == await books.used("test.bytes", level="org") == 0


@pytest.mark.every_database
async def test_parallel_growth_never_passes_the_limit(books):
    await books.limit("test.bytes", "none", 100)
    outcomes = await asyncio.gather(*(books.adjust(9) for _ in range(32)), return_exceptions=True)
    assert sum(outcome is None for outcome in outcomes) == 11
    assert await books.used("test.bytes") == 99


async def test_only_a_stock_is_adjusted(books):
    async with books.process.data.write() as writer:
        with pytest.raises(ValueError, match=r"test\.calls"):
            await books.ledger.adjust(writer, books.org_id, books.team_id, "test.calls", 1)
