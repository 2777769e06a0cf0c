"""What is wrong with a page that a plugin describes, said when the plugin is loaded."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from guildhall_sdk import Auth, Body, Route
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


_PARAMETER = re.compile(r":(\w+)")
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


def parameters_of(path: str) -> frozenset[str]:
    """Returns the names of the parameters in a path."""
    return frozenset(_PARAMETER.findall(path))


def item_of(row: Route | None) -> Schema | None:
    """Returns the schema of one of the items that a row lists, or None where it lists none."""
    items = field_of((row and row.reply) or {}, "items")
    item = bare(items or {}).get("items")
    return item if isinstance(item, Mapping) else None


def parameter_of(page: ConsolePage, pages: Sequence[ConsolePage]) -> str | None:
    """Returns the parameter of a page about one thing; None for any other, which no table opens."""
    if page.name not in {part.opens for one in pages for part in one.parts if isinstance(part, TablePart)}:
        return None
    paths = [part.source if isinstance(part, TablePart) else part.target for part in page.parts]
    return next(iter(sorted(name for path in paths for name in parameters_of(path))), None)


def _page_faults(page: ConsolePage, declarer: Declarer) -> Iterator[str]:
    pages = declarer.declared(ConsolePage)
    if not isinstance(page.name, str) or not _NAME.fullmatch(page.name):
        yield "name must be 1 to 40 of a-z, 0-9 and -"
        return
    if sum(one.name == page.name for one in pages) > 1:
        yield f"there are two pages named {page.name}"
    yield from word_faults("title", page.title)
    yield from word_faults("text", page.text, most=_MAX_TEXT, needed=False)
    if not isinstance(page.parts, Sequence) or not 1 <= len(page.parts) <= MAX_PARTS:
        yield f"parts must be 1 to {MAX_PARTS} tables and forms"
        return
    parameter = parameter_of(page, pages)
    given = frozenset() if parameter is None else frozenset({parameter})
    for position, part in enumerate(page.parts):
        for fault in _part_faults(part, declarer, given):
            yield f"parts[{position}]: {fault}"


def _part_faults(part: Any, declarer: Declarer, given: frozenset[str]) -> Iterator[str]:
    if isinstance(part, TablePart):
        yield from word_faults("title", part.title, needed=False)
        yield from word_faults("empty", part.empty, most=_MAX_TEXT, needed=False)
        yield from _table_faults(part, declarer, given)
    elif isinstance(part, FormPart):
        yield from _form_faults(part, declarer, given, _WRITING)
    else:
        yield f"a {type(part).__name__} is neither a TablePart nor a FormPart"


def _table_faults(part: TablePart, declarer: Declarer, given: frozenset[str]) -> Iterator[str]:
    row = own_row(declarer.routes, declarer.id, "GET", part.source)
    yield from _row_faults(row, "GET", part.source, given)
    if row is None:
        return
    item = item_of(row)
    if item is None and not parameters_of(part.source):
        yield f"GET {part.source} answers no list: its reply schema has no items"
        return
    if not 1 <= len(part.columns) <= MAX_COLUMNS:
        yield f"columns must be 1 to {MAX_COLUMNS}"
    shown = row.reply or {} if item is None else item
    yield from _column_faults(part.columns, shown, f"an item of GET {part.source}")
    for name in part.filters:
        if bare((row.query or {}).get(name, {})).get("type") not in _PLAIN:
            yield f"GET {part.source} has no parameter {name} that is a text, a number or yes or no"
    if part.chart and not 2 <= len(part.columns) <= 3:
        yield "a chart has two or three columns: a moment, and figures"
    yield from _item_faults(part, declarer, frozenset(shown.get("properties", {})))


def _item_faults(part: TablePart, declarer: Declarer, fields: frozenset[str]) -> Iterator[str]:
    pages = declarer.declared(ConsolePage)
    if part.opens is not None:
        opened = next((one for one in pages if one.name == part.opens), None)
        if opened is None:
            yield f"there is no page named {part.opens}"
        elif parameter_of(opened, pages) not in fields:
            yield f"the page {part.opens} has no part with a parameter that is a field of the item"
    for position, action in enumerate(part.actions):
        for fault in _form_faults(action, declarer, fields, ("GET", "DELETE", *_WRITING)):
            yield f"actions[{position}]: {fault}"


def _form_faults(
    part: FormPart, declarer: Declarer, given: frozenset[str], methods: Sequence[str]
) -> Iterator[str]:
    yield from word_faults("title", part.title, needed=False)
    yield from word_faults("submit", part.submit)
    yield from word_faults("done", part.done, most=_MAX_TEXT, needed=False)
    if part.method not in methods:
        yield f"method must be one of {', '.join(methods)}"
        return
    row = own_row(declarer.routes, declarer.id, part.method, part.target)
    yield from _row_faults(row, part.method, part.target, given)
    if row is None:
        return
    if row.body_kind is Body.JSON and (row.body or methods == _WRITING):
        for fault in undrawable(row.body or {}):
            yield f"{part.method} {part.target}: {fault}"
    yield from _column_faults(part.answer, row.reply or {}, f"the reply of {part.method} {part.target}")
    if part.filled_from is not None:
        filling = own_row(declarer.routes, declarer.id, "GET", part.filled_from)
        yield from _row_faults(filling, "GET", part.filled_from, given)


def _row_faults(row: Route | None, method: str, path: str, given: frozenset[str]) -> Iterator[str]:
    if row is None:
        yield f"the plugin declares no row {method} {path}"
    elif "*" in row.path or not parameters_of(row.path) <= given:
        yield f"{method} {path} has parameters in its path, which nobody fills in here"
    elif row.auth not in SIGNED_IN:
        yield f"{method} {path} is not a row for who is signed in"


def _column_faults(columns: Sequence[Column], schema: Schema, of: str) -> Iterator[str]:
    for column in columns:
        if not isinstance(column, Column):
            yield f"a {type(column).__name__} is no Column"
            continue
        yield from word_faults(f"the label of {column.field}", column.label)
        if field_of(schema, column.field) is None:
            yield f"{of} has no field {column.field}"


def word_faults(what: str, text: Any, *, most: int = _MAX_WORDS, needed: bool = True) -> Iterator[str]:
    if not isinstance(text, str) or len(text) > most or (needed and not text.strip()):
        yield f"{what} must be a text of {1 if needed else 0} to {most} characters"
