"""What events and subscriptions must be for the one to be delivered to the other."""

import inspect
import re
import types
import typing
from dataclasses import fields, is_dataclass
from typing import Any, Literal

from guildhall_sdk import Event, Feature, Subscription
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

_PART = r"[a-z][a-z0-9_]{0,63}"
_SCALARS = (str, int, float, bool, type(None))
_SUBSCRIPTION_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_MAX_ATTEMPTS = 100
_MAX_SECONDS = 24 * 3600


def check_event(event: Event, plugin: LoadedPlugin, registry: Registry) -> None:
    _check_event_name(event, plugin)
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
    if clash := {"team_id", *(one.name for one in fields(event.type))} & set(event.facts):
        raise PluginFault(f"event {event.name}: {min(clash)} cannot be the name of a fact")
    for one in fields(event.type):
        if not _is_json(hints[one.name]):
            raise PluginFault(
                f"event {event.name}: the field {one.name} must be text, a number, a boolean, None or a tuple"
            )


def _check_event_name(event: Event, plugin: LoadedPlugin) -> None:
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


def check_subscription(subscription: Subscription, plugin: LoadedPlugin, registry: Registry) -> None:
    name = subscription.name
    if not _SUBSCRIPTION_NAME.fullmatch(name):
        raise PluginFault(f"the subscription {name!r} must be small letters, digits, - and _")
    if sum(one.name == name for one in plugin.declared(Subscription)) > 1:
        raise PluginFault(f"the subscription {name} is declared twice")
    if not inspect.iscoroutinefunction(subscription.handler):
        raise PluginFault(f"subscription {name}: the handler must be async")
    if not 1 <= subscription.max_attempts <= _MAX_ATTEMPTS:
        raise PluginFault(f"subscription {name}: max_attempts must be 1 to {_MAX_ATTEMPTS}")
    if not 1 <= subscription.timeout_seconds <= _MAX_SECONDS:
        raise PluginFault(f"subscription {name}: timeout_seconds must be 1 to {_MAX_SECONDS}")
    features = {one.name for one in (*registry.declared(Feature), *plugin.declared(Feature))}
    if subscription.feature is not None and subscription.feature not in features:
        raise PluginFault(f"subscription {name}: there is no feature {subscription.feature}")
    _check_subscribed(subscription, plugin, registry)


def _check_subscribed(subscription: Subscription, plugin: LoadedPlugin, registry: Registry) -> None:
    events = {one.name: one for one in (*registry.declared(Event), *plugin.declared(Event))}
    event = events.get(subscription.event)
    if event is None:
        if subscription.optional:
            return
        raise PluginFault(
            f"subscription {subscription.name}: nobody declares the event {subscription.event}; "
            "name the plugin that does in requires, or make the subscription optional"
        )
    known = {one.name for one in fields(event.type)}
    for field in subscription.where:
        if field not in known:
            raise PluginFault(
                f"subscription {subscription.name}: the event {event.name} has no field {field}"
            )
    if subscription.wanted is not None:
        for bind in subscription.wanted.numbered[1]:
            if bind not in {"team_id", *known, *event.facts}:
                raise PluginFault(
                    f"subscription {subscription.name}: its query asks for :{bind}, which is neither a field "
                    f"nor a fact of the event {event.name}"
                )
