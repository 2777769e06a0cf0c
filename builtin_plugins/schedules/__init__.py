"""Schedules: workflows that begin at times, as a person, and periodic jobs of plugins."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.schedules.handlers import HANDLERS
from builtin_plugins.schedules.people import SUBSCRIPTIONS
from builtin_plugins.schedules.periodic import PeriodicRunner, check_periodic
from builtin_plugins.schedules.planning import START, Planner
from builtin_plugins.schedules.ready_made import check_ready
from builtin_plugins.schedules.routes import FACTORIES, ROUTES
from builtin_plugins.schedules.schedule import FEATURE, READ, sql
from builtin_plugins.schedules.service import CONTENT, Schedules
from builtin_plugins.schedules.starting import ScheduleStarter, go_on_after, look_at_schedule, look_at_waiting
from guildhall_sdk import (
    Call,
    Factory,
    Host,
    JobKind,
    Migrations,
    Plugin,
    Reply,
    Route,
    Subscription,
    hookimpl,
)
from guildhall_sdk.hooks import checked, declares
from guildhall_sdk.plugin import TeamContent
from guildhall_sdk.services.jobs import PeriodicJob, PeriodicJobs
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.services.workflows import ReadySchedule
from guildhall_sdk.subscriptions import RUN_ENDED

PLUGIN = Plugin(
    id="schedules",
    name="Schedules",
    version="0.1.0",
    description="Workflows that begin at times: by a cron expression, or every so many seconds.",
    requires=("workflows", "jobs"),
)

KIND = JobKind(
    START,
    "Looks at a schedule whose time has come.",
    handler=look_at_schedule,
    public=False,
    feature=FEATURE,
    outlives_person=True,
    ended=go_on_after,
)

ON_RUN_ENDED = Subscription(
    name="on-run-ended",
    event=RUN_ENDED.name,
    handler=look_at_waiting,
    doc="Starts what waited for the run before.",
    where={"started_by": "schedule"},
    wanted=sql.waiting_for,
)


class ScheduleHooks(Protocol):
    """The hooks of the plugin `schedules`."""

    @declares(ReadySchedule, label="schedule")
    def declare_schedules(self) -> Sequence[ReadySchedule]:
        """Declares schedules that every team has, turned off until somebody of it turns them on."""

    @declares(PeriodicJob, label="periodic job")
    def declare_periodic_jobs(self) -> Sequence[PeriodicJob]:
        """Declares jobs of this plugin that come by themselves, for each team or once for the instance."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(ScheduleHooks, declare_schedules=check_ready, declare_periodic_jobs=check_periodic),)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {
        Schedules: Schedules,
        Planner: Planner,
        ScheduleStarter: ScheduleStarter,
        PeriodicJobs: PeriodicRunner,
    }


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return (KIND,)


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    return (ON_RUN_ENDED, *SUBSCRIPTIONS)


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (CONTENT,)


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
            "schedules",
            "/schedules",
            "nav.schedules",
            "calendar-clock",
            "automate",
            order=25,
            permission=READ,
            feature=FEATURE,
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="schedules", folder=Path(__file__).with_name("texts")),)


@hookimpl
async def on_start(host: Host) -> None:
    host.background("planning schedules", host.service(Planner).plan_lost)
    runner = host.service(PeriodicJobs)
    assert isinstance(runner, PeriodicRunner)
    host.background("enqueueing periodic jobs", runner.run)
