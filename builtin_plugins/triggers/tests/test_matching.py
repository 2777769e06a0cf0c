"""Triggers are found by the nearest prefix and those above it, exactly as by a look at each."""

import random

from builtin_plugins.triggers import service
from builtin_plugins.triggers.trigger import Trigger, sql


async def test_the_prefixes_of_a_key_are_found_whatever_came_and_went(hall):
    chance, there = random.Random(14), {}
    team = hall.acme

    def made(number):
        return Trigger(
            id=f"trg_{number:05}",
            org_id=team.org_id,
            team_id=team.id,
            workflow_slug="w",
            match_prefix="".join(chance.choices("aé\U0001f600!/", k=chance.randrange(6))),
            match_types=(),
            input={},
            fire_on_derived=False,
            enabled=True,
            created_by=team.owner.user_id,
            created_at=1,
            updated_at=1,
        )

    async with hall.server.data.write() as writer:
        for number in range(300):
            if there and chance.random() < 0.4:
                gone = there.pop(chance.choice(sorted(there)))
                await service._make_unfindable(writer, gone)
                await writer.run(sql.delete_trigger, id=gone.id, team_id=team.id)
            else:
                new = there[f"trg_{number:05}"] = made(number)
                await writer.run(
                    sql.insert_trigger,
                    id=new.id,
                    org_id=team.org_id,
                    team_id=team.id,
                    workflow_slug="w",
                    match_prefix=new.match_prefix,
                    match_types="[]",
                    fire_on_derived=0,
                    enabled=1,
                    user_id=new.created_by,
                    now=1,
                    size=1,
                    input="{}",
                )
                await service._make_findable(writer, new)
            key = "".join(chance.choices("aé\U0001f600!/", k=chance.randrange(1, 8)))
            found = await writer.all(sql.matching, team_id=team.id, key=key, media_type="text/plain")
            wanted = {one.id for one in there.values() if key.startswith(one.match_prefix)}
            assert {row["trigger_id"] for row in found} == wanted, (key, number)
