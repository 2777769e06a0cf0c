"""What a subscription must be for events to be delivered to it."""

import inspect
import re
from dataclasses import fields

from guildhall_sdk import Event, Feature, Subscription
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_MAX_ATTEMPTS = 100
_MAX_SECONDS = 24 * 3600


def check_subscription(subscription: Subscription, plugin: LoadedPlugin, registry: Registry) -> None:
    name = subscription.name
    if not _NAME.fullmatch(name):
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
    _check_event(subscription, plugin, registry)


def _check_event(subscription: Subscription, plugin: LoadedPlugin, registry: Registry) -> None:
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
