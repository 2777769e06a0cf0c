"""What a tool gave, as a client gets it: text for the model, and the value where it is an object."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.mcp_server.messages import described
from builtin_plugins.mcp_server.uris import object_uri
from guildhall_sdk import Problem
from guildhall_sdk.tools import Artifact
from libs.fair_slots import BODIES
from libs.strict_json import encode_steps, encode_text

MAX_CHARACTERS = 1024 * 1024
_CUT = "\n[… cut: the result is longer than {limit:,} characters]"


async def presented(org_id: str, value: Any) -> dict[str, Any]:
    """The result of a call. What is no text is encoded on a thread, in steps: it may be large."""
    if isinstance(value, str):
        return {"content": [_text(value)], "isError": False}
    whole = value.public() if isinstance(value, Artifact) else value
    try:
        encoded = await BODIES.run_steps(org_id, encode_steps(whole, encode_text))
    except (TypeError, ValueError, RecursionError):
        return failure(Problem("The tool gave what is no JSON."))
    content = [_text(value.line()), *_links(value)] if isinstance(value, Artifact) else [_text(encoded)]
    result: dict[str, Any] = {"content": content, "isError": False}
    fits = isinstance(whole, Mapping) and len(encoded) <= MAX_CHARACTERS
    return {**result, "structuredContent": whole} if fits else result


def failure(problem: Problem) -> dict[str, Any]:
    """A call that failed, in words that the model can act on."""
    error = {**described(problem), "message": problem.detail}
    text = f"{problem.code}: {problem.detail}"
    return {"content": [_text(text)], "structuredContent": {"error": error}, "isError": True}


def _text(text: str) -> dict[str, Any]:
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS] + _CUT.format(limit=MAX_CHARACTERS)
    return {"type": "text", "text": text}


def _links(artifact: Artifact) -> list[dict[str, Any]]:
    if artifact.object_id is None:
        return []
    link = {"type": "resource_link", "uri": object_uri(artifact.object_id), "name": artifact.title}
    return [{**link, "mimeType": artifact.content_type} if artifact.content_type else link]
