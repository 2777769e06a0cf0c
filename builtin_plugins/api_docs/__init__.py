"""The route table for readers: OpenAPI 3.1 for programs, a page for people."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from builtin_plugins.api_docs import handlers
from builtin_plugins.api_docs.document import ApiDocument
from builtin_plugins.api_docs.openapi import RouteTableDescription
from builtin_plugins.api_docs.routes import ROUTES
from guildhall_sdk import Host, Plugin, Route, hookimpl
from guildhall_sdk.services import ApiDescription

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
    return {ApiDescription: RouteTableDescription, ApiDocument: ApiDocument}
