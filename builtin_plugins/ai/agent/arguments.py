"""The arguments of a tool call as a model wrote them, held to what any other JSON of a caller is held to."""

from typing import Any

from guildhall_sdk import InvalidRequest
from guildhall_sdk.errors import InvalidJson
from libs.strict_json import JsonFault, decode_json

MAX_ARGUMENT_BYTES = 256 * 1024


def parse_arguments(text: str) -> dict[str, Any]:
    """Reads an object; nothing at all is an empty one. Raises `InvalidJson` or `InvalidRequest`."""
    raw = text.encode("utf-8", "replace")
    if len(raw) > MAX_ARGUMENT_BYTES:
        raise InvalidRequest(f"The arguments have more than {MAX_ARGUMENT_BYTES // 1024} KiB; send less.")
    if not raw.strip():
        return {}
    try:
        value = decode_json(raw)
    except JsonFault as fault:
        raise InvalidJson(f"The arguments are not JSON: {fault.detail}") from None
    if not isinstance(value, dict):
        raise InvalidRequest("The arguments must be a JSON object.")
    return value
