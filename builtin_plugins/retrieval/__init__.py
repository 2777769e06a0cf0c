"""Retrieval: the passages that a question can be answered from, and the tools of the workspace."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.retrieval.service import PassageRetrieval
from builtin_plugins.retrieval.tools import TOOLS
from guildhall_sdk import Host, Plugin, Tool, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.search import Retrieval

PLUGIN = Plugin(
    id="retrieval",
    name="Answers from documents",
    version="0.1.0",
    description="Finds passages that answer a question, and gives agents the tools of the workspace.",
    requires=("search", "repo", "tools"),
)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Retrieval: PassageRetrieval}


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return TOOLS


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="retrieval", folder=Path(__file__).with_name("texts")),)
