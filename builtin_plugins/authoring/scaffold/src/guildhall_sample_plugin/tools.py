"""What models and workflows may call, each within the permissions of whoever asks."""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_sdk import Parameter, Principal, Reader, Tool, UserError, hookimpl

SHORTEN = "sample_plugin_shorten"


async def shorten(_reader: Reader, _principal: Principal, arguments: Mapping[str, Any]) -> dict[str, Any]:
    words = str(arguments["text"]).split()
    if not words:
        raise UserError("There is nothing to shorten: give a text.")
    return {"text": " ".join(words[:10]), "left_out": max(0, len(words) - 10)}


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return [
        Tool(
            name=SHORTEN,
            description="Returns the first ten words of a text.",
            permission="chat:use",
            handler=shorten,
            parameters=[Parameter("text", "string", "What is shortened")],
        ),
    ]
