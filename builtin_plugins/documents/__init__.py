"""Documents: tools that read one, take fields from it, fill a form and translate it."""

from collections.abc import Sequence

from builtin_plugins.documents.tools import TOOLS
from guildhall_sdk import Plugin, Tool, hookimpl

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
