"""Jobs: work in the background, the executors that do it, and workers that claim it over HTTP."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from builtin_plugins.jobs import (
    executor_factories,
    executor_handlers,
    executor_routes,
    job_factories,
    job_handlers,
    job_routes,
    worker_handlers,
    worker_routes,
)
from builtin_plugins.jobs.permissions import PERMISSIONS
from guildhall_sdk import Event, Factory, Permission, Plugin, Reply, RequestContext, Route, hookimpl
from guildhall_sdk.event_types import JOB_ENDED

PLUGIN = Plugin(
    id="jobs",
    name="Jobs",
    version="0.1.0",
    description="Background jobs, executors and pull workers.",
    essential=True,
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return (*executor_routes.ROUTES, *worker_routes.ROUTES, *job_routes.ROUTES)


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[RequestContext], Awaitable[Reply]]]:
    return {**executor_handlers.HANDLERS, **worker_handlers.HANDLERS, **job_handlers.HANDLERS}


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_events() -> Sequence[Event]:
    return (JOB_ENDED,)


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return (*executor_factories.FACTORIES, *job_factories.FACTORIES)
