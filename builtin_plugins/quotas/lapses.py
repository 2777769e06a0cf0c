"""Giving back what was reserved by somebody who never came to settle it."""

from itertools import groupby

from builtin_plugins.quotas import store
from builtin_plugins.quotas.store import sql
from builtin_plugins.quotas.windows import Moment
from guildhall_sdk import Clock, Row, Writer
from guildhall_sdk.data import Data

# How long whoever settles late is still recognized.
REMEMBERED_MS = 7 * 24 * 3600 * 1000
# By whoever comes by and reserves something: the rest is left to the next.
_FORGOTTEN_AT_ONCE = 500


async def give_back_lapsed(writer: Writer, org_id: str, moment: Moment) -> None:
    """Brings the stored counters of a company, whose place is held, to what they count for."""
    until = moment.ms - REMEMBERED_MS
    await writer.run(sql.forget_returned_holds, org_id=org_id, until=until, limit=_FORGOTTEN_AT_ONCE)
    lapsed = await writer.all(sql.lapsed_holds, org_id=org_id, now=moment.ms)
    await writer.run(sql.return_lapsed_holds, org_id=org_id, now=moment.ms)
    for team_id, holds in groupby(lapsed, key=_team_of):
        page = await store.read(writer, org_id, team_id, moment)
        changed = {}
        for hold in holds:
            reserved_at = Moment.at(hold["reserved_at"])
            page.put(one.corrected(-hold["amount"], reserved_at) for one in page.both(hold["dimension"]))
            changed[hold["dimension"]] = page.both(hold["dimension"])
        await store.save(writer, org_id, [one for both in changed.values() for one in both])


def _team_of(hold: Row) -> str:
    team_id: str = hold["team_id"]
    return team_id


async def give_back_all_lapsed(data: Data, clock: Clock) -> None:
    """Gives back at the start what a process left that is gone, where nobody has come by since."""
    moment = Moment.at(clock.now_ms())
    async with data.read() as reader:
        rows = await reader.all(sql.orgs_with_lapsed_holds, now=moment.ms)
    for row in rows:
        async with data.write() as writer:
            await store.lock(writer, row["org_id"])
            await give_back_lapsed(writer, row["org_id"], moment)
