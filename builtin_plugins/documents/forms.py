"""`doc_render`: a Mustache template filled with data, off the event loop."""

from collections.abc import Mapping
from typing import Any, Literal

from builtin_plugins.documents.outputs import Origin, check_place, document, write_output
from guildhall_sdk import Host, Principal, UserError
from guildhall_sdk.services.computing import Templates
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.tools import Artifact
from libs.fair_slots import TEXTS, Steps
from libs.mustache import TemplateRefused, compile_template, escape_html, escape_markdown

_ESCAPES = {"markdown": escape_markdown, "html": escape_html}


class RefusedTemplate(UserError):
    """Raised when a template cannot be taken, or its output would be too long."""

    code = "invalid_template"
    title = "The template cannot be taken"


class MustacheTemplates:
    """Implements the SDK's `Templates`."""

    async def fill(
        self, org_id: str, template: str, data: Any, *, escape: Literal["markdown", "html"] = "markdown"
    ) -> str:
        try:
            return await TEXTS.run_steps(org_id, _filled(template, data, escape))
        except TemplateRefused as refused:
            raise RefusedTemplate(refused.detail, code=refused.code) from None


def _filled(template: str, data: Any, escape: Literal["markdown", "html"]) -> Steps[str]:
    compiled = compile_template(template, escape=_ESCAPES[escape])
    yield
    return (yield from compiled.render_steps(data))


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
