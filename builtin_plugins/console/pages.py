"""The pages of plugins as one caller is shown them: what they may not call is left out."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from builtin_plugins.console.page_checks import SIGNED_IN, bare, field_of, own_row
from guildhall_sdk import Call, Principal, Reply, Route, page
from guildhall_sdk.plugin import Features, Plugins, PluginStatus
from guildhall_sdk.schema import anything, array, boolean, enum, listing, nullable, shape, string
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
    *("method", "target", "schema", "submit", "done", "filled_from", "answer"),
    "routes",
)
_PART = shape(
    {
        "kind": enum("table", "form", "bundle"),
        "title": string(),
        "source": string(description="Of a table: the path that lists what it shows"),
        "columns": array(_COLUMN),
        "empty": string(),
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
PAGES = listing(
    shape(
        {
            "plugin": shape({"id": string(), "name": string()}),
            "name": string(description="Empty for a bundle"),
            "title": string(),
            "text": string(),
            "address": string(description="Where the console shows it"),
            "in_navigation": boolean(),
            "demo": boolean(
                description="Of a plugin to learn from: found by the palette, not in the navigation"
            ),
            "parts": array(_PART),
        }
    )
)

ROUTES = (
    Route(
        "GET",
        "/api/ui",
        "plugin_pages",
        "The pages that plugins add to the console, as far as the caller may use them",
        reply=PAGES,
    ),
)

_INDEX = "bundle/index.html"


async def plugin_pages(call: Call) -> Reply:
    plugins = call.service(Plugins)
    switches = call.service(Features).of(call.principal)
    loaded = {one.id: one for one in plugins.statuses() if one.status == "loaded"}

    def open_rows(plugin_id: str) -> list[Route]:
        return [
            row
            for row in plugins.rows(plugin_id)
            if row.auth in SIGNED_IN
            and switches.switched_off(plugin_id, row.feature) is None
            and _may(call.principal, row)
        ]

    described = plugins.owned(ConsolePage, switches)
    items = [
        *(one for id_, found in described for one in _described(loaded[id_], found, open_rows(id_))),
        *(
            _bundle(one, rows)
            for one in loaded.values()
            if switches.plugin(one.id) and has_bundle(plugins, one.id)
            # A plugin whose every row is closed to this caller has nothing to show them.
            if (rows := open_rows(one.id)) or not plugins.rows(one.id)
        ),
    ]
    return page(items, None)


def has_bundle(plugins: Plugins, plugin_id: str) -> bool:
    home = plugins.folder(plugin_id)
    return home is not None and (home / _INDEX).is_file()


def _may(principal: Principal, row: Route) -> bool:
    if row.permission is None or principal.may(row.permission):
        return True
    return row.resource_decides and principal.scope_allows(row.permission)


def _described(status: PluginStatus, found: ConsolePage, rows: Sequence[Route]) -> Iterator[dict[str, Any]]:
    parts = [part for one in found.parts if (part := _part(one, status.id, rows)) is not None]
    if parts:
        yield _item(status, found.name, found.title, found.text, found.in_navigation, parts)


def _bundle(status: PluginStatus, rows: Sequence[Route]) -> dict[str, Any]:
    routes = [{"method": row.method, "path": row.path} for row in rows]
    part = {"kind": "bundle", "title": status.name, "routes": routes}
    return _item(status, "", status.name, status.description, True, [part])


def _item(
    status: PluginStatus, name: str, title: str, text: str, in_navigation: bool, parts: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "plugin": {"id": status.id, "name": status.name},
        "name": name,
        "title": title,
        "text": text,
        "address": f"/x/{status.id}/{name}" if name else f"/x/{status.id}",
        "in_navigation": in_navigation and not status.demo,
        "demo": status.demo,
        "parts": parts,
    }


def _part(part: TablePart | FormPart, plugin_id: str, rows: Sequence[Route]) -> dict[str, Any] | None:
    def find(method: str, path: str) -> Route | None:
        return own_row(rows, plugin_id, method, path)

    return _table(part, find) if isinstance(part, TablePart) else _form(part, find)


Find = Callable[[str, str], Route | None]


def _table(part: TablePart, find: Find) -> dict[str, Any] | None:
    row = find("GET", part.source)
    if row is None:
        return None
    item = bare(field_of(row.reply or {}, "items") or {}).get("items", {})
    return {
        "kind": "table",
        "title": part.title,
        "source": row.path,
        "columns": _columns(part.columns, item),
        "empty": part.empty,
    }


def _form(part: FormPart, find: Find) -> dict[str, Any] | None:
    row = find(part.method, part.target)
    if row is None:
        return None
    filling = None if part.filled_from is None else find("GET", part.filled_from)
    return {
        "kind": "form",
        "title": part.title,
        "method": row.method,
        "target": row.path,
        "schema": dict(row.body or {}),
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
