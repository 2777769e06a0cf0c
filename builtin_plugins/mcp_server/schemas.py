"""Messages in and out, as the API's description shows them."""

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
