"""What a kind of job must be for the scheduler to run it."""

import inspect
import re

from guildhall_sdk import JobKind
from guildhall_sdk.dimensions import Dimension
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def check_job_kind(kind: JobKind, plugin: LoadedPlugin, registry: Registry) -> None:
    dimensions = [*registry.declared(Dimension), *plugin.declared(Dimension)]
    reservable = {dimension.name for dimension in dimensions if dimension.kind != "stock"}
    # What ships with the server may name its own kinds without the x.
    prefixes = (f"x.{plugin.id}.", *((f"{plugin.id}.",) if plugin.source == "builtin" else ()))
    prefix = next((prefix for prefix in prefixes if kind.name.startswith(prefix)), None)
    if prefix is None or not _NAME.fullmatch(kind.name.removeprefix(prefix)):
        raise PluginFault(f"the job kind {kind.name!r} must be named x.{plugin.id}.<name>")
    if kind.handler is not None and not inspect.iscoroutinefunction(kind.handler):
        raise PluginFault(f"job kind {kind.name}: the handler must be async")
    if kind.handler is None and kind.validator is None:
        raise PluginFault(f"job kind {kind.name}: without a handler it is remote, and needs a validator")
    if kind.handler is not None and (kind.validator is not None or kind.worker is not None):
        raise PluginFault(f"job kind {kind.name}: validator and worker are for kinds without a handler")
    if kind.handler is None and kind.stoppable:
        raise PluginFault(f"job kind {kind.name}: without a handler nobody here could stop it")
    if kind.worker is not None and not inspect.iscoroutinefunction(kind.worker):
        raise PluginFault(f"job kind {kind.name}: its worker must be async")
    if kind.ended is not None and not inspect.iscoroutinefunction(kind.ended):
        raise PluginFault(f"job kind {kind.name}: its ended must be async")
    for name in kind.reserves:
        if name not in reservable:
            raise PluginFault(f"job kind {kind.name}: {name} is no dimension that can be reserved")
    if kind.validator is not None and not callable(kind.validator):
        raise PluginFault(f"job kind {kind.name}: its validator must be a function")
