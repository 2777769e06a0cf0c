"""The documentation in a browser: the site that `make docs` builds of `docs/`, at `/docs`."""

from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.docs_site import handlers
from guildhall_sdk import Auth, Factory, Plugin, Route, SampleClient, hookimpl

ROUTES = (
    Route(
        "GET",
        "/docs",
        "lead_to_site",
        "The documentation",
        Auth.PUBLIC,
        status=308,
        content_type="text/plain",
    ),
    Route(
        "GET",
        "/docs/*path",
        "site_file",
        "A file of the documentation",
        Auth.PUBLIC,
        query=None,
        also_statuses=(206, 304, 308, 404),
        content_type="*/*",
        raw_wildcard=True,
    ),
)

PLUGIN = Plugin(
    id="docs-site",
    name="Documentation",
    version="0.1.0",
    description="The documentation of Guildhall as pages, with a search that needs no network.",
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Any]:
    return {row.handler: getattr(handlers, row.handler) for row in ROUTES}


async def _a_page(client: SampleClient, canary: str) -> str:
    return "search/"


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return [Factory("/docs/*path", _a_page, tenant=False)]
