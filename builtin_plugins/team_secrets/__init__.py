"""Team secrets: keys of other services that a team stores by name, for its workflows and for plugins."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.team_secrets.routes import FACTORIES, ROUTES
from builtin_plugins.team_secrets.service import CONTENT, StoredSecrets
from guildhall_sdk import Factory, Host, Migrations, Plugin, Route, hookimpl
from guildhall_sdk.plugin import TeamContent
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.outbound import TeamSecrets
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="team-secrets",
    name="Team secrets",
    version="0.1.0",
    description="Keys of other services that a team stores by name; nobody is shown them again.",
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {TeamSecrets: StoredSecrets}


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
            "team-secrets",
            "/team/secrets",
            "nav.team_secrets",
            "lock-keyhole",
            "team",
            order=25,
            permission="settings:manage",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="team-secrets", folder=Path(__file__).with_name("texts")),)
