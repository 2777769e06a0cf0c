"""What an import has to change: the texts of the files compared with the rows of the table."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.l10n.catalogs.files import fits, misfit, namespace_of
from builtin_plugins.l10n.messages.message import (
    APPROVED,
    BY_FILE,
    BY_MACHINE,
    GONE,
    MACHINE,
    MISSING,
    RETURNED,
    STALE,
    SUBMITTED,
)
from guildhall_sdk import Row, new_id

_REVISED = (
    "status",
    "former_status",
    "origin",
    "source",
    "previous_source",
    "text",
    "approved_text",
    "problem",
)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many messages are new, changed as a file says, and stale since their source changed."""

    imported: int = 0
    updated: int = 0
    stale: int = 0

    def __add__(self, more: "Counts") -> "Counts":
        return Counts(self.imported + more.imported, self.updated + more.updated, self.stale + more.stale)

    def public(self) -> dict[str, int]:
        """Returns the counts as the API shows them."""
        return {"imported": self.imported, "updated": self.updated, "stale": self.stale}


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes of one part of a language: as JSON for the statements, and how many rows each has."""

    inserts: str
    inserted: int
    revisions: str
    revised: int
    history: str
    recorded: int
    counts: Counts

    def __bool__(self) -> bool:
        return bool(self.inserted or self.revised)


def compare(
    locale: str,
    sources: Sequence[tuple[str, str]],
    texts: Mapping[str, str],
    rows: Sequence[Row],
    now_ms: int,
) -> Changes:
    """Compares a part of the source and the file's texts with the rows of its keys.

    Rows whose keys are not in `sources` have left the source. It takes a while: call it on a thread.
    """
    stored = {row["key"]: row for row in rows}
    inserts, revisions, history = [], [], []
    imported = updated = stale = 0
    for key, source in sources:
        row = stored.pop(key, None)
        if row is None:
            new = _insertion(locale, key, source, texts.get(key), now_ms)
            inserts.append(new)
            imported += 1
            if new[6] is not None:
                history.append((new[0], 1, "imported", new[6]))
        elif revised := _revision(locale, row, source, texts.get(key)):
            revisions.append(revised)
            if revised == _as_is(row) | {"problem": revised["problem"]}:
                continue
            became_stale = revised["status"] == STALE != row["status"] and row["status"] != GONE
            stale, updated = stale + became_stale, updated + (not became_stale)
            action = _action(row, revised)
            history.append((row["id"], row["version"] + 1, action, revised["text"]))
    for row in stored.values():
        if row["status"] != GONE:
            revisions.append(_as_is(row) | {"status": GONE, "former_status": row["status"]})
            history.append((row["id"], row["version"] + 1, "removed", None))
    return Changes(
        inserts=_dumped(inserts),
        inserted=len(inserts),
        revisions=_dumped(revisions),
        revised=len(revisions),
        history=_dumped(history),
        recorded=len(history),
        counts=Counts(imported, updated, stale),
    )


def _insertion(locale: str, key: str, source: str, text: str | None, now_ms: int) -> tuple[Any, ...]:
    problem = None
    if text is not None and not fits(source, text):
        problem, text = _not_taken(locale, source, text), None
    status, origin = (MISSING, None) if text is None else (APPROVED, BY_FILE)
    return new_id("msg", now_ms), key, namespace_of(key), status, origin, source, text, problem


def _not_taken(locale: str, source: str, text: str) -> str:
    return f"The text in {locale}.json was not taken: it {misfit(source, text)}"


def _revision(locale: str, row: Row, source: str, text: str | None) -> dict[str, Any] | None:
    """Returns how a message has to change, or None where it stands as it should."""
    before = _as_is(row)
    after = {**before, "source": source}
    if row["status"] == GONE:
        after |= {"status": row["former_status"], "former_status": None}
    offered = text if _gives_way(after, text) else None
    if after["origin"] == BY_FILE:
        after["problem"] = None
    if offered is not None and not fits(source, offered):
        # What a model's draft is to be looked at for stays with the draft.
        if after["origin"] != BY_MACHINE:
            after["problem"] = _not_taken(locale, source, offered)
        offered = None
    if offered is not None:
        after |= {
            "status": APPROVED,
            "origin": BY_FILE,
            "text": offered,
            "approved_text": offered,
            "previous_source": None,
            "problem": None,
        }
    elif source != row["source"] and after["status"] != MISSING:
        after |= _with_new_source(after, row["source"])
    return after if after != before else None


def _gives_way(message: Mapping[str, Any], text: str | None) -> bool:
    """Tells whether a text from a file replaces the message's: never what a person wrote or reviewed."""
    if message["origin"] == BY_FILE:
        return bool(message["text"] != text)
    return message["status"] == MISSING or (
        message["origin"] == BY_MACHINE and message["reviewed_by"] is None
    )


def _with_new_source(message: Mapping[str, Any], old_source: str) -> dict[str, Any]:
    if message["status"] != STALE:
        return {"status": STALE, "previous_source": old_source}
    if message["source"] != message["previous_source"]:
        return {}
    # The source is again what the text was made for.
    if message["text"] == message["approved_text"]:
        return {"status": APPROVED, "previous_source": None}
    written = MACHINE if message["origin"] == BY_MACHINE else SUBMITTED
    return {
        "status": written if message["reviewed_by"] is None else RETURNED,
        "previous_source": message["approved_text"] and old_source,
    }


def _action(row: Row, revised: Mapping[str, Any]) -> str:
    if revised["text"] != row["text"] or revised["origin"] != row["origin"]:
        return "imported"
    if row["status"] == GONE:
        return "restored"
    return "stale" if revised["status"] == STALE else "source_changed"


def _as_is(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ("id", "version", "reviewed_by", *_REVISED)}


def _dumped(rows: Sequence[Any]) -> str:
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def parts_of(source: Mapping[str, str], size: int) -> Iterator[tuple[str, str, Sequence[tuple[str, str]]]]:
    """Yields the source in parts by key: behind which key each begins, with which it ends, and its texts.

    Together they span every key that a table could have.
    """
    ordered = sorted(source.items())
    after = ""
    for begin in range(0, max(len(ordered), 1), size):
        part = ordered[begin : begin + size]
        last = part[-1][0] if begin + size < len(ordered) else "~"
        yield after, last, part
        after = last
