"""AI: how its use is measured. The models are still to come."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from builtin_plugins.ai.handlers import HANDLERS
from builtin_plugins.ai.jobs import TURN
from builtin_plugins.ai.metering import DIMENSIONS
from builtin_plugins.ai.routes import ROUTES
from builtin_plugins.ai.settings import SETTINGS
from guildhall_sdk import Dimension, JobKind, Plugin, Reply, RequestContext, Route, Setting, hookimpl

PLUGIN = Plugin(
    id="ai",
    name="AI",
    version="0.1.0",
    description="The quota dimensions of AI use, and an echo that is metered like a model and has none.",
    requires=("quotas",),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return SETTINGS


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[RequestContext], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return (TURN,)


@hookimpl
def declare_dimensions() -> Sequence[Dimension]:
    return DIMENSIONS
