"""Who asks what was used reads the sums of days, however often models were used on them."""

from pathlib import Path
from typing import Any

import pytest

from guildhall_sdk import load_queries
from libs.sql_binds import numbered
from tests.growth.test_lists import effort

filling = load_queries(Path(__file__).with_name("usage.sql"))
MANY = 10_000
DAYS = "from=1970-01-03T00:00:00Z&to=1970-01-06T00:00:00Z"
# Within ten seconds of the first day, the next whole, and the first ten seconds of the last.
PARTS = "from=1970-01-03T00:00:10Z&to=1970-01-05T00:00:10Z"


async def test_sums_of_use_are_read_by_the_day(hall: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, member = hall.acme.owner, hall.acme.member
    known = {"team_id": member.person.team_id, "user_id": member.person.user_id, "many": MANY}
    async with hall.server.data.write() as writer:
        for statement in filling:
            await writer.run(statement, **{name: known[name] for name in numbered(statement.postgresql)[1]})
    for by in ("user", "model", "token", "day"):
        for asker in (owner, member):
            for path in (f"/api/usage?by={by}", f"/api/usage?by={by}&{DAYS}"):
                assert 0 < await effort(hall, asker, monkeypatch, path) < MANY / 10, path
    for within, requests in ((DAYS, MANY * 3 // 10), (PARTS, MANY * 2 // 10)):
        for by in ("user", "model"):
            [item] = (await owner.get(f"/api/usage?by={by}&{within}")).json()["items"]
            assert (item["requests"], item["tokens"]) == (requests, 2 * requests)
