"""Branding: how the instance and each company look, by hostname and for who is signed in."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.branding.handlers import HANDLERS
from builtin_plugins.branding.routes import FACTORIES, ROUTES
from builtin_plugins.branding.service import CheckedPictures, CheckedThemes, StoredBrandings, sql
from guildhall_sdk import Call, Factory, Host, Migrations, Plugin, Reply, Route, hookimpl
from guildhall_sdk.plugin import TeamContent, moved_by
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Brandings, Pictures, Screen, Themes

PLUGIN = Plugin(
    id="branding",
    name="Branding",
    version="0.1.0",
    description="Title, tagline, logo and a theme that can be read, for the instance and each company.",
    requires=("admin", "quotas"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {
        Brandings: lambda host: StoredBrandings(),
        Pictures: lambda host: CheckedPictures(),
        Themes: lambda host: CheckedThemes(),
    }


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (TeamContent(name="logos", move=moved_by(sql.move_to_team)),)


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
            "company-branding",
            "/company/branding",
            "nav.branding",
            "palette",
            "company",
            order=30,
            permission="org:read",
        ),
        Screen(
            "instance-branding",
            "/instance/branding",
            "nav.branding",
            "palette",
            "instance",
            order=30,
            permission="instance:manage",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="branding", folder=Path(__file__).with_name("texts")),)
