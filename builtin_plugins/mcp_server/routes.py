"""The row of the MCP server, and the messages that it takes and gives."""

from guildhall_sdk import Body, Route
from guildhall_sdk.schema import anything, array, enum, integer, shape, string

MAX_BATCH = 20
_VERSION = enum("2.0")
_ID = {"anyOf": [string(), integer()]}

_REQUEST = shape(
    {"jsonrpc": _VERSION, "id": _ID, "method": string(), "params": shape({})},
    optional=("id", "params"),
    description="Without an id it is a notification, which is answered 202 and by nothing else",
)
MESSAGE = {
    "anyOf": [
        _REQUEST,
        array(
            _REQUEST, minItems=1, maxItems=MAX_BATCH, description="In the protocol's version 2025-03-26 alone"
        ),
    ],
    "examples": [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        [
            {"jsonrpc": "2.0", "id": 1, "method": "resources/list"},
            {"jsonrpc": "2.0", "id": 2, "method": "ping"},
        ],
    ],
}

_RESPONSE = shape(
    {
        "jsonrpc": _VERSION,
        "id": anything(),
        "result": shape({}),
        "error": shape({"code": integer(), "message": string(), "data": anything()}, optional=("data",)),
    },
    optional=("id", "result", "error"),
)
ANSWER = {"anyOf": [_RESPONSE, array(_RESPONSE)]}

# Each message is judged by itself: by the tool that it calls, by the note or document that it reads. So the
# row names no permission, takes what a scope leaves, and leaves suspension to what a message does.
ROUTES = (
    Route(
        "POST",
        "/api/mcp/server",
        "answer_message",
        "The Model Context Protocol over streamable HTTP, without sessions: one JSON-RPC message",
        body=MESSAGE,
        body_kind=Body.WHOLE,
        reply=ANSWER,
        resource_decides=True,
        while_suspended=True,
        also_answers=("text/plain",),  # of a notification: nothing
        also_statuses=(202, 400, 402, 404),
        resource_metadata="/.well-known/oauth-protected-resource/api/mcp/server",
    ),
)
