"""Triggers: workflows that begin when an object of the repository is written."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from builtin_plugins.triggers.firing import MAX_RUNS, fire
from builtin_plugins.triggers.handlers import HANDLERS
from builtin_plugins.triggers.history import drop_orphans
from builtin_plugins.triggers.routes import FACTORIES, ROUTES
from builtin_plugins.triggers.service import move_to_team
from builtin_plugins.triggers.trigger import sql
from guildhall_sdk import (
    Call,
    Factory,
    Host,
    Migrations,
    Plugin,
    Reply,
    Route,
    Setting,
    Subscription,
    hookimpl,
)
from guildhall_sdk.plugin import TeamContent
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen
from guildhall_sdk.subscriptions import OBJECT_WRITTEN

PLUGIN = Plugin(
    id="triggers",
    name="Upload triggers",
    version="0.1.0",
    description="Workflows that begin when an object of the repository is written.",
    requires=("repo", "workflows", "quotas"),
)

# Of a feature that is off the history tells, so the subscription names none.
ON_UPLOAD = Subscription(
    name="on-upload",
    event=OBJECT_WRITTEN.name,
    handler=fire,
    doc="Starts the workflows of the triggers that a new version matches.",
    wanted=sql.matching,
    possible=sql.any_of_team,
    max_attempts=20,
)


CONTENT = TeamContent(name="triggers", held=sql.held_by_team, move=move_to_team)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_settings() -> Sequence[Setting[int]]:
    return (MAX_RUNS,)


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    return (ON_UPLOAD,)


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
async def on_start(host: Host) -> None:
    host.background("dropping the history of deleted triggers", partial(drop_orphans, host.data))


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "triggers",
            "/triggers",
            "nav.triggers",
            "zap",
            "automate",
            order=20,
            permission="workflows:read",
            feature="workflows",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="triggers", folder=Path(__file__).with_name("texts")),)
