"""S3: the repository for those who speak Amazon's protocol."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.s3.adapter import S3Adapter
from builtin_plugins.s3.handlers import HANDLERS
from builtin_plugins.s3.keys import ACCESS_KEY, AccessKeys, sql
from builtin_plugins.s3.routes import FACTORIES, ROUTES
from builtin_plugins.s3.settings import BIND, RATE_LIMIT, SETTINGS
from builtin_plugins.s3.uploads import Releases
from builtin_plugins.s3.uploads import sql as uploads_sql
from guildhall_sdk import Call, Factory, Host, Metric, Migrations, Plugin, Reply, Route, Setting, hookimpl
from guildhall_sdk.metrics import measured_by
from guildhall_sdk.plugin import TeamContent, moved_by
from guildhall_sdk.principal import CredentialKind
from guildhall_sdk.routes import Adapter
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="s3",
    name="S3",
    version="0.1.0",
    description="The repository over the S3 protocol, with access keys and presigned links.",
    requires=("admin", "quotas", "repo"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_credential_kinds() -> Sequence[CredentialKind]:
    return (ACCESS_KEY,)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {AccessKeys: AccessKeys, Releases: Releases}


@hookimpl
def declare_adapters() -> Sequence[Adapter]:
    return (
        Adapter(name="s3", prefix="/s3", title="S3", protocol=S3Adapter, bind=BIND, rate_limit=RATE_LIMIT),
    )


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return SETTINGS


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (TeamContent(name="uploads", move=moved_by(uploads_sql.move_to_team)),)


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return (
        Metric("guildhall_s3_keys", "S3 access keys", "gauge", measure=measured_by(sql.count_keys)),
        Metric(
            "guildhall_s3_uploads",
            "Uploads in parts that are under way",
            "gauge",
            measure=measured_by(uploads_sql.count_open),
        ),
    )


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
async def on_start(host: Host) -> None:
    host.background("sweeping uploads", host.service(Releases).sweep_in_time)


@hookimpl
async def on_stop(host: Host) -> None:
    await host.service(AccessKeys).note_pending()


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen("s3-keys", "/s3-keys", "nav.s3_keys", "hard-drive", "team", order=30, permission="files:read"),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="s3", folder=Path(__file__).with_name("texts")),)
