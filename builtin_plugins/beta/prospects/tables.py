"""Prospects as CSV for a spreadsheet, which must not take what a visitor wrote for a formula."""

import csv
import io
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from builtin_plugins.beta.experiences.current import Experiences
from builtin_plugins.beta.prospects.prospects import Selection, prospect_json, sql
from guildhall_sdk import Host, Reader, Row
from libs.fair_slots import TEXTS

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
    """An apostrophe says that what follows is text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}" if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA) else value
