"""`doc_render`: a Mustache template filled with data."""

from collections.abc import Mapping
from typing import Any

from builtin_plugins.documents.origins import Origin
from builtin_plugins.documents.outputs import check_place, document, write_output
from guildhall_sdk import Host, Principal
from guildhall_sdk.services.computing import Templates
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.tools import Artifact

STEP = "form"


async def render_form(host: Host, caller: Principal, arguments: Mapping[str, Any]) -> Artifact:
    """Fills a template, off the event loop; values are escaped for Markdown."""
    async with host.data.read() as reader:
        source = await host.service(Repository).get(reader, caller, arguments["object"])
    origin = Origin.of(arguments, source, STEP)
    await check_place(host, caller, origin)
    text = await host.service(Templates).fill(caller.org_id, arguments["template"], arguments["data"])
    written = await write_output(host, caller, origin, text)
    return document(written, f"a form filled from {source.current.filename}, {len(text):,} characters")
