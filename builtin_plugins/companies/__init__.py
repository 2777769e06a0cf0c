"""Companies: the instance's, the caller's own with its teams and people, and the one of a hosted instance."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.companies.demonstration import SETTINGS
from builtin_plugins.companies.handlers import HANDLERS
from builtin_plugins.companies.handlers.hosted import CountedGuesses
from builtin_plugins.companies.links import MailedLinks
from builtin_plugins.companies.routes import FACTORIES, ROUTES
from builtin_plugins.companies.standing import StoredPeople
from guildhall_sdk import (
    Call,
    Event,
    Factory,
    Host,
    Migrations,
    Permission,
    Plugin,
    Reply,
    Route,
    Setting,
    hookimpl,
)
from guildhall_sdk.hooks import declares
from guildhall_sdk.plugin import TeamContent
from guildhall_sdk.services.identity import ProvisionGuesses
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import AccountLinks
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.services.tenancy import People
from guildhall_sdk.subscriptions import COMPANY_RESUMED, COMPANY_SUSPENDED, MEMBER_RESUMED, MEMBER_SUSPENDED

PLUGIN = Plugin(
    id="companies",
    name="Companies",
    version="0.1.0",
    description="Companies, their teams and people, suspension, and hosted mode.",
    requires=("quotas",),
    essential=True,
)


PERMISSIONS = (
    Permission(name="org:read", description="See the company and what its teams share", roles=["org_reader"]),
    Permission(
        name="org:manage", description="Manage the company, its teams and people", roles=["org_admin"]
    ),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return SETTINGS


@hookimpl
def declare_permissions() -> Sequence[Permission]:
    return PERMISSIONS


@hookimpl
def declare_events() -> Sequence[Event]:
    return (COMPANY_SUSPENDED, COMPANY_RESUMED, MEMBER_SUSPENDED, MEMBER_RESUMED)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {
        ProvisionGuesses: lambda host: CountedGuesses(),
        AccountLinks: MailedLinks,
        People: lambda host: StoredPeople(),
    }


class TeamHooks(Protocol):
    """The hook of the plugin `companies`."""

    @declares(
        TeamContent, label="content of a team", name="name", functions={"move": ("host", "writer", "how")}
    )
    def declare_team_contents(self) -> Sequence[TeamContent]:
        """Declares what this plugin keeps in a team, and how it goes to another when the team is deleted."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (TeamHooks,)


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
            "company",
            "/company",
            "nav.group_company",
            "building-2",
            "company",
            order=0,
            permission="org:read",
        ),
        Screen("teams", "/company/teams", "nav.teams", "users", "company", order=10, permission="org:read"),
        Screen(
            "people",
            "/company/people",
            "nav.people",
            "user-round",
            "company",
            order=20,
            permission="org:read",
        ),
        Screen(
            "companies",
            "/instance/companies",
            "nav.companies",
            "building-2",
            "instance",
            order=20,
            permission="instance:manage",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="companies", folder=Path(__file__).with_name("texts")),)
