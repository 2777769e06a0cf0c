"""Knowledge graph: who and what documents speak of, and how these relate."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from builtin_plugins.knowledge.documents import SUBSCRIPTIONS
from builtin_plugins.knowledge.factories import FACTORIES
from builtin_plugins.knowledge.handlers import HANDLERS
from builtin_plugins.knowledge.routes import ROUTES
from builtin_plugins.knowledge.search_source import SOURCES
from builtin_plugins.knowledge.statements import changes, sql
from builtin_plugins.knowledge.tools import TOOLS
from guildhall_sdk import (
    Call,
    Factory,
    Metric,
    Migrations,
    Plugin,
    Reply,
    Route,
    SearchSource,
    Subscription,
    Tool,
    hookimpl,
)
from guildhall_sdk.metrics import measured_by
from guildhall_sdk.services.stored_objects import VersionsInUse
from guildhall_sdk.teams import TeamContent, moved_by

CONTENT = TeamContent(
    name="entities",
    held=changes.held_by_team,
    move=moved_by(
        changes.move_aliases,
        changes.move_mentions,
        changes.move_relations,
        changes.move_keys,
        changes.move_extractions,
        changes.move_pieces,
        changes.move_merges,
        changes.move_entities,
    ),
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
