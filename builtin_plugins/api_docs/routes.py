"""The rows of this plugin."""

from guildhall_sdk import Auth, Route
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
