"""Audit: the trail that the kernel appends to, shown and searched, and its proofs: anchors, checkpoints."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from builtin_plugins.audit.anchoring import KEPT, Anchoring
from builtin_plugins.audit.chain import PURPOSE
from builtin_plugins.audit.checkpointing import Checkpointing
from builtin_plugins.audit.commands import COMMANDS
from builtin_plugins.audit.partitions import EVENTS, make_partitions
from builtin_plugins.audit.routes import ROUTES
from builtin_plugins.audit.trail import HANDLERS
from builtin_plugins.audit.trail_retention import TrailRetention
from guildhall_sdk import Call, Command, Host, Migrations, Plugin, Reply, Route, hookimpl
from guildhall_sdk.commands import KeptFiles
from guildhall_sdk.engines.engine import DatabaseEngine
from guildhall_sdk.retention import AuditRetention
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen

PLUGIN = Plugin(
    id="audit",
    name="Audit",
    version="0.1.0",
    description="Shows the audit trail, and proves that it still says what was written.",
    essential=True,
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_commands() -> Sequence[Command]:
    return COMMANDS


@hookimpl
def declare_kept_files() -> Sequence[KeptFiles]:
    return (KEPT,)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Anchoring: _anchoring, AuditRetention: _retention, Checkpointing: _checkpointing}


# Before all others, and so the last to stop: the last anchor tells of what they did when they stopped.
@hookimpl(tryfirst=True)
async def on_start(host: Host) -> None:
    host.background("anchoring the audit trail", host.service(Anchoring).run)
    host.background("making checkpoints of the audit trail", host.service(Checkpointing).run)
    partitions = host.service(DatabaseEngine).partitions(EVENTS)
    if partitions is not None:
        host.background(
            "making partitions ahead", partial(make_partitions, host.data, host.clock, partitions)
        )


@hookimpl(tryfirst=True)
async def on_stop(host: Host) -> None:
    await host.service(Anchoring).try_anchor()


def _anchoring(host: Host) -> Anchoring:
    return Anchoring(host.data, _key(host), host.clock, host.settings.data)


def _checkpointing(host: Host) -> Checkpointing:
    return Checkpointing(host.data, _key(host), host.clock)


def _key(host: Host) -> bytes:
    return host.service(Vault).derive(PURPOSE)


def _retention(host: Host) -> TrailRetention:
    return TrailRetention(_key(host), host.clock, host.service(DatabaseEngine))


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "audit", "/audit", "nav.audit", "shield-check", "team", order=80, permission="settings:manage"
        ),
        Screen(
            "company-audit",
            "/company/audit",
            "nav.audit",
            "shield-check",
            "company",
            order=60,
            permission="org:read",
        ),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="audit", folder=Path(__file__).with_name("texts")),)
