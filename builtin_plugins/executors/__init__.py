"""Executors: where they live, who may use them, how they are, and a turn with the model behind one."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.executors.handlers import HANDLERS
from builtin_plugins.executors.health import HealthLoop
from builtin_plugins.executors.jobs import WORKER_TURNS, PushTurns
from builtin_plugins.executors.routes import FACTORIES, ROUTES
from builtin_plugins.executors.service import StoredExecutors, stored_executors
from builtin_plugins.executors.settings import KEEP_EXECUTORS_DAYS, RETIRED_EXECUTORS, SETTINGS
from guildhall_sdk import Call, Factory, Host, Migrations, Plugin, Reply, Route, Setting, hookimpl
from guildhall_sdk.retention import Retained
from guildhall_sdk.services.jobs import PushRunner, TurnRunner
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.models import Executors
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="executors",
    name="Executors",
    version="0.1.0",
    description="Who runs model work: the server, endpoints that it is pushed to, and workers that pull it.",
    requires=("jobs", "outbound", "retention"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (*SETTINGS, KEEP_EXECUTORS_DAYS)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Executors: StoredExecutors, PushRunner: PushTurns}


@hookimpl
def declare_turn_runners() -> Sequence[TurnRunner]:
    return (WORKER_TURNS,)


@hookimpl
def declare_retained() -> Sequence[Retained]:
    return (RETIRED_EXECUTORS,)


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
async def on_start(host: Host) -> None:
    host.background("probing executors", HealthLoop(host.data, host.clock, stored_executors(host)).run)


@hookimpl
async def on_stop(host: Host) -> None:
    await stored_executors(host).clients.close()


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "company-executors",
            "/company/executors",
            "nav.executors",
            "cpu",
            "company",
            order=40,
            permission="org:read",
        ),
        Screen(
            "instance-executors",
            "/instance/executors",
            "nav.executors",
            "cpu",
            "instance",
            order=40,
            permission="instance:manage",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="executors", folder=Path(__file__).with_name("texts")),)
