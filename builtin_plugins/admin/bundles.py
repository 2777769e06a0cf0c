"""What plugins bring to browsers: `landing/` for everybody, `bundle/` for who is signed in."""

from guildhall_sdk import Auth, Call, Factory, NotFound, Reply, Route, SampleClient
from guildhall_sdk.errors import FeatureDisabled
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.routes import PAGE_CSP
from guildhall_sdk.services.pages import Files

_INDEX = "index.html"
_WITH_BOTH = "example-tools"

ROUTES = (
    Route(
        "GET",
        "/beta/bundle/:plugin/*path",
        "landing_file",
        "A file of a plugin's landing/",
        Auth.PUBLIC,
        also_statuses=(206, 304),
        content_type="*/*",
        raw_wildcard=True,
    ),
    Route(
        "GET",
        "/api/x/:plugin/bundle/*path",
        "bundle_file",
        "A file of a plugin's bundle/",
        also_statuses=(206, 304),
        content_type="*/*",
        raw_wildcard=True,
    ),
)


async def landing_file(call: Call) -> Reply:
    headers = {
        "Cache-Control": "public, max-age=300",
        # A sandboxed page has an origin of its own, and loads them all the same.
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    return await _file(call, "landing", headers)


async def bundle_file(call: Call) -> Reply:
    off = call.service(Features).of(call.principal).switched_off(call.params["plugin"])
    if off is not None:
        raise FeatureDisabled(off)
    return await _file(call, "bundle", {})


async def _file(call: Call, folder: str, headers: dict[str, str]) -> Reply:
    home = call.service(Plugins).folder(call.params["plugin"])
    if home is None:
        raise NotFound()
    path = call.params["path"]
    if not path or path.endswith("/"):
        path += _INDEX
    headers["Content-Security-Policy"] = PAGE_CSP
    return await call.service(Files).reply(call, home, f"{folder}/{path}", headers=headers)


HANDLERS = {"landing_file": landing_file, "bundle_file": bundle_file}


async def _a_plugin(client: SampleClient, canary: str) -> str:
    return _WITH_BOTH


async def _a_path(client: SampleClient, canary: str) -> str:
    return _INDEX


FACTORIES = tuple(
    Factory(at, make, tenant=False)
    for row in ROUTES
    for at, make in ((row.path.partition("/:plugin")[0] + "/:plugin", _a_plugin), (row.path, _a_path))
)
