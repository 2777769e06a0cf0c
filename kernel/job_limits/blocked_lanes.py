"""Lanes whose jobs may not run now, and why: `blocked_by` is set and cleared here alone."""

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal

from guildhall_sdk import Row, Writer, load_queries

Block = Literal["suspension", "limit"]

_sql = load_queries(Path(__file__).with_name("blocked_lanes.sql"))


async def block_lanes(
    writer: Writer, by: Block, companies: Collection[str], teams: Collection[str] | None = None
) -> Sequence[Row]:
    """Keeps claims from the lanes of these companies, or of some of their teams; returns those lanes."""
    return await writer.all(_sql.block_lanes, by=by, **_binds(companies, teams))


async def unblock_lanes(
    writer: Writer, by: Block, companies: Collection[str], teams: Collection[str] | None = None
) -> Sequence[Row]:
    """Lets claims come by the lanes that were blocked for this; returns those lanes.

    With `teams` these alone, and every team of a company whose teams share what it may run.
    """
    return await writer.all(_sql.unblock_lanes, by=by, **_binds(companies, teams))


def _binds(companies: Collection[str], teams: Collection[str] | None) -> dict[str, str | int]:
    keys = {
        "companies": json.dumps(dict.fromkeys(companies)),
        "teams": json.dumps(dict.fromkeys(teams or ())),
    }
    return {**keys, "every_team": int(teams is None)}
