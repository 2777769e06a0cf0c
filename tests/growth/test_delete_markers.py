"""A key that was deleted ever so often is written, deleted and shown at the same cost as any other."""

from pathlib import Path
from typing import Any

from builtin_plugins.repo.finding import sql
from guildhall_sdk import load_queries
from tests.growth.effort import rows_on_postgresql, steps_on_sqlite

filling = load_queries(Path(__file__).with_name("markers.sql"))
MANY = 15_000


async def test_the_content_of_a_key_is_found_past_any_number_of_delete_markers(hall: Any) -> None:
    owner = hall.acme.owner
    object_id = (await owner.put("/api/repo/k", content=b"x")).json()["id"]
    found = {"id": object_id, "org_id": owner.person.org_id}

    async def effort(statement: Any, **more: Any) -> int:
        url = hall.server.settings.database_url
        if hall.database == "sqlite":
            return steps_on_sqlite(url.removeprefix("sqlite:///"), statement, {**found, **more})
        return await rows_on_postgresql(url, statement, {**found, **more})

    async with hall.server.data.write() as writer:
        await writer.run(filling.markers, many=MANY, user_id=owner.user_id, **found)
    assert await effort(sql.versions_of, limit=1000) < MANY / 10
    assert await effort(sql.bytes_of) < MANY / 10
    async with hall.server.data.write() as writer:
        await writer.run(filling.delete_content, id=object_id)
    assert await effort(sql.any_content) < MANY / 10
