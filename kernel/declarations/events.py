"""What an event must be for others to subscribe to it."""

import re
import types
import typing
from dataclasses import fields, is_dataclass
from typing import Any, Literal

from guildhall_sdk import Event
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

_PART = r"[a-z][a-z0-9_]{0,63}"
_SCALARS = (str, int, float, bool, type(None))


def check_event(event: Event, plugin: LoadedPlugin, registry: Registry) -> None:
    _check_name(event, plugin)
    if not event.doc.strip():
        raise PluginFault(f"event {event.name}: it needs a doc line that says when it happens")
    if not (isinstance(event.type, type) and is_dataclass(event.type)):
        raise PluginFault(f"event {event.name}: its type must be a dataclass")
    if not event.type.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise PluginFault(f"event {event.name}: its type {event.type.__name__} must be frozen")
    try:
        hints = typing.get_type_hints(event.type)
    except Exception as error:
        raise PluginFault(f"event {event.name}: the types of its fields cannot be read: {error}") from error
    for one in fields(event.type):
        if not _is_json(hints[one.name]):
            raise PluginFault(
                f"event {event.name}: the field {one.name} must be text, a number, a boolean, None or a tuple"
            )


def _check_name(event: Event, plugin: LoadedPlugin) -> None:
    # What ships with the server names its own events without the plugin.
    if plugin.source == "builtin" and re.fullmatch(rf"{_PART}\.{_PART}", event.name):
        return
    prefix = f"{plugin.id}."
    if not (event.name.startswith(prefix) and re.fullmatch(rf"{_PART}\.{_PART}", event.name[len(prefix) :])):
        raise PluginFault(f"the event {event.name!r} must be named {plugin.id}.<noun>.<verb>")


def _is_json(hint: Any) -> bool:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return all(isinstance(value, _SCALARS) for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return all(_is_json(one) for one in arguments)
    if origin is tuple:
        return len(arguments) == 2 and arguments[1] is ... and _is_scalar(arguments[0])
    return _is_scalar(hint)


def _is_scalar(hint: Any) -> bool:
    return hint in _SCALARS
