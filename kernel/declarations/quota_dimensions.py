"""What a quota dimension must be for it to be counted and limited."""

import re

from guildhall_sdk import QuotaDimension
from guildhall_sdk.quotas import QUOTA_KINDS
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

_NAME = re.compile(r"(?=.{1,64}$)[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)+")


def check_dimension(dimension: QuotaDimension, plugin: LoadedPlugin, registry: Registry) -> None:
    if not _NAME.fullmatch(dimension.name):
        raise PluginFault(f"the quota dimension {dimension.name!r} must be words with dots: ai.requests")
    if dimension.kind not in QUOTA_KINDS:
        raise PluginFault(f"quota dimension {dimension.name}: there is no kind {dimension.kind}")
