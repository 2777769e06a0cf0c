"""Documents: tools that read one, take fields from it, fill a form and translate it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from builtin_plugins.documents.templates import MustacheTemplates
from builtin_plugins.documents.tools import TOOLS
from guildhall_sdk import Host, Plugin, Tool, hookimpl
from guildhall_sdk.services.computing import Templates

PLUGIN = Plugin(
    id="documents",
    name="Document tools",
    version="0.1.0",
    description="Tools that read a document, take fields from it, fill a form and translate it.",
    requires=("repo", "ai", "translation"),
)


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return TOOLS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Templates: lambda host: MustacheTemplates()}
