"""Quotas: nested company above team, exact under any number of callers and processes."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.quotas.handlers import HANDLERS
from builtin_plugins.quotas.limits import JOBS, STORAGE, Limits, dimension_fault
from builtin_plugins.quotas.metering import MeteringLedger
from builtin_plugins.quotas.notices import REACHED, TIGHT
from builtin_plugins.quotas.routes import ROUTES
from builtin_plugins.quotas.store import PLUGIN_DATA, give_back_all_lapsed, sql
from guildhall_sdk import Call, Host, Metric, Migrations, Plugin, Reader, Reply, Route, Writer, hookimpl
from guildhall_sdk.dimensions import Dimension, JobReservations, Quotas
from guildhall_sdk.hooks import checked, declares
from guildhall_sdk.metrics import Measured
from guildhall_sdk.plugin import PluginData, TeamContent, TeamMove
from guildhall_sdk.services.jobs import JobLimits
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import NotificationKind
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.services.tenancy import Directory

PLUGIN = Plugin(
    id="quotas",
    name="Quotas",
    version="0.1.0",
    description="What teams and companies have used of each quota dimension, their limits and their plans.",
    essential=True,
)


class DimensionHooks(Protocol):
    """The hook of the plugin `quotas`."""

    @declares(Dimension, label="dimension", name="name")
    def declare_dimensions(self) -> Sequence[Dimension]:
        """Declares what is counted for each team and company, and can be limited."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(DimensionHooks, declare_dimensions=dimension_fault),)


@hookimpl
def declare_notification_kinds() -> Sequence[NotificationKind]:
    return (TIGHT, REACHED)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_dimensions() -> Sequence[Dimension]:
    return (JOBS, STORAGE)


@hookimpl
def declare_plugin_data() -> Sequence[PluginData]:
    return PLUGIN_DATA


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Quotas: _ledger, JobReservations: lambda host: host.service(Quotas)}


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (TeamContent(name="stocks", move=_move_stocks),)


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return (
        Metric(
            "guildhall_quota_refusals_total",
            "What quotas refused, by the dimension that was short",
            "counter",
            ("dimension",),
            measure=_refusals,
        ),
    )


@hookimpl
async def on_start(host: Host) -> None:
    host.background("giving back what lapsed", partial(give_back_all_lapsed, host.data, host.clock))


def _ledger(host: Host) -> MeteringLedger:
    limits = Limits(host.service(Directory), host.service(JobLimits))
    return MeteringLedger(host, limits)


async def _refusals(host: Host, reader: Reader) -> Measured:
    quotas = host.service(Quotas)
    return {(one.name,): quotas.refusals.get(one.name, 0) for one in quotas.dimensions()}


async def _move_stocks(host: Host, writer: Writer, how: TeamMove) -> None:
    """Counts what a team keeps for the team that gets it, within the limits of that one."""
    quotas, org_id = host.service(Quotas), how.source.org_id
    stocks = {one.name for one in quotas.dimensions() if one.kind == "stock"}
    for row in await writer.all(sql.stocks_of_team, org_id=org_id, team_id=how.source.id):
        if row["dimension"] in stocks:
            await quotas.adjust(writer, org_id, how.source.id, row["dimension"], -row["total"])
            await quotas.adjust(writer, org_id, how.target.id, row["dimension"], row["total"])


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen("usage", "/usage", "nav.usage", "gauge", "team", order=60),
        Screen(
            "company-usage",
            "/company/usage",
            "nav.usage",
            "gauge",
            "company",
            order=50,
            permission="org:read",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="quotas", folder=Path(__file__).with_name("texts")),)
