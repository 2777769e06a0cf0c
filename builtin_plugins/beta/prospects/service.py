"""The work on prospects, without HTTP: found, decided, erased, listed as CSV, and how long they stay."""

import csv
import io
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.beta.experiences.current import Experiences
from builtin_plugins.beta.prospects.scoring import problem_words, sql
from guildhall_sdk import Host, NotFound, Principal, Reader, Row, Setting, Writer, rfc3339, rfc3339_or_none
from guildhall_sdk.retention import Retained, days_setting
from libs.fair_slots import TEXTS
from libs.names import folded

RETENTION_DAYS = days_setting(
    "retention_days",
    what="people who signed up for the beta",
    default=365,
    variable="SERVICE_BETA_RETENTION_DAYS",
)
SETTINGS: Sequence[Setting[Any]] = (RETENTION_DAYS,)


# Sorts behind every id.
_END = "~"
_LIKE_SIGNS = str.maketrans({"!": "!!", "%": "!%", "_": "!_"})


@dataclass(frozen=True, slots=True)
class Selection:
    """Which prospects of a team are wanted; an empty text is no wish."""

    team_id: str
    status: str = ""
    text: str = ""

    async def page(self, reader: Reader, before: str | None, limit: int) -> Sequence[Row]:
        """Returns the newest first, those older than `before`."""
        where: dict[str, Any] = {"team_id": self.team_id, "before": before or _END, "limit": limit}
        if self.text:
            pattern = f"%{folded(self.text).translate(_LIKE_SIGNS)}%"
            return await reader.all(sql.found_page, status=self.status, pattern=pattern, **where)
        if self.status:
            return await reader.all(sql.page_of_status, status=self.status, **where)
        return await reader.all(sql.page, **where)


def prospect_json(row: Row) -> dict[str, Any]:
    """Returns a prospect as the API shows it."""
    problem = row["judge_problem"]
    return {
        "id": row["id"],
        "fields": json.loads(row["fields"]),
        "locale": row["locale"],
        "signals": {
            **json.loads(row["signals"]),
            "honeypot": bool(row["honeypot"]),
            "repeats": row["repeats"],
            "judge_problem": None if problem is None else problem_words(problem),
        },
        "verdict": None if row["verdict"] is None else json.loads(row["verdict"]),
        "status": row["status"],
        "decided_by": row["decided_by"],
        "decided_at": rfc3339_or_none(row["decided_at"]),
        "note": row["note"],
        "created_at": rfc3339(row["created_at"]),
    }


async def find(reader: Reader, principal: Principal, prospect_id: str) -> Mapping[str, Any]:
    """Returns a prospect of the caller's team; raises `NotFound`."""
    row = await reader.one(sql.by_id, id=prospect_id, team_id=principal.team_id)
    if row is None:
        raise NotFound()
    return prospect_json(row)


async def decide(
    writer: Writer, principal: Principal, prospect_id: str, status: str, note: str | None, now_ms: int
) -> Mapping[str, Any]:
    """Accepts or declines; the same decision again changes nothing. Raises `NotFound`."""
    place = {"id": prospect_id, "team_id": principal.team_id}
    changed = await writer.one(
        sql.decide, status=status, note=note, user_id=principal.user_id, now=now_ms, **place
    )
    decided = await find(writer, principal, prospect_id)
    if changed is not None:
        writer.audit(f"prospect.{status}", ("prospect", prospect_id))
    return decided


async def erase(writer: Writer, principal: Principal, prospect_id: str) -> None:
    """Removes all that is known of a prospect; the trail says who did, and names nobody."""
    if await writer.one(sql.erase, id=prospect_id, team_id=principal.team_id) is None:
        raise NotFound()
    writer.audit("prospect.erased", ("prospect", prospect_id))


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count_old, before=before))


async def _delete_before(writer: Writer, before: int, limit: int) -> int:
    return len(await writer.all(sql.delete_old, before=before, limit=limit))


OLD_PROSPECTS = Retained(
    name="prospects",
    title="people who signed up for the beta, whatever was decided",
    keep_days=RETENTION_DAYS,
    count=_count,
    delete_expired=_delete_before,
)


CSV = "text/csv"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# Written at once, between two looks at the database.
_ROWS = 100

_BEFORE = ("id", "created_at", "status", "locale")
_OTHER_FIELDS = "other_fields"
_VERDICT = ("score", "recommendation", "reason", "model")
_SIGNALS = ("honeypot", "disposable", "repeats", "seconds_to_submit", "referrer_host")
_AFTER = ("decided_by", "decided_at", "note")


async def csv_lines(host: Host, selection: Selection) -> AsyncIterator[bytes]:
    """Yields a table of all selected prospects, newest first, as RFC 4180 has it.

    Each field of the team's newest form has a column; answers to earlier forms stand together in the last of
    the answers, as JSON.
    """
    async with host.data.read() as reader:
        fields = await _field_names(host, reader, selection.team_id)
        rows = await selection.page(reader, None, _ROWS)
    yield _lines([_head(fields)])
    while rows:
        yield await TEXTS.run(selection.team_id, _part, rows, fields)
        async with host.data.read() as reader:
            rows = await selection.page(reader, rows[-1]["id"], _ROWS)


async def _field_names(host: Host, reader: Reader, team_id: str) -> Sequence[str]:
    experiences = host.service(Experiences)
    newest = await reader.value(sql.newest_form, team_id=team_id)
    document = experiences.seed() if newest is None else await experiences.published(reader, newest)
    return [field.name for field in document.fields]


def _part(rows: Sequence[Row], fields: Sequence[str]) -> bytes:
    return _lines(_cells(prospect_json(row), fields) for row in rows)


def _head(fields: Sequence[str]) -> list[str]:
    return [
        *_BEFORE,
        *(f"fields.{name}" for name in fields),
        _OTHER_FIELDS,
        *(f"verdict.{name}" for name in _VERDICT),
        *(f"signals.{name}" for name in _SIGNALS),
        *_AFTER,
    ]


def _cells(prospect: Mapping[str, Any], fields: Sequence[str]) -> list[Any]:
    answers, verdict, signals = prospect["fields"], prospect["verdict"] or {}, prospect["signals"]
    others = {name: value for name, value in answers.items() if name not in fields}
    return [
        *(prospect[name] for name in _BEFORE),
        *(answers.get(name) for name in fields),
        json.dumps(others, ensure_ascii=False) if others else None,
        *(verdict.get(name) for name in _VERDICT),
        *(signals.get(name) for name in _SIGNALS),
        *(prospect[name] for name in _AFTER),
    ]


def _lines(rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    """Returns a cell of CSV; an apostrophe says that what follows is text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}" if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA) else value
