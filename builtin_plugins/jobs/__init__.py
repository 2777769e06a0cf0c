"""Jobs: work in the background, and workers that claim it over HTTP."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.jobs.commands import COMMANDS
from builtin_plugins.jobs.events import JobFollowers, StoredJobEvents
from builtin_plugins.jobs.handlers import HANDLERS
from builtin_plugins.jobs.routes import FACTORIES, PERMISSIONS, ROUTES
from builtin_plugins.jobs.worker.local_workers import InProcessWorkers
from guildhall_sdk import (
    Call,
    Command,
    Event,
    Factory,
    Host,
    Migrations,
    Permission,
    Plugin,
    Principal,
    Reader,
    Reply,
    Route,
    hookimpl,
)
from guildhall_sdk.hooks import declares
from guildhall_sdk.services.jobs import JobEvents, LocalWorkers, TurnRunner
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.subscriptions import JOB_ENDED

PLUGIN = Plugin(
    id="jobs",
    name="Jobs",
    version="0.1.0",
    description="Background jobs and pull workers.",
    essential=True,
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


async def _by_members(host: Host, reader: Reader, principal: Principal, payload: Any) -> bool:
    return True  # every member sees the team's jobs, without what goes in and comes out


@hookimpl
def declare_events() -> Sequence[Event]:
    return (replace(JOB_ENDED, readable=_by_members),)


class TurnHooks(Protocol):
    """The hook of the plugin `jobs` for workers that call models."""

    @declares(TurnRunner, label="runner of turns", name="kind")
    def declare_turn_runners(self) -> Sequence[TurnRunner]:
        """Declares how a worker runs turns of a model that it reaches itself."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (TurnHooks,)


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {LocalWorkers: InProcessWorkers, JobFollowers: JobFollowers, JobEvents: StoredJobEvents}


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
async def on_start(host: Host) -> None:
    host.background("waking those who follow jobs", host.service(JobFollowers).listen)


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (Screen("jobs", "/jobs", "nav.jobs", "file-text", "team", order=70),)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="jobs", folder=Path(__file__).with_name("texts")),)
