"""Outbound: HTTP to addresses that companies chose, for every plugin."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.outbound.service import (
    ORG_PRIVATE_ENDPOINTS,
    REQUESTS,
    SECONDS_TAKEN,
    GuardedHttp,
    guarded_http,
)
from guildhall_sdk import Host, Metric, Plugin, Setting, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.outbound import OutboundHttp

PLUGIN = Plugin(
    id="outbound",
    name="Outbound HTTP",
    version="0.1.0",
    description="HTTP to addresses that companies choose: none leads into your own network.",
    requires=("metrics",),
)


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (ORG_PRIVATE_ENDPOINTS,)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {OutboundHttp: GuardedHttp}


@hookimpl
def declare_metrics() -> Sequence[Metric]:
    return (REQUESTS, SECONDS_TAKEN)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="outbound", folder=Path(__file__).with_name("texts")),)


@hookimpl
async def on_stop(host: Host) -> None:
    await guarded_http(host).close()
