"""HTTP in and out, as JSON and as CSV for a spreadsheet; the ledger does the work."""

import asyncio
import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from builtin_plugins.quotas.store import sql
from guildhall_sdk import Call, Reader, Reply, Row, cut_page, page, page_bounds
from guildhall_sdk.dimensions import Quotas, UsageLine, UsageReports
from guildhall_sdk.replies import time_bounds
from libs.negotiation import preferred

CSV = "text/csv"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Returns a table with a head, as RFC 4180 has it."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    """Returns a cell that no spreadsheet takes for a formula: an apostrophe says that it is text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


_JSON = "application/json"
_USAGE_COLUMNS = ("dimension", "level", "used", "limit", "remaining", "window", "resets_at")
_USED_BY_COLUMNS = ("by", "id", "name", "requests", "tokens")
# A table has no pages: it is read in pieces.
_LINES_AT_ONCE = 10_000


async def usage(call: Call) -> Reply:
    since, until = time_bounds(call.query)
    after, fetched = page_bounds(call.query)
    if "by" in call.query:
        return await _used_by(call, since, until, after, fetched)
    caller = call.principal
    async with call.read() as reader:
        rows = await call.service(Quotas).usage(reader, caller.org_id, caller.team_id)
    items = [row.public() for row in rows]
    return await _table(_USAGE_COLUMNS, items) if _wants_csv(call) else page(items, None)


async def org_usage(call: Call) -> Reply:
    """Answers a page of the company's teams with what each has used, whether or not it used anything."""
    since, until = time_bounds(call.query)
    after, fetched = page_bounds(call.query)
    reports = call.host.find_service(UsageReports)
    async with call.read() as reader:
        teams = await reader.all(
            sql.teams_of_org, org_id=call.principal.org_id, after=after or "", limit=fetched
        )
        listed, next_cursor = cut_page(teams, fetched, lambda team: str(team["id"]))
        items = [await _of_team(reports, reader, team, since, until) for team in listed]
    return page(items, next_cursor)


async def _of_team(
    reports: UsageReports | None, reader: Reader, team: Row, since: int | None, until: int | None
) -> dict[str, Any]:
    lines: Sequence[UsageLine] = []
    if reports is not None:
        lines = await reports.lines(
            reader, team["id"], "model", since=since, until=until, limit=_LINES_AT_ONCE
        )
    sums = {"requests": sum(one.requests for one in lines), "tokens": sum(one.tokens for one in lines)}
    return {"by": "team", "id": team["id"], "name": team["name"], **sums}


async def set_quota(call: Call) -> Reply:
    body = call.body
    async with call.write() as writer:
        row = await call.service(Quotas).set_limit(
            writer, "team", call.principal.team_id, body["dimension"], body["window"], body["limit"]
        )
    return Reply(row.public())


async def _used_by(
    call: Call, since: int | None, until: int | None, after: str | None, fetched: int
) -> Reply:
    by = call.query["by"]
    if _wants_csv(call):
        lines = await _all_lines(call, since, until)
        return await _table(_USED_BY_COLUMNS, [{"by": by, **asdict(line)} for line in lines])
    lines = await _lines(call, since, until, after, fetched)
    listed, next_cursor = cut_page(lines, fetched, lambda line: line.id)
    return page([{"by": by, **asdict(line)} for line in listed], next_cursor)


async def _all_lines(call: Call, since: int | None, until: int | None) -> Sequence[UsageLine]:
    lines: list[UsageLine] = []
    while True:
        more = await _lines(call, since, until, lines[-1].id if lines else None, _LINES_AT_ONCE)
        lines += more
        if len(more) < _LINES_AT_ONCE:
            return lines


async def _lines(
    call: Call, since: int | None, until: int | None, after: str | None, limit: int
) -> Sequence[UsageLine]:
    """Returns all lines to who manages the team, and to others the team's and their own."""
    reports, who, by = call.host.find_service(UsageReports), call.principal, call.query["by"]
    if reports is None:
        return []
    sees_all = by in ("model", "day") or who.may("settings:manage")
    person = call.query.get("user") if who.may("settings:manage") else call.query.get("user") and who.user_id
    async with call.read() as reader:
        return await reports.lines(
            reader,
            who.team_id,
            by,
            user_id=person if sees_all else who.user_id,
            since=since,
            until=until,
            after=after,
            limit=limit,
        )


def _wants_csv(call: Call) -> bool:
    return preferred(call.headers.get("accept", ""), (_JSON, CSV)) == CSV


async def _table(columns: Sequence[str], items: Sequence[dict[str, Any]]) -> Reply:
    content = await asyncio.to_thread(csv_table, columns, items)
    headers = {"Content-Disposition": 'attachment; filename="usage.csv"'}
    return Reply(content=content, content_type=f"{CSV}; charset=utf-8", headers=headers)


HANDLERS = {handler.__name__: handler for handler in (usage, org_usage, set_quota)}
