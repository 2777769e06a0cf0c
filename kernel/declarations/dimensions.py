"""What a dimension must be for it to be counted and limited."""

import re

from guildhall_sdk import Dimension
from guildhall_sdk.dimensions import DIMENSION_KINDS
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

_NAME = re.compile(r"(?=.{1,64}$)[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)+")


def check_dimension(dimension: Dimension, plugin: LoadedPlugin, registry: Registry) -> None:
    if not _NAME.fullmatch(dimension.name):
        raise PluginFault(f"the dimension {dimension.name!r} must be words with dots: coffee.cups")
    if dimension.kind not in DIMENSION_KINDS:
        raise PluginFault(f"dimension {dimension.name}: there is no kind {dimension.kind}")
