"""What one plugin contributes is judged by the plugin that accepts the type; the kernel knows no type."""

import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from typing import Any

from guildhall_sdk import Accepts, Contributor, Problem
from kernel.faults import PluginFault
from kernel.registry import CONTRIBUTION, LoadedPlugin, Registry


def check_accepts(accepts: Accepts, plugin: LoadedPlugin, registry: Registry) -> None:
    name = getattr(accepts.type, "__qualname__", repr(accepts.type))
    if not isinstance(accepts.type, type) or not _is_frozen(accepts.type):
        raise PluginFault(f"declare_accepts: {name} must be a frozen dataclass")
    for other in registry.plugins:
        if any(theirs.type is accepts.type for theirs in other.declared(Accepts)):
            raise PluginFault(f"declare_accepts: {other.id} accepts {name} already")
    if sum(own.type is accepts.type for own in plugin.declared(Accepts)) > 1:
        raise PluginFault(f"declare_accepts: {name} stands there twice")


def check_contributions(plugin: LoadedPlugin, registry: Registry) -> None:
    """Raises `PluginFault` with the place of a bad row; one whose type nobody accepts yet waits."""
    _check_rows(plugin, [*registry.plugins, plugin], registry.plugins)


def unaccepted(registry: Registry) -> Iterator[tuple[str, str]]:
    """Yields each plugin with a bad row, or one that nobody accepts, and why; take each out as it comes.

    Call it once all are in.
    """
    for plugin in registry.plugins:
        if plugin not in registry:  # it went with another one meanwhile
            continue
        position = registry.plugins.index(plugin)
        earlier, later = registry.plugins[:position], registry.plugins[position + 1 :]
        try:
            _check_rows(plugin, later, earlier)
            for place, row in _placed(plugin):
                if _acceptor(row, registry.plugins) is None:
                    raise PluginFault(f"{place}: no plugin accepts {_full_name(row)}{_hint(row, registry)}")
        except PluginFault as fault:
            yield plugin.id, str(fault)


def _check_rows(
    plugin: LoadedPlugin, acceptors: Sequence[LoadedPlugin], earlier: Sequence[LoadedPlugin]
) -> None:
    """Checks the rows that one of these accepts; who came earlier has the first right to a name."""
    taken: dict[type[Any], dict[str, str]] = {}
    for place, row in _placed(plugin):
        if not _is_frozen(type(row)):
            raise PluginFault(f"{place} must be a frozen dataclass")
        found = _acceptor(row, acceptors)
        if found is None:
            continue
        acceptor, accepts = found
        name = _judged(place, row, plugin, acceptor, accepts)
        if name is None:
            continue
        if accepts.named_as_plugin and name != plugin.id:
            raise PluginFault(f"{place}: the {accepts.label} must be named as its plugin, not {name}")
        if accepts.type not in taken:
            taken[accepts.type] = _names(accepts, earlier)
        owner = taken[accepts.type].get(name)
        if owner is not None:
            raise PluginFault(f"{place}: the {accepts.label} {name} is {owner}'s already")
        taken[accepts.type][name] = plugin.id


def _judged(
    place: str, row: Any, plugin: LoadedPlugin, acceptor: LoadedPlugin, accepts: Accepts
) -> str | None:
    """Checks a row, and returns its name if its type has names."""
    try:
        problem = None if accepts.check is None else accepts.check(row)
        if problem is None and accepts.check_within is not None:
            problem = accepts.check_within(row, _contributor(plugin))
        name = None if accepts.name is None else str(accepts.name(row))
    except Problem as refusal:
        problem, name = _problem_text(refusal), None
    except (Exception, SystemExit) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        at = f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}"
        message = f"{type(error).__name__}: {error} ({at})"
        raise PluginFault(f"{place}: the check of {acceptor.id} failed on it: {message}") from error
    if problem is not None:
        raise PluginFault(f"{place}: {acceptor.id} refuses this {accepts.label}: {problem}")
    return name


def _contributor(plugin: LoadedPlugin) -> Contributor:
    routes = tuple(bound.row for bound in (*plugin.routes, *plugin.extension_routes))
    return Contributor(id=plugin.id, routes=routes, contributions=plugin.declared(CONTRIBUTION))


def _names(accepts: Accepts, plugins: Sequence[LoadedPlugin]) -> dict[str, str]:
    """Returns the plugin of each name; a row that has none is left to its own check."""
    assert accepts.name is not None
    names: dict[str, str] = {}
    for plugin in plugins:
        for row in plugin.declared(CONTRIBUTION):
            if type(row) is accepts.type:
                with suppress(Exception):
                    names[str(accepts.name(row))] = plugin.id
    return names


def _placed(plugin: LoadedPlugin) -> Iterator[tuple[str, Any]]:
    for position, row in enumerate(plugin.declared(CONTRIBUTION)):
        yield f"declare_contributions[{position}], a {type(row).__name__}", row


def _acceptor(row: Any, plugins: Sequence[LoadedPlugin]) -> tuple[LoadedPlugin, Accepts] | None:
    for plugin in plugins:
        for accepts in plugin.declared(Accepts):
            if accepts.type is type(row):
                return plugin, accepts
    return None


def _is_frozen(kind: type[Any]) -> bool:
    return is_dataclass(kind) and bool(kind.__dataclass_params__.frozen)  # type: ignore[attr-defined]


def _full_name(row: Any) -> str:
    return f"{type(row).__module__}.{type(row).__qualname__}"


def _hint(row: Any, registry: Registry) -> str:
    """Returns whose the type seems to be, by the module that it stands in."""
    modules = type(row).__module__.split(".")
    for status in registry.statuses():
        if status.id.replace("-", "_") in modules or status.id in modules:
            return f"; it looks like one of {status.id}, which is {status.status}"
    return ""


def _problem_text(refusal: Problem) -> str:
    places = "; ".join(f"{error['pointer']} {error['message']}" for error in refusal.errors)
    return places or refusal.detail
