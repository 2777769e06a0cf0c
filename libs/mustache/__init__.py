"""Mustache templates without partials, lambdas or files, at a cost that is bounded by their length."""

from libs.mustache.templates import (
    MAX_NESTING,
    MAX_OUTPUT,
    MAX_TAGS,
    MAX_TEMPLATE_CHARACTERS,
    Template,
    TemplateRefused,
    compile_template,
    escape_html,
    escape_markdown,
)

__all__ = [
    "MAX_NESTING",
    "MAX_OUTPUT",
    "MAX_TAGS",
    "MAX_TEMPLATE_CHARACTERS",
    "Template",
    "TemplateRefused",
    "compile_template",
    "escape_html",
    "escape_markdown",
]
