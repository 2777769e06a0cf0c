"""Search: one index over everybody's words, and for each caller only what they may read."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.search.catching_up import PLUGIN_DATA, catch_up, merge_periodically
from builtin_plugins.search.finding import readable_by
from builtin_plugins.search.indexing import StoredIndex, sql
from builtin_plugins.search.routes import HANDLERS, ROUTES
from builtin_plugins.search.service import PERMISSIONS, IndexSearch
from guildhall_sdk import (
    Call,
    Host,
    Metric,
    Migrations,
    Permission,
    Plugin,
    Reply,
    Route,
    SearchSource,
    Statement,
    hookimpl,
)
from guildhall_sdk.hooks import Declarer, Proven, checked, declares, proven
from guildhall_sdk.metrics import measured_by
from guildhall_sdk.plugin import PluginData, Plugins, TeamContent, moved_by
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.search import Search, SearchIndex
from libs.names import identifier_fault

_A_HIT = "SELECT CAST('' AS TEXT) AS ref_id"

PLUGIN = Plugin(
    id="search",
    name="Search",
    version="0.1.0",
    description="Full-text search over what plugins make findable, within the caller's rights.",
    essential=True,
)


class SearchHooks(Protocol):
    """The hook of the plugin `search`."""

    @declares(SearchSource, label="search source", name="type")
    def declare_search_sources(self) -> Sequence[SearchSource]:
        """Declares types of things that search finds, each with who may read them."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    hooks = checked(SearchHooks, declare_search_sources=_source_fault)
    return (proven(hooks, declare_search_sources=_proven),)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Search: IndexSearch, SearchIndex: StoredIndex}


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (TeamContent(name="search documents", move=moved_by(sql.move_to_team)),)


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    measure = measured_by(sql.count_documents)
    return (
        Metric("guildhall_search_documents", "Things that can be found", "gauge", ("type",), measure=measure),
    )


@hookimpl
def declare_plugin_data() -> Sequence[PluginData]:
    return PLUGIN_DATA


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"), derived=("search_documents", "search_progress"))


@hookimpl
async def on_start(host: Host) -> None:
    await catch_up(host, host.service(Plugins).declared(SearchSource))
    host.background("merging the index", partial(merge_periodically, host))


def _proven(source: SearchSource) -> Proven:
    written = (source.readable, source.readable_in_org)
    return Proven(statements={statement: _for_a_hit(statement) for statement in written})


def _for_a_hit(statement: Statement) -> Statement:
    """Returns a statement as a search runs it: for a row `hit`, of which only the id is promised."""
    return statement.respelled(lambda text: f"SELECT 1 FROM ({_A_HIT}) AS hit WHERE {readable_by(text)}")


def _source_fault(source: SearchSource, declarer: Declarer) -> str | None:
    return identifier_fault("search source", source.type)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="search", folder=Path(__file__).with_name("texts")),)
