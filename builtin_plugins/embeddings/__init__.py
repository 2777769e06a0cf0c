"""Embeddings: the passages of what people wrote, as vectors, so that they are found by meaning."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.embeddings.finding import StoredPassages
from builtin_plugins.embeddings.models import EMBEDDINGS, EmbeddingModels, sql
from builtin_plugins.embeddings.reading import PassageReader
from builtin_plugins.embeddings.static_model import package_folder
from builtin_plugins.embeddings.stores import MEMORY, TABLES, Stores
from builtin_plugins.embeddings.upkeep import Upkeep
from guildhall_sdk import (
    Host,
    Metric,
    Migrations,
    Plugin,
    Reader,
    SearchSource,
    Setting,
    Writer,
    hookimpl,
)
from guildhall_sdk.commands import CommandHost, HealthCheck
from guildhall_sdk.hooks import declares
from guildhall_sdk.metrics import measured_by
from guildhall_sdk.plugin import PluginData, RemovedPlugin, TeamContent, moved_by
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.search import Embeddings, PassageIndex, VectorStoreKind

PLUGIN = Plugin(
    id="embeddings",
    name="Finding by meaning",
    version="0.1.0",
    description="Cuts texts into passages and makes vectors of them, so that search finds by meaning.",
    requires=("search",),
)


class VectorStoreHooks(Protocol):
    """The hook of the plugin `embeddings`."""

    @declares(VectorStoreKind, label="vector store", name="name")
    def declare_vector_stores(self) -> Sequence[VectorStoreKind]:
        """Declares stores of vectors; of those that can be used the one of the highest rank is."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (VectorStoreHooks,)


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (EMBEDDINGS, MEMORY)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    # Each may use those before it.
    return {
        EmbeddingModels: EmbeddingModels,
        Embeddings: lambda host: host.service(EmbeddingModels),
        Stores: Stores,
        PassageReader: PassageReader,
        PassageIndex: StoredPassages,
        Upkeep: Upkeep,
    }


@hookimpl
def declare_vector_stores() -> Sequence[VectorStoreKind]:
    return (TABLES,)


@hookimpl
def declare_plugin_data() -> Sequence[PluginData]:
    return (PluginData(name="passages", count=_count_passages, remove=_remove_passages),)


async def _count_passages(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_passages_of_types, names=_types(removed)))


async def _remove_passages(writer: Writer, removed: RemovedPlugin) -> None:
    for statement in (sql.drop_passages_of_types, sql.drop_queue_of_types, sql.drop_progress_of_types):
        await writer.run(statement, names=_types(removed))


def _types(removed: RemovedPlugin) -> str:
    return json.dumps([*removed.names(SearchSource)])


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    move = moved_by(sql.move_passages, sql.move_queue, sql.move_spaces, sql.forget_spaces)
    return (TeamContent(name="passages", move=move),)


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return (
        Metric(
            "guildhall_embedding_passages",
            "Passages that are found by meaning",
            "gauge",
            measure=measured_by(sql.count_passages),
        ),
        Metric(
            "guildhall_embedding_waiting",
            "Documents that wait to be read",
            "gauge",
            measure=measured_by(sql.count_waiting),
        ),
    )


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_checks() -> Sequence[HealthCheck]:
    return (HealthCheck(name="embeddings", order=75, run=_check),)


async def _check(host: CommandHost) -> str:
    model = (
        "the embedded model is there"
        if package_folder() is not None
        else "no embedded model (install guildhall-server[semantic]), but what has the role embedding"
    )
    return f"{model}; vectors are compared in memory, from plain tables"


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="embeddings", folder=Path(__file__).with_name("texts")),)


@hookimpl
async def on_start(host: Host) -> None:
    if not host.setting(EMBEDDINGS):
        await host.service(Upkeep).stop()
        return
    await host.service(Upkeep).begin()
    await host.service(Stores).open()
    host.background("reading passages", host.service(PassageReader).run)
    host.background("queueing what was there before", host.service(Upkeep).run)
