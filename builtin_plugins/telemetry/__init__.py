"""Telemetry: traces for OpenTelemetry, the health of the server for its operators, and `guildhall top`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.telemetry.commands import COMMANDS
from builtin_plugins.telemetry.health import HANDLERS, ROUTES, ServerHealth
from builtin_plugins.telemetry.tracing import ENDPOINT, stop_tracing, tracing_of
from guildhall_sdk import Call, Command, Host, Plugin, Reply, Route, Setting, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.services.server import Tracing

PLUGIN = Plugin(
    id="telemetry",
    name="Telemetry",
    version="0.1.0",
    description="Traces for OpenTelemetry, and how the server is right now.",
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (ENDPOINT,)


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Tracing: tracing_of, ServerHealth: ServerHealth}


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "health",
            "/instance/health",
            "nav.health",
            "gauge",
            "instance",
            order=20,
            permission="instance:manage",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="telemetry", folder=Path(__file__).with_name("texts")),)


@hookimpl
async def on_start(host: Host) -> None:
    host.background("sampling the health of the server", host.service(ServerHealth).sample_always)


# After the others: what they do while they stop is traced too.
@hookimpl(tryfirst=True)
async def on_stop(host: Host) -> None:
    await stop_tracing(host)
