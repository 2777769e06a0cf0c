"""The pages of plugins as one caller is shown them: what they may not call is left out."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from builtin_plugins.console.page_checks import (
    SIGNED_IN,
    field_of,
    item_of,
    own_row,
    parameter_of,
)
from builtin_plugins.console.screens import SCREENS, screens_for
from guildhall_sdk import Body, Call, Principal, Reply, Route
from guildhall_sdk.plugin import Features, Plugins, PluginStatus, Switches
from guildhall_sdk.schema import anything, array, boolean, enum, nullable, shape, string
from guildhall_sdk.services.pages import Column, ConsolePage, FormPart, TablePart

_COLUMN = shape(
    {
        "field": string(description="owner.name is a field within a field"),
        "label": string(),
        "schema": anything(type="object", description="What the row says of the field"),
    }
)
_OF_ONE_KIND = (
    *("source", "columns", "empty"),
    *("opens", "field", "actions", "filters", "chart"),
    *("method", "target", "schema", "submit", "done", "filled_from", "answer", "takes"),
    "routes",
)
_PART = shape(
    {
        "kind": enum("table", "facts", "form", "bundle"),
        "title": string(),
        "source": string(description="Of a table: the path that lists what it shows"),
        "columns": array(_COLUMN),
        "empty": string(),
        "opens": nullable(string(description="The address of the page about one item, without its end")),
        "field": nullable(string(description="The field of an item that ends the address")),
        "actions": array(anything(type="object"), description="Of a table: forms, as parts are, for an item"),
        "filters": array(shape({"name": string(), "schema": anything(type="object")})),
        "chart": boolean(description="Of a table: a moment and figures, to be drawn"),
        "takes": enum("fields", "file", "nothing", description="Of a form"),
        "method": string(),
        "target": string(description="Of a form: the path that takes it"),
        "schema": anything(type="object", description="Of a form: the schema of the body"),
        "submit": string(),
        "done": string(),
        "filled_from": nullable(string()),
        "answer": array(_COLUMN),
        "routes": array(
            shape({"method": string(), "path": string()}),
            description="Of a bundle: the plugin's rows that the caller may call from it",
        ),
    },
    optional=_OF_ONE_KIND,
)
_PAGE = shape(
    {
        "plugin": shape({"id": string(), "name": string()}),
        "name": string(description="Empty for a bundle"),
        "title": string(),
        "text": string(),
        "address": string(description="Where the console shows it"),
        "parameter": nullable(string(description="Of a page about one thing: what its paths have for it")),
        "in_navigation": boolean(),
        "demo": boolean(description="Of a plugin to learn from: found by the palette, not in the navigation"),
        "parts": array(_PART),
    }
)
# A list as every other, which is never longer than one page.
_PAGES = array(_PAGE, description="Pages as data, also called `items` as in every list")
UI = shape({"pages": _PAGES, "items": array(_PAGE), "next_cursor": nullable(string()), **SCREENS})

ROUTES = (
    Route(
        "GET",
        "/api/ui",
        "plugin_pages",
        "The screens and pages that plugins bring to the console, as far as the caller may use them",
        reply=UI,
    ),
)

_INDEX = "bundle/index.html"


async def plugin_pages(call: Call) -> Reply:
    plugins = call.service(Plugins)
    switches = call.service(Features).of(call.principal)
    loaded = {one.id: one for one in plugins.statuses() if one.status == "loaded"}

    def open_rows(plugin_id: str) -> list[Route]:
        return [row for row in plugins.rows(plugin_id) if may_call(call.principal, row, switches, plugin_id)]

    described = plugins.owned(ConsolePage, switches)
    of_plugin: dict[str, list[ConsolePage]] = {}
    for id_, found in plugins.owned(ConsolePage):
        of_plugin.setdefault(id_, []).append(found)
    items = [
        *(
            one
            for id_, found in described
            for one in _described(loaded[id_], found, open_rows(id_), of_plugin[id_])
        ),
        *(
            _bundle(one, rows)
            for one in loaded.values()
            if switches.plugin(one.id) and has_bundle(plugins, one.id)
            # A plugin whose every row is closed to this caller has nothing to show them.
            if (rows := open_rows(one.id)) or not plugins.rows(one.id)
        ),
    ]
    screens = await asyncio.to_thread(screens_for, plugins, call.principal, switches)
    return Reply({"pages": items, "items": items, "next_cursor": None, **screens})


def has_bundle(plugins: Plugins, plugin_id: str) -> bool:
    home = plugins.folder(plugin_id)
    return home is not None and (home / _INDEX).is_file()


def may_call(principal: Principal, row: Route, switches: Switches, plugin_id: str) -> bool:
    """Tells whether a row of a plugin is open to somebody who is signed in."""
    if row.auth not in SIGNED_IN or switches.switched_off(plugin_id, row.feature) is not None:
        return False
    if row.permission is None or principal.may(row.permission):
        return True
    return row.resource_decides and principal.scope_allows(row.permission)


def _described(
    status: PluginStatus, found: ConsolePage, rows: Sequence[Route], pages: Sequence[ConsolePage]
) -> Iterator[dict[str, Any]]:
    def find(method: str, path: str) -> Route | None:
        return own_row(rows, status.id, method, path)

    def part_of(part: TablePart | FormPart) -> dict[str, Any] | None:
        return _table(part, find, status.id, pages) if isinstance(part, TablePart) else _form(part, find)

    parts = [part for one in found.parts if (part := part_of(one)) is not None]
    if parts:
        yield _item(status, found, parts, parameter_of(found, pages))


def _bundle(status: PluginStatus, rows: Sequence[Route]) -> dict[str, Any]:
    routes = [{"method": row.method, "path": row.path} for row in rows]
    part = {"kind": "bundle", "title": status.name, "routes": routes}
    whole = ConsolePage(name="", title=status.name, text=status.description, parts=())
    return _item(status, whole, [part], None)


def _item(
    status: PluginStatus, found: ConsolePage, parts: list[dict[str, Any]], parameter: str | None
) -> dict[str, Any]:
    return {
        "plugin": {"id": status.id, "name": status.name},
        "name": found.name,
        "title": found.title,
        "text": found.text,
        "address": _address(status.id, found.name),
        "parameter": parameter,
        "in_navigation": found.in_navigation and parameter is None and not status.demo,
        "demo": status.demo,
        "parts": parts,
    }


def _address(plugin_id: str, name: str) -> str:
    return f"/x/{plugin_id}/{name}" if name else f"/x/{plugin_id}"


Find = Callable[[str, str], Route | None]


def _table(
    part: TablePart, find: Find, plugin_id: str, pages: Sequence[ConsolePage]
) -> dict[str, Any] | None:
    row = find("GET", part.source)
    if row is None:
        return None
    item = item_of(row)
    opened = next((one for one in pages if one.name == part.opens), None)
    return {
        "kind": "table" if item is not None else "facts",
        "title": part.title,
        "source": row.path,
        "columns": _columns(part.columns, row.reply or {} if item is None else item),
        "empty": part.empty,
        "opens": None if opened is None else _address(plugin_id, opened.name),
        "field": None if opened is None else parameter_of(opened, pages),
        "actions": [form for one in part.actions if (form := _form(one, find)) is not None],
        "filters": [{"name": name, "schema": dict((row.query or {})[name])} for name in part.filters],
        "chart": part.chart,
    }


def _form(part: FormPart, find: Find) -> dict[str, Any] | None:
    row = find(part.method, part.target)
    if row is None:
        return None
    filling = None if part.filled_from is None else find("GET", part.filled_from)
    takes = "file" if row.body_kind is Body.RAW else "fields" if row.body else "nothing"
    return {
        "kind": "form",
        "title": part.title,
        "method": row.method,
        "target": row.path,
        "schema": dict(row.body or {}),
        "takes": takes,
        "submit": part.submit,
        "done": part.done,
        "filled_from": None if filling is None else filling.path,
        "answer": _columns(part.answer, row.reply or {}),
    }


def _columns(columns: Sequence[Column], schema: Any) -> list[dict[str, Any]]:
    return [
        {"field": one.field, "label": one.label, "schema": dict(field_of(schema, one.field) or {})}
        for one in columns
    ]


HANDLERS = {"plugin_pages": plugin_pages}
