"""AI: turns with models, by whatever executor runs them, and how their use is measured."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from builtin_plugins.ai.commands import COMMANDS
from builtin_plugins.ai.handlers import HANDLERS
from builtin_plugins.ai.jobs import AGENT, CHAT, TURN
from builtin_plugins.ai.metering import DIMENSIONS, TurnMetrics, metrics
from builtin_plugins.ai.models import MeteredModels
from builtin_plugins.ai.routes import ROUTES
from builtin_plugins.ai.samples import SAMPLES
from builtin_plugins.ai.settings import SETTINGS, TEAM_ROLES
from builtin_plugins.ai.usage import KEEP_USAGE_DAYS, OLD_USAGE, UsageBook, fold_repeatedly
from guildhall_sdk import (
    Call,
    Command,
    Feature,
    Host,
    JobKind,
    Metric,
    Migrations,
    Plugin,
    Preference,
    Reply,
    Route,
    Setting,
    hookimpl,
)
from guildhall_sdk.dimensions import Dimension, UsageReports
from guildhall_sdk.factories import Samples
from guildhall_sdk.retention import Retained
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.models import Models

FEATURES = (
    Feature("chat", "Talk to a model"),
    Feature("agent", "Let a model use the team's tools"),
)

PLUGIN = Plugin(
    id="ai",
    name="AI",
    version="0.1.0",
    description="Turns with models, whole and streamed, metered by quotas; an echo that has no model.",
    requires=("quotas", "executors", "jobs", "repo", "retention", "tools"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_features() -> Sequence[Feature]:
    return FEATURES


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS


@hookimpl
def declare_samples() -> Sequence[Samples]:
    return SAMPLES


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (*SETTINGS, KEEP_USAGE_DAYS)


@hookimpl
def declare_preferences() -> Sequence[Preference[Any]]:
    return (TEAM_ROLES,)


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_retained() -> Sequence[Retained]:
    return (OLD_USAGE,)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    # Each may use those before it.
    return {
        UsageBook: UsageBook,
        UsageReports: lambda host: host.service(UsageBook),
        TurnMetrics: TurnMetrics,
        Models: MeteredModels,
    }


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return metrics()


@hookimpl
async def on_start(host: Host) -> None:
    host.background("putting old usage together", partial(fold_repeatedly, host))


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return (TURN, CHAT, AGENT)


@hookimpl
def declare_dimensions() -> Sequence[Dimension]:
    return DIMENSIONS


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="ai", folder=Path(__file__).with_name("texts")),)
