"""Mustache templates, filled off the event loop."""

from typing import Any, Literal

from guildhall_sdk import UserError
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
