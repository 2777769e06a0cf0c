"""The things that a team lends out: its table, its setting, its permissions, and how it is found."""

from pathlib import Path
from typing import Any

from guildhall_sdk import Reader, SearchSource, Setting, Writer, load_queries
from guildhall_sdk.services.search import Findable, SearchIndex
from guildhall_sdk.settings import whole

READ, LEND = "loans:read", "loans:lend"
TYPE = "thing"

sql = load_queries(Path(__file__).with_name("queries.sql"))

MAX_DAYS = Setting(name="max_days", help="for how long a thing is lent", default=14, parse=whole(1, 365))

SOURCE = SearchSource(
    type=TYPE,
    permission=READ,
    url="/api/loans/{id}",
    readable=sql.readable,
    readable_in_org=sql.readable_in_org,
    every=sql.every_thing,
)


async def add_thing(
    writer: Writer,
    index: SearchIndex,
    *,
    id: str,
    org_id: str,
    team_id: str,
    label: str,
    object_id: str | None = None,
) -> None:
    await writer.run(
        sql.insert_thing, id=id, org_id=org_id, team_id=team_id, label=label, object_id=object_id
    )
    await index.put(writer, Findable(TYPE, id, org_id, team_id, label, ""))


async def read_thing(reader: Reader, team_id: str, id: str) -> dict[str, Any] | None:
    found = await reader.one(sql.thing_of_team, id=id, team_id=team_id)
    return None if found is None else dict(found)
