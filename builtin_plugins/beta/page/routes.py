"""The rows of pages, previews and the page's files, their handlers, and tickets for the conformance tests."""

import hashlib
from functools import cache

from builtin_plugins.beta.experiences.routes import LOCALE_QUERY
from builtin_plugins.beta.page import service
from builtin_plugins.beta.page.rendering import FOLDER
from builtin_plugins.beta.page.service import PATH, PERMISSION, FunnelPages
from guildhall_sdk import Auth, Call, Factory, NotFound, Reply, Route, SampleClient
from guildhall_sdk.schema import shape, string, time

_FILES = (
    ("/beta-sdk.js", "sdk_script", "The browser's side of the sign-up: `window.Service.beta`", "javascript"),
    ("/beta/page.js", "page_script", "The script of the default page", "javascript"),
    ("/beta/page.css", "page_style", "The looks of the default page", "css"),
    ("/beta/page-without-script.css", "bare_style", "What the page shows where no script runs", "css"),
)
# Pages of other origins load the SDK, those in a sandbox too.
_FOR_ALL = {"Cross-Origin-Resource-Policy": "cross-origin"}

ROUTES = (
    Route(
        "GET",
        "/beta/template",
        "template",
        "The team's template in one language, in a sandbox; without one the default page",
        Auth.PUBLIC,
        query=LOCALE_QUERY,
        content_type="text/html",
    ),
    Route(
        "POST",
        "/api/beta/experience/preview",
        "issue_preview",
        "An address at which the team's saved draft can be looked at, in a frame, for ten minutes.",
        permission=PERMISSION,
        reply=shape({"url": string(), "expires_at": time()}),
    ),
    Route(
        "GET",
        f"{PATH}:ticket",
        "preview_page",
        "A team's draft as visitors would see it; it signs nobody up.",
        Auth.PUBLIC,
        query=LOCALE_QUERY,
        content_type="text/html",
    ),
    *(
        Route("GET", path, handler, doc, Auth.PUBLIC, content_type=f"text/{kind}", also_statuses=(304,))
        for path, handler, doc, kind in _FILES
    ),
)


async def template(call: Call) -> Reply:
    return await call.service(FunnelPages).sandboxed(call)


async def issue_preview(call: Call) -> Reply:
    return Reply(service.issue(call))


async def preview_page(call: Call) -> Reply:
    team_id = await service.team_of(call, call.params["ticket"])
    if team_id is None:
        raise NotFound()
    return await call.service(FunnelPages).preview(call, team_id)


async def sdk_script(call: Call) -> Reply:
    return _file("beta-sdk.js", "text/javascript")


async def page_script(call: Call) -> Reply:
    return _file("page.js", "text/javascript")


async def page_style(call: Call) -> Reply:
    return _file("page.css", "text/css")


async def bare_style(call: Call) -> Reply:
    return _file("page-without-script.css", "text/css")


@cache
def _file(name: str, content_type: str) -> Reply:
    content = (FOLDER / name).read_bytes()
    return Reply(
        headers={"Cache-Control": "no-cache", **_FOR_ALL},
        etag=f'"{hashlib.sha256(content).hexdigest()[:32]}"',
        content=content,
        content_type=f"{content_type}; charset=utf-8",
    )


HANDLERS = {
    handler.__name__: handler
    for handler in (template, issue_preview, preview_page, sdk_script, page_script, page_style, bare_style)
}


async def make_ticket(client: SampleClient, canary: str) -> str:
    """Saves a draft that says the canary, and returns a ticket to look at it."""
    await client.call("PUT", "/api/beta/experience", {"copy": {"en": {"title": canary}}})
    _, issued = await client.call("POST", "/api/beta/experience/preview")
    return str(issued["url"]).removeprefix(PATH)


FACTORIES = (Factory(f"{PATH}:ticket", make_ticket),)
