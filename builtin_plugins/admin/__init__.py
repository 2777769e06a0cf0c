"""The instance and the team from the inside: health, config, features, tools, plugins, audit."""

from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.admin import handlers, quotas
from builtin_plugins.admin.features import FEATURES
from builtin_plugins.admin.routes import ROUTES
from builtin_plugins.admin.samples import FACTORIES
from guildhall_sdk import Factory, Feature, Plugin, QuotaDimension, Route, hookimpl

PLUGIN = Plugin(
    id="admin",
    name="Administration",
    version="0.1.0",
    description="Health, public configuration, features, tools, plugins, quotas and the audit trails.",
    essential=True,
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return (*ROUTES, *quotas.ROUTES)


@hookimpl
def declare_handlers() -> Mapping[str, Any]:
    return {row.handler: getattr(handlers, row.handler) for row in ROUTES} | quotas.HANDLERS


@hookimpl
def declare_features() -> Sequence[Feature]:
    return FEATURES


@hookimpl
def declare_quota_dimensions() -> Sequence[QuotaDimension]:
    return quotas.DIMENSIONS


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES
