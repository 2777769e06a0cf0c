"""Models for members: named and priced by who manages executors, chosen by who may use them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.models.routes import FACTORIES, HANDLERS, ROUTES
from builtin_plugins.models.service import StoredMemberModels
from guildhall_sdk import Call, Factory, Host, Migrations, Plugin, Reply, Route, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.models import MemberModels
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="models",
    name="Models",
    version="0.1.0",
    description="Models by the names that members choose from, and who may use each.",
    requires=("ai", "executors"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {MemberModels: StoredMemberModels}


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
            "models", "/company/models", "nav.models", "bot", "company", order=45, permission="org:manage"
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="models", folder=Path(__file__).with_name("texts")),)
