"""The gateway: what speaks OpenAI's API talks to the hall's models, within a token's rights and quotas."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from builtin_plugins.gateway.routes import FACTORIES, HANDLERS, ROUTES
from guildhall_sdk import Call, Factory, Plugin, Reply, Route, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs

PLUGIN = Plugin(
    id="gateway",
    name="Gateway",
    version="0.1.0",
    description="OpenAI's API for the hall's models: chat completions, responses and embeddings.",
    requires=("ai", "models", "quotas"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="gateway", folder=Path(__file__).with_name("texts")),)
