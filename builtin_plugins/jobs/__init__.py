"""Jobs: work in the background, and workers that claim it over HTTP."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from builtin_plugins.jobs import (
    job_factories,
    job_handlers,
    job_routes,
    worker_handlers,
    worker_routes,
)
from builtin_plugins.jobs.permissions import PERMISSIONS
from guildhall_sdk import Accepts, Event, Factory, Permission, Plugin, Reply, RequestContext, Route, hookimpl
from guildhall_sdk.event_types import JOB_ENDED
from guildhall_sdk.turns import TurnRunner

PLUGIN = Plugin(
    id="jobs",
    name="Jobs",
    version="0.1.0",
    description="Background jobs and pull workers.",
    essential=True,
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return (*worker_routes.ROUTES, *job_routes.ROUTES)


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[RequestContext], Awaitable[Reply]]]:
    return {**worker_handlers.HANDLERS, **job_handlers.HANDLERS}


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_events() -> Sequence[Event]:
    return (JOB_ENDED,)


@hookimpl
def declare_accepts() -> Sequence[Accepts]:
    return (Accepts(type=TurnRunner, label="runner of turns", name=lambda runner: runner.kind),)


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return job_factories.FACTORIES
