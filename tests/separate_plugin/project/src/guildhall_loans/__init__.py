"""What a team lends out, to whom and until when."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from guildhall_loans import appraisals, census, overdue, rows, uploads
from guildhall_loans.things import LEND, MAX_DAYS, READ, SOURCE
from guildhall_sdk import (
    Command,
    Factory,
    Feature,
    JobKind,
    Migrations,
    Permission,
    Plugin,
    Route,
    SearchSource,
    Setting,
    Subscription,
    hookimpl,
)
from guildhall_sdk.services.jobs import PeriodicJob
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="loans",
    name="Loans",
    version="0.1.0",
    description="What a team lends out, to whom and until when.",
    requires=("jobs", "repo", "schedules", "search"),
)


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return [
        Permission(name=READ, description="See what the team lends out", roles=["viewer"]),
        Permission(name=LEND, description="Lend things out", roles=["member"]),
    ]


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return [MAX_DAYS]


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_routes() -> Sequence[Route]:
    return rows.ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Any]:
    return rows.HANDLERS


@hookimpl
def declare_search_sources() -> Sequence[SearchSource]:
    return [SOURCE]


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    return [uploads.SUBSCRIPTION]


@hookimpl
def declare_commands() -> Sequence[Command]:
    return [census.COMMAND]


@hookimpl
def declare_features() -> Sequence[Feature]:
    return [appraisals.FEATURE]


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return [appraisals.KIND, overdue.KIND]


@hookimpl
def declare_periodic_jobs() -> Sequence[PeriodicJob]:
    return [overdue.DAILY]


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return [Factory("/api/loans/:id", rows.make_thing)]


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return [MessageCatalogs(namespace="loans", folder=Path(__file__).with_name("locales"))]


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return [
        Screen(
            "loans", "/loans", "loans.title", "ladder", "work", order=50, permission=READ, opens=("thing",)
        ),
        Screen("out-of-order", "/loans-out-of-order", "Out of order", "no-such-icon", "work"),
    ]
