"""What is wrong with a page that a plugin describes, said when the plugin is loaded."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from guildhall_sdk import Auth, Route
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.services.pages import Column, ConsolePage, FormPart, TablePart

Schema = Mapping[str, Any]

MAX_DEPTH = 4
_PLAIN = frozenset({"string", "number", "integer", "boolean"})


def undrawable(schema: Schema, pointer: str = "", depth: int = 0) -> Iterator[str]:
    """Yields each place of a body schema that no field can be drawn for, and why."""
    found = bare(schema)
    kind = found.get("type")
    if kind == "object" and isinstance(found.get("properties"), Mapping):
        if depth >= MAX_DEPTH:
            yield f"{pointer} is nested deeper than {MAX_DEPTH} levels"
            return
        for name, below in found["properties"].items():
            yield from undrawable(below, f"{pointer}/{name}", depth + 1)
    elif not pointer:
        yield "the body must be an object with properties"
    elif kind == "array":
        if bare(found.get("items", {})).get("type") != "string":
            yield f"{pointer} is a list of something else than texts"
    elif kind not in _PLAIN:
        yield f"{pointer} is none of text, number, yes or no, list of texts and object"


def bare(schema: Any) -> Schema:
    """Returns a schema without the null that it also takes."""
    choices: Sequence[Any] = schema.get("anyOf", ()) if isinstance(schema, Mapping) else ()
    others = [choice for choice in choices if choice != {"type": "null"}]
    if len(others) == 1 and len(choices) == 2:
        return {**others[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
    return schema if isinstance(schema, Mapping) else {}


def field_of(schema: Schema, dotted: str) -> Schema | None:
    """Returns the schema of a field, or of a field within a field; None where there is none."""
    found: Schema = schema
    for name in dotted.split("."):
        below = bare(found).get("properties", {}).get(name)
        if below is None:
            return None
        found = below
    return found


_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_WRITING = ("POST", "PUT", "PATCH")
SIGNED_IN = (Auth.BEARER, Auth.ORG_ADMIN)
_MAX_WORDS = 120
_MAX_TEXT = 1000
MAX_PARTS = 12
MAX_COLUMNS = 12


def page_fault(page: ConsolePage, declarer: Declarer) -> str | None:
    """Returns the first thing that is wrong with a page, or None."""
    return next(_page_faults(page, declarer), None)


def own_row(routes: Sequence[Route], plugin_id: str, method: str, path: str) -> Route | None:
    """Returns a row of the plugin by the path that it was declared with, or None."""
    paths = (path, f"/api/x/{plugin_id}/{path.removeprefix('/')}")
    return next((row for row in routes if row.method == method and row.path in paths), None)


def _page_faults(page: ConsolePage, declarer: Declarer) -> Iterator[str]:
    if not isinstance(page.name, str) or not _NAME.fullmatch(page.name):
        yield "name must be 1 to 40 of a-z, 0-9 and -"
        return
    if sum(one.name == page.name for one in declarer.declared(ConsolePage)) > 1:
        yield f"there are two pages named {page.name}"
    yield from _words("title", page.title)
    yield from _words("text", page.text, most=_MAX_TEXT, needed=False)
    if not isinstance(page.parts, Sequence) or not 1 <= len(page.parts) <= MAX_PARTS:
        yield f"parts must be 1 to {MAX_PARTS} tables and forms"
        return
    for position, part in enumerate(page.parts):
        for fault in _part_faults(part, declarer):
            yield f"parts[{position}]: {fault}"


def _part_faults(part: Any, declarer: Declarer) -> Iterator[str]:
    if isinstance(part, TablePart):
        yield from _words("title", part.title, needed=False)
        yield from _words("empty", part.empty, most=_MAX_TEXT, needed=False)
        yield from _table_faults(part, declarer)
    elif isinstance(part, FormPart):
        yield from _words("title", part.title, needed=False)
        yield from _words("submit", part.submit)
        yield from _words("done", part.done, most=_MAX_TEXT, needed=False)
        yield from _form_faults(part, declarer)
    else:
        yield f"a {type(part).__name__} is neither a TablePart nor a FormPart"


def _table_faults(part: TablePart, declarer: Declarer) -> Iterator[str]:
    row = own_row(declarer.routes, declarer.id, "GET", part.source)
    yield from _row_faults(row, "GET", part.source)
    if row is None:
        return
    items = field_of(row.reply or {}, "items")
    item = bare(items or {}).get("items")
    if item is None:
        yield f"GET {part.source} answers no list: its reply schema has no items"
        return
    if not 1 <= len(part.columns) <= MAX_COLUMNS:
        yield f"columns must be 1 to {MAX_COLUMNS}"
    yield from _column_faults(part.columns, item, f"an item of GET {part.source}")


def _form_faults(part: FormPart, declarer: Declarer) -> Iterator[str]:
    if part.method not in _WRITING:
        yield f"method must be one of {', '.join(_WRITING)}"
        return
    row = own_row(declarer.routes, declarer.id, part.method, part.target)
    yield from _row_faults(row, part.method, part.target)
    if row is None:
        return
    for fault in undrawable(row.body or {}):
        yield f"{part.method} {part.target}: {fault}"
    yield from _column_faults(part.answer, row.reply or {}, f"the reply of {part.method} {part.target}")
    if part.filled_from is not None:
        yield from _row_faults(
            own_row(declarer.routes, declarer.id, "GET", part.filled_from), "GET", part.filled_from
        )


def _row_faults(row: Route | None, method: str, path: str) -> Iterator[str]:
    if row is None:
        yield f"the plugin declares no row {method} {path}"
    elif ":" in row.path or "*" in row.path:
        yield f"{method} {path} has parameters in its path, which nobody fills in here"
    elif row.auth not in SIGNED_IN:
        yield f"{method} {path} is not a row for who is signed in"


def _column_faults(columns: Sequence[Column], schema: Schema, of: str) -> Iterator[str]:
    for column in columns:
        if not isinstance(column, Column):
            yield f"a {type(column).__name__} is no Column"
            continue
        yield from _words(f"the label of {column.field}", column.label)
        if field_of(schema, column.field) is None:
            yield f"{of} has no field {column.field}"


def _words(what: str, text: Any, *, most: int = _MAX_WORDS, needed: bool = True) -> Iterator[str]:
    if not isinstance(text, str) or len(text) > most or (needed and not text.strip()):
        yield f"{what} must be a text of {1 if needed else 0} to {most} characters"
