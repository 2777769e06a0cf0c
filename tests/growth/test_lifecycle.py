"""A portion of a lifecycle, and the list of what was deleted, cost the same however much a team has."""

import json
from pathlib import Path
from typing import Any

from builtin_plugins.repo.lifecycle import sql
from builtin_plugins.repo.listing import sql as lists
from guildhall_sdk import load_queries
from tests.growth.effort import CachedPlans, analyze, steps_on_sqlite

filling = load_queries(Path(__file__).with_name("lifecycle.sql"))
OBJECTS, PORTION = 12_000, 50  # three versions of each


async def test_what_may_go_is_found_by_an_index(hall: Any) -> None:
    person = hall.acme.owner.person
    who = {"org_id": person.org_id, "team_id": person.team_id, "user_id": person.user_id}
    async with hall.server.data.write() as writer:
        await writer.run(filling.objects, many=OBJECTS, **who)
        for number in "123":
            await writer.run(filling.versions, number=number)
        await writer.run(filling.derivations)
        await writer.run(filling.lifecycles, **who)
    team = {"team_id": person.team_id}
    middle = {**team, "until": OBJECTS, "after_time": OBJECTS // 2, "after_name": "", "limit": PORTION}
    ids = json.dumps([f"obj_{1_000_000_000 + OBJECTS // 2 + number}" for number in range(PORTION)])
    versions = json.dumps([f"ver_1_{1_000_000_000 + OBJECTS // 2 + number}" for number in range(PORTION)])
    page = {
        **who,
        "my_team": person.team_id,
        "by_role": 1,
        "owned": 1,
        "start": f"k{1_000_000_000 + OBJECTS // 2}",
        "end": "l",
        "after": "",
        "limit": PORTION,
    }
    asked = {
        sql.claim: {"now": 1, "until": 2},
        sql.old_versions: {**middle, "max_kept": 100},
        sql.lock_versions: {**team, "ids": versions},
        sql.old_versions_again: {**team, "ids": versions, "max_kept": 100},
        sql.deleted_objects: middle,
        sql.vacant_objects: {**team, "after_name": page["start"], "limit": PORTION},
        sql.hidden_again: {**team, "ids": ids, "vacant": 0},
        sql.first_versions: {"ids": ids, "limit": PORTION},
        sql.delete_versions: {**team, "ids": versions},
        sql.vacate_many: {"ids": ids},
        sql.delete_emptied: {**team, "ids": ids},
        sql.size_of_deleted: {"ids": ids, "limit": 1000},
        lists.deleted_page: page,
    }
    url = hall.server.settings.database_url
    spent = {}
    if hall.database == "sqlite":
        for statement, binds in asked.items():
            spent[statement.name] = steps_on_sqlite(url.removeprefix("sqlite:///"), statement, binds)
    else:
        await analyze(url)
        plans = await CachedPlans.made(url, list(asked.items()))
        for statement, binds in asked.items():
            spent[statement.name] = await plans.rows(statement, binds)
        await plans.close()
    assert {name: many for name, many in spent.items() if many > OBJECTS / 4} == {}
