"""The beta funnel: a page on which people sign up, what keeps robots out, and who signed up."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from builtin_plugins.beta.assets import routes as asset_routes
from builtin_plugins.beta.assets.service import sql as assets
from builtin_plugins.beta.experiences import routes as experience_routes
from builtin_plugins.beta.experiences.current import Experiences
from builtin_plugins.beta.experiences.current import sql as experiences
from builtin_plugins.beta.experiences.seeds import SETTINGS as EXPERIENCE_SETTINGS
from builtin_plugins.beta.experiences.seeds import check_contribution
from builtin_plugins.beta.page import routes as page_routes
from builtin_plugins.beta.page.service import SETTINGS as HOME_SETTINGS
from builtin_plugins.beta.page.service import FunnelPages
from builtin_plugins.beta.prospects import routes as prospect_routes
from builtin_plugins.beta.prospects.scoring import JOB_KINDS
from builtin_plugins.beta.prospects.scoring import sql as prospects
from builtin_plugins.beta.prospects.service import OLD_PROSPECTS
from builtin_plugins.beta.prospects.service import SETTINGS as PROSPECT_SETTINGS
from builtin_plugins.beta.signup import routes as signup_routes
from builtin_plugins.beta.signup.form import SETTINGS as SIGNUP_SETTINGS
from builtin_plugins.beta.signup.gate import Forgetting
from guildhall_sdk import Call, Factory, Host, JobKind, Migrations, Plugin, Reply, Route, Setting, hookimpl
from guildhall_sdk.hooks import checked, declares
from guildhall_sdk.plugin import TeamContent, moved_by
from guildhall_sdk.retention import Retained
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Experience, Onboarding, Screen

_ROOMS: tuple[Any, ...] = (experience_routes, asset_routes, page_routes, signup_routes, prospect_routes)
CONTENTS = (
    TeamContent(name="prospects", held=prospects.held_by_team, move=moved_by(prospects.move_prospects)),
    TeamContent(
        name="sign-up pages",
        held=experiences.held_by_team,
        move=moved_by(experiences.move_drafts, experiences.move_experiences, assets.move_to_team),
    ),
)

PLUGIN = Plugin(
    id="beta",
    name="Beta funnel",
    version="0.1.0",
    description="A published sign-up page, proof of work against robots, and the prospects it brings.",
    requires=("admin", "branding", "jobs", "l10n", "retention"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return tuple(row for room in _ROOMS for row in room.ROUTES)


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return {name: handler for room in _ROOMS for name, handler in room.HANDLERS.items()}


class ExperienceHooks(Protocol):
    """The hook of the plugin `beta`."""

    @declares(Experience, label="experience")
    def declare_experiences(self) -> Sequence[Experience]:
        """Declares a page on which people sign up, shown until a team publishes its own."""


@hookimpl
def declare_hooks() -> Sequence[type[Any]]:
    return (checked(ExperienceHooks, declare_experiences=check_contribution),)


@hookimpl
def declare_retained() -> Sequence[Retained]:
    return (OLD_PROSPECTS,)


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return CONTENTS


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (*EXPERIENCE_SETTINGS, *HOME_SETTINGS, *SIGNUP_SETTINGS, *PROSPECT_SETTINGS)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {
        Experiences: Experiences,
        FunnelPages: FunnelPages,
        Onboarding: lambda host: host.service(FunnelPages),
    }


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return JOB_KINDS


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return (*asset_routes.FACTORIES, *page_routes.FACTORIES, *prospect_routes.FACTORIES)


@hookimpl
async def on_start(host: Host) -> None:
    host.background("forgetting sign-ups", Forgetting(host).run)


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "beta-program",
            "/beta-program",
            "nav.beta",
            "megaphone",
            "team",
            order=100,
            permission="settings:manage",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="beta", folder=Path(__file__).with_name("texts")),)
