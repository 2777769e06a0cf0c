"""Knowledge graph: who and what documents speak of, and how these relate."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from builtin_plugins.knowledge.documents import SOURCES, SUBSCRIPTIONS
from builtin_plugins.knowledge.extraction import extract, list_unextracted
from builtin_plugins.knowledge.handlers import HANDLERS
from builtin_plugins.knowledge.routes import FACTORIES, ROUTES
from builtin_plugins.knowledge.statements import READ, changes, sql
from guildhall_sdk import (
    Call,
    Factory,
    Metric,
    Migrations,
    Parameter,
    Plugin,
    Reply,
    Route,
    SearchSource,
    Subscription,
    Tool,
    hookimpl,
)
from guildhall_sdk.metrics import measured_by
from guildhall_sdk.plugin import TeamContent, moved_by
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.services.stored_objects import VersionsInUse

TOOLS = (
    Tool(
        name="kg_list_unextracted",
        description="Lists the ids of up to 40 documents of the team that the knowledge graph has not read.",
        permission=READ,
        hosted=list_unextracted,
        writes=False,
        parameters=[
            Parameter(
                "include_derived", "boolean", "Also those that were made from other documents", optional=True
            )
        ],
    ),
    Tool(
        name="kg_extract",
        description="Reads a document for the knowledge graph: who and what it speaks of.",
        permission=READ,
        hosted=extract,
        parameters=[Parameter("object", "string", "The id of the document")],
    ),
)

_MOVES = (
    changes.move_aliases,
    changes.move_mentions,
    changes.move_relations,
    changes.move_keys,
    changes.move_extractions,
    changes.move_pieces,
    changes.move_merges,
    changes.move_entities,
)
CONTENT = TeamContent(
    name="entities",
    held=changes.held_by_team,
    move=moved_by(*_MOVES),
)

PLUGIN = Plugin(
    id="knowledge",
    name="Knowledge graph",
    version="0.1.0",
    description="Who and what documents speak of, and how these relate.",
    requires=("repo", "ai", "workflows", "search"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return TOOLS


@hookimpl
def declare_search_sources() -> Sequence[SearchSource]:
    return SOURCES


@hookimpl
def declare_versions_in_use() -> Sequence[VersionsInUse]:
    return (VersionsInUse(name="knowledge", statement=sql.versions_in_use),)


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (CONTENT,)


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    return SUBSCRIPTIONS


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return (Metric("guildhall_entities", "Entities", "gauge", measure=measured_by(sql.count_entities)),)


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "knowledge",
            "/knowledge",
            "nav.graph",
            "network",
            "automate",
            order=40,
            permission="files:read",
            opens=("entity",),
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="knowledge", folder=Path(__file__).with_name("texts")),)
