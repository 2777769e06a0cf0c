"""The route table for readers: OpenAPI 3.1 for programs, a page for people."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from builtin_plugins.api_docs import handlers
from builtin_plugins.api_docs.handlers import ApiDocument
from builtin_plugins.api_docs.openapi import RouteTableDescription
from guildhall_sdk import Auth, Host, Plugin, Route, hookimpl
from guildhall_sdk.schema import anything, shape, string

_OPENAPI = shape({"openapi": string(), "info": anything(type="object"), "paths": anything(type="object")})
# Of one address: it is a third of a megabyte, and nobody needs it anew more often.
_PER_MINUTE = 60

ROUTES = (
    Route(
        "GET",
        "/api/openapi.json",
        "openapi",
        "The whole API as OpenAPI 3.1",
        Auth.PUBLIC,
        reply=_OPENAPI,
        limit=_PER_MINUTE,
    ),
    Route("GET", "/api/docs", "page", "The API to read", Auth.PUBLIC, content_type="text/html"),
    Route(
        "GET",
        "/api/docs/app.js",
        "script",
        "The script of that page",
        Auth.PUBLIC,
        content_type="text/javascript",
    ),
    Route(
        "GET",
        "/api/docs/app.css",
        "stylesheet",
        "The looks of that page",
        Auth.PUBLIC,
        content_type="text/css",
    ),
)

PLUGIN = Plugin(
    id="api-docs",
    name="API documentation",
    version="0.1.0",
    description="The whole route table as OpenAPI 3.1, and a page to read it.",
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Any]:
    return {row.handler: getattr(handlers, row.handler) for row in ROUTES}


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {RouteTableDescription: RouteTableDescription, ApiDocument: ApiDocument}
