"""Bundles in a frame of the console: a frame sends no bearer, so its address is a ticket.

A file in a frame may load the files of its own bundle and nothing else.
"""

import re

from builtin_plugins.console.pages import has_bundle
from builtin_plugins.console.shell import BUILT
from guildhall_sdk import Auth, Call, Factory, NotFound, Reply, Route, SampleClient, rfc3339
from guildhall_sdk.errors import FeatureDisabled
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.schema import obj, shape, string, time
from guildhall_sdk.services.identity import Tickets
from guildhall_sdk.services.pages import Files
from guildhall_sdk.services.tenancy import Directory

# As a policy can name it: no address in brackets, and nothing that would end the source.
_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?")
_OWN_FILES = ("script-src", "style-src", "img-src", "font-src", "media-src", "connect-src", "worker-src")


def frame_headers(host: str, folder: str) -> dict[str, str]:
    """Returns the headers for a file of the bundle that is served below `folder` on `host`.

    `sandbox` holds where the address is opened in a window of its own too: there it would have our origin.
    The origin of a frame is opaque, so that its own files are those of another origin to it.
    """
    own = f"{host}{folder}" if _HOST.fullmatch(host) else "'self'"
    directives = [
        "default-src 'none'",
        *(f"{name} {own}{' data:' if name in ('img-src', 'font-src') else ''}" for name in _OWN_FILES),
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "sandbox allow-scripts",
    ]
    return {
        "Content-Security-Policy": "; ".join(directives),
        "X-Frame-Options": "SAMEORIGIN",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Access-Control-Allow-Origin": "null",
        "Cache-Control": "private, no-store",
    }


def diagram_headers(host: str) -> dict[str, str]:
    """Returns the headers for the frame that draws diagrams, which are laid out by styles within them."""
    headers = frame_headers(host, _DIAGRAMS)
    styled = headers["Content-Security-Policy"].replace("style-src ", "style-src 'unsafe-inline' ")
    reaching = re.sub(r"connect-src [^;]+", "connect-src 'none'", styled)
    return {**headers, "Content-Security-Policy": reaching, "Cache-Control": "public, max-age=3600"}


_DIAGRAMS = "/diagram-frame/"
_INDEX = "index.html"
_PURPOSE = "console.frame-ticket"
_EXAMPLE = "example-tools"

ROUTES = (
    Route(
        "POST",
        "/api/x/:plugin/ticket",
        "issue_ticket",
        "A path below which a frame gets the files of a plugin's bundle, for ten minutes",
        body=obj({}, example={}),
        reply=shape({"path": string(), "expires_at": time()}),
        session_only=True,
    ),
    Route(
        "GET",
        "/frame/:ticket/:plugin/*path",
        "framed_file",
        "A file of a plugin's bundle, for a frame of the console that has a ticket",
        Auth.PUBLIC,
        also_statuses=(206, 304),
        content_type="*/*",
        raw_wildcard=True,
    ),
    Route(
        "GET",
        f"{_DIAGRAMS}*path",
        "diagram_file",
        "A file of the frame that draws diagrams; it is given them by the page around it",
        Auth.PUBLIC,
        also_statuses=(206, 304),
        content_type="*/*",
        raw_wildcard=True,
    ),
)


async def issue_ticket(call: Call) -> Reply:
    plugin_id = call.params["plugin"]
    off = call.service(Features).of(call.principal).switched_off(plugin_id)
    if off is not None:
        raise FeatureDisabled(off)
    if not has_bundle(call.service(Plugins), plugin_id):
        raise NotFound("This plugin brings no pages of its own.")
    ticket = call.service(Tickets).issue(call, _PURPOSE, plugin_id)
    path = f"/frame/{ticket.text}/{plugin_id}/"
    return Reply({"path": path, "expires_at": rfc3339(ticket.expires_at)}, secret_id=plugin_id)


async def framed_file(call: Call) -> Reply:
    """Answers 404 to whatever is not right: a frame is told nothing of why."""
    plugin_id, text = call.params["plugin"], call.params["ticket"]
    holder = await call.service(Tickets).holder(call, _PURPOSE, text, plugin_id)
    if holder is None or holder.org_suspended or not call.service(Features).of(holder).plugin(plugin_id):
        raise NotFound()
    await _check_tenant(call)
    home = call.service(Plugins).folder(plugin_id)
    if home is None:
        raise NotFound()
    path = call.params["path"]
    if not path or path.endswith("/"):
        path += _INDEX
    headers = frame_headers(call.headers.get("host", ""), f"/frame/{text}/{plugin_id}/")
    return await call.service(Files).reply(call, home, f"bundle/{path}", headers=headers)


async def diagram_file(call: Call) -> Reply:
    headers = diagram_headers(call.headers.get("host", ""))
    return await call.service(Files).reply(call, BUILT, f"diagram/{call.params['path']}", headers=headers)


async def _check_tenant(call: Call) -> None:
    if not call.host.settings.hosted:
        return
    async with call.read() as reader:
        if await call.service(Directory).tenant_suspended_at(reader) is not None:
            raise NotFound()


async def _a_plugin(client: SampleClient, canary: str) -> str:
    return _EXAMPLE


async def _a_ticket(client: SampleClient, canary: str) -> str:
    _, issued = await client.call("POST", f"/api/x/{_EXAMPLE}/ticket", {}, may_refuse=True)
    return str(issued["path"]).split("/")[2] if "path" in issued else "no-ticket-here"


async def _a_path(client: SampleClient, canary: str) -> str:
    return _INDEX


FACTORIES = (
    Factory("/frame/:ticket", _a_ticket, tenant=False),
    Factory("/frame/:ticket/:plugin", _a_plugin, tenant=False),
    Factory("/frame/:ticket/:plugin/*path", _a_path, tenant=False),
    Factory("/diagram-frame/*path", _a_path, tenant=False),
)
HANDLERS = {"issue_ticket": issue_ticket, "framed_file": framed_file, "diagram_file": diagram_file}
