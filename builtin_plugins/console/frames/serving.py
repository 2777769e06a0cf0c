"""A ticket for a bundle, and the files behind it."""

from builtin_plugins.console.frames.policy import frame_headers
from builtin_plugins.console.pages.listing import has_bundle
from guildhall_sdk import Auth, Call, Factory, NotFound, Reply, Route, SampleClient, rfc3339
from guildhall_sdk.errors import FeatureDisabled
from guildhall_sdk.schema import obj, shape, string, time
from guildhall_sdk.services import identity as tickets
from guildhall_sdk.services.description import Plugins
from guildhall_sdk.services.files import Files
from guildhall_sdk.services.tenancy import Directory
from guildhall_sdk.services.toggles import Features

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
)


async def issue_ticket(call: Call) -> Reply:
    plugin_id = call.params["plugin"]
    off = call.service(Features).of(call.principal).switched_off(plugin_id)
    if off is not None:
        raise FeatureDisabled(off)
    if not has_bundle(call.service(Plugins), plugin_id):
        raise NotFound("This plugin brings no pages of its own.")
    ticket = tickets.issue_ticket(call, _PURPOSE, plugin_id)
    path = f"/frame/{ticket.text}/{plugin_id}/"
    return Reply({"path": path, "expires_at": rfc3339(ticket.expires_at)}, secret_id=plugin_id)


async def framed_file(call: Call) -> Reply:
    """Answers 404 to whatever is not right: a frame is told nothing of why."""
    plugin_id, text = call.params["plugin"], call.params["ticket"]
    holder = await tickets.ticket_holder(call, _PURPOSE, text, plugin_id)
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


async def _check_tenant(call: Call) -> None:
    if not call.host.settings.hosted:
        return
    async with call.read() as reader:
        if await call.service(Directory).tenant_suspended_at(reader) is not None:
            raise NotFound()


async def _a_plugin(client: SampleClient, canary: str) -> str:
    return _EXAMPLE


async def _a_ticket(client: SampleClient, canary: str) -> str:
    _, issued = await client.call("POST", f"/api/x/{_EXAMPLE}/ticket", {})
    return str(issued["path"]).split("/")[2] if "path" in issued else "no-ticket-here"


async def _a_path(client: SampleClient, canary: str) -> str:
    return _INDEX


FACTORIES = (
    Factory("/frame/:ticket", _a_ticket, tenant=False),
    Factory("/frame/:ticket/:plugin", _a_plugin, tenant=False),
    Factory("/frame/:ticket/:plugin/*path", _a_path, tenant=False),
)
HANDLERS = {"issue_ticket": issue_ticket, "framed_file": framed_file}
