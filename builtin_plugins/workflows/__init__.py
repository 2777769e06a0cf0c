"""Workflows: validated specs whose steps run as jobs."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.workflows.approvals.reminders import Reminders
from builtin_plugins.workflows.commands import COMMANDS
from builtin_plugins.workflows.definitions import CONTENT, FEATURES, PERMISSIONS, READ, definition_sql
from builtin_plugins.workflows.draft_routes import DRAFT_ROUTES
from builtin_plugins.workflows.handlers import HANDLERS
from builtin_plugins.workflows.kinds import KINDS
from builtin_plugins.workflows.routes import ROUTES
from builtin_plugins.workflows.runs.ending import ENDED_RUNS, KEEP_RUNS_DAYS, ON_SUSPENSION, RunSweeper
from builtin_plugins.workflows.runs.engine import RunEngine, RunFollowers
from builtin_plugins.workflows.runs.events import ON_EVENT, EndsOfJobs
from builtin_plugins.workflows.runs.notices import ASKED, FAILED, REMINDED, SUCCEEDED
from builtin_plugins.workflows.runs.statements import sql
from builtin_plugins.workflows.runs.step_job import STEP
from builtin_plugins.workflows.samples import FACTORIES
from builtin_plugins.workflows.service import TeamWorkflows
from builtin_plugins.workflows.spec.validation import Formats, check_kind, validate_shipped
from guildhall_sdk import (
    Call,
    Command,
    Event,
    Factory,
    Feature,
    Host,
    JobKind,
    Metric,
    Migrations,
    Permission,
    Plugin,
    Principal,
    Reader,
    Reply,
    Route,
    Setting,
    Subscription,
    Writer,
    hookimpl,
)
from guildhall_sdk.hooks import checked, declares
from guildhall_sdk.metrics import measured_by
from guildhall_sdk.plugin import PluginData, RemovedPlugin, TeamContent
from guildhall_sdk.retention import Retained
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import NotificationKind
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.services.stored_objects import VersionsInUse
from guildhall_sdk.services.workflows import StepKind, Workflow, Workflows
from guildhall_sdk.subscriptions import RUN_ENDED


async def _count(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(definition_sql.count_of_source, source=removed.id))


async def _remove(writer: Writer, removed: RemovedPlugin) -> None:
    """Removes the versions, but for those that runs began with: they stay readable, and are nobody's."""
    await writer.run(definition_sql.detach_used_versions, source=removed.id)
    await writer.run(definition_sql.drop_versions_of_source, source=removed.id)


PLUGIN_DATA = (PluginData(name="workflow versions", count=_count, remove=_remove),)

METRICS = (
    Metric(
        "guildhall_workflow_runs",
        "Runs of workflows by state; those that run and those that ended",
        "gauge",
        ("state",),
        measure=measured_by(sql.runs_by_state),
    ),
)

PLUGIN = Plugin(
    id="workflows",
    name="Workflows",
    version="0.1.0",
    description="Validated specs whose steps run as jobs: publish them, run them, follow them.",
    requires=("quotas", "jobs", "retention", "tools"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return (*ROUTES, *DRAFT_ROUTES)


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (KEEP_RUNS_DAYS,)


@hookimpl
def declare_features() -> Sequence[Feature]:
    return FEATURES


class WorkflowHooks(Protocol):
    """The hooks of the plugin `workflows`."""

    @declares(Workflow, label="workflow", name=lambda workflow: str(workflow.spec["slug"]))
    def declare_workflows(self) -> Sequence[Workflow]:
        """Declares workflows that every team has."""

    @declares(StepKind, label="kind of step", name="name", functions={"run": ("call",)})
    def declare_step_kinds(self) -> Sequence[StepKind]:
        """Declares kinds of steps that workflows may have beside tools, maps and choices."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(WorkflowHooks, declare_workflows=validate_shipped, declare_step_kinds=check_kind),)


@hookimpl
def declare_step_kinds() -> Sequence[StepKind]:
    return KINDS


@hookimpl
def declare_retained() -> Sequence[Retained]:
    return (ENDED_RUNS,)


@hookimpl
def declare_versions_in_use() -> Sequence[VersionsInUse]:
    return (VersionsInUse(name="runs", statement=sql.versions_in_use),)


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (CONTENT,)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {
        Workflows: TeamWorkflows,
        RunEngine: RunEngine,
        RunFollowers: RunFollowers,
        Formats: Formats,
        EndsOfJobs: EndsOfJobs,
    }


async def _may_see_runs(host: Host, reader: Reader, principal: Principal, payload: Any) -> bool:
    return principal.may(READ)


@hookimpl
def declare_notification_kinds() -> Sequence[NotificationKind]:
    return (SUCCEEDED, FAILED, ASKED, REMINDED)


@hookimpl
def declare_events() -> Sequence[Event]:
    return (replace(RUN_ENDED, readable=_may_see_runs),)


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    return (ON_SUSPENSION, ON_EVENT)


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return (STEP,)


@hookimpl
async def on_start(host: Host) -> None:
    ends_of_jobs = host.service(EndsOfJobs)
    await ends_of_jobs.look()
    host.background("following waits for jobs", ends_of_jobs.follow)
    host.background("hearing of waits for jobs", ends_of_jobs.listen)
    host.background("waking those who follow runs", host.service(RunFollowers).listen)
    host.background("ending waits", host.service(RunEngine).waits.run)
    host.background("reminding of approvals", Reminders(host).run)
    host.background("looking after runs", RunSweeper(host).run)


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return METRICS


@hookimpl
def declare_plugin_data() -> Sequence[PluginData]:
    return PLUGIN_DATA


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
            "workflows",
            "/workflows",
            "nav.workflows",
            "workflow",
            "automate",
            order=10,
            permission="workflows:read",
            feature="workflows",
        ),
        Screen(
            "approvals",
            "/approvals",
            "nav.approvals",
            "stamp",
            "automate",
            order=40,
            permission="workflows:read",
            feature="workflows",
        ),
        Screen(
            "runs",
            "/runs",
            "nav.runs",
            "history",
            "automate",
            order=30,
            permission="workflows:read",
            feature="workflows",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="workflows", folder=Path(__file__).with_name("texts")),)
