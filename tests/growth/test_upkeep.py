"""What looks after an instance reads a portion at a time, and from where it is told to begin."""

from pathlib import Path
from typing import Any

from builtin_plugins.audit.chain import sql as audit
from builtin_plugins.repo.blob_lifecycle import sql as blobs
from builtin_plugins.repo.small_blobs import sql as small_blobs
from builtin_plugins.repo.sweeping import sql as sweeping
from guildhall_sdk import load_queries
from libs.sql_binds import numbered
from tests.growth.effort import rows_on_postgresql, steps_on_sqlite

filling = load_queries(Path(__file__).with_name("upkeep.sql"))
MANY, PORTION = 10_000, 50


async def test_a_portion_costs_the_same_however_much_there_is(hall: Any) -> None:
    person = hall.acme.member.person
    who = {"org_id": person.org_id, "team_id": person.team_id, "user_id": person.user_id, "many": MANY}
    async with hall.server.data.write() as writer:
        for statement in filling:
            await writer.run(statement, **{name: who[name] for name in numbered(statement.postgresql)[1]})
    middle = {"namespace": person.org_id, "sha256": f"held{1_000_000_000 + MANY // 2}", "limit": PORTION}
    small = {"org_id": person.org_id, "sha256": f"small{1_000_000_000 + MANY // 2}", "limit": PORTION}
    asked = {
        blobs.references: middle,
        small_blobs.small_blobs: {**middle, "sha256": small["sha256"]},
        small_blobs.find_small_blobs: small,
        sweeping.orphan: {"org_id": person.org_id, "sha256": "nobody's"},
        audit.chains: {},
        audit.events_of_chain: {"chain": "made1", "after": MANY // 2, "until": MANY, "limit": PORTION},
        audit.ends_of_chain: {"chain": "made1"},
        audit.last_checkpoint: {"chain": "made1", "since": 2**62},
        audit.checkpoints: {"chain": "made1", "first": MANY - PORTION},
        audit.due_for_checkpoint: {"after": "", "every": 1000, "before": 0, "limit": PORTION},
    }
    url = hall.server.settings.database_url
    spent = {}
    for statement, binds in asked.items():
        if hall.database == "sqlite":
            spent[statement.name] = steps_on_sqlite(url.removeprefix("sqlite:///"), statement, binds)
        else:
            spent[statement.name] = await rows_on_postgresql(url, statement, binds)
    assert {name: many for name, many in spent.items() if many > MANY / 10} == {}, spent
