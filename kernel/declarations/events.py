"""What events and subscriptions must be for the one to be delivered to the other."""

import re
from dataclasses import fields
from inspect import iscoroutinefunction

from guildhall_sdk import Event, Feature, Subscription
from kernel.faults import PluginFault, require
from kernel.registry import LoadedPlugin, Registry
from libs.flat_records import record_fault

_PART = r"[a-z][a-z0-9_]{0,63}"
_SUBSCRIPTION_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_MAX_ATTEMPTS = 100
_MAX_SECONDS = 24 * 3600


def check_event(event: Event, plugin: LoadedPlugin, registry: Registry) -> None:
    # What ships with the server names its own events without the plugin.
    own = rf"({re.escape(plugin.id)}\.){'?' if plugin.source == 'builtin' else ''}{_PART}\.{_PART}"
    if not re.fullmatch(own, event.name):
        raise PluginFault(f"the event {event.name!r} must be named {plugin.id}.<noun>.<verb>")
    fault = record_fault(event.type)
    rules = {
        "it needs a doc line that says when it happens": event.doc.strip(),
        str(fault): fault is None,
    }
    require(f"event {event.name}", rules)
    if clash := {"team_id", *(one.name for one in fields(event.type))} & set(event.facts):
        raise PluginFault(f"event {event.name}: {min(clash)} cannot be the name of a fact")


def check_subscription(subscription: Subscription, plugin: LoadedPlugin, registry: Registry) -> None:
    name, feature = subscription.name, subscription.feature
    if not _SUBSCRIPTION_NAME.fullmatch(name):
        raise PluginFault(f"the subscription {name!r} must be small letters, digits, - and _")
    if sum(one.name == name for one in plugin.declared(Subscription)) > 1:
        raise PluginFault(f"the subscription {name} is declared twice")
    features = {one.name for one in (*registry.declared(Feature), *plugin.declared(Feature))}
    events = {one.name: one for one in (*registry.declared(Event), *plugin.declared(Event))}
    event = events.get(subscription.event)
    known = set() if event is None else {one.name for one in fields(event.type)}
    facts = () if event is None else event.facts
    where = next((field for field in subscription.where if field not in known), None)
    binds = () if subscription.wanted is None else subscription.wanted.numbered[1]
    bind = next((bind for bind in binds if bind not in {"team_id", *known, *facts}), None)
    rules = {
        "the handler must be async": iscoroutinefunction(subscription.handler),
        f"max_attempts must be 1 to {_MAX_ATTEMPTS}": 1 <= subscription.max_attempts <= _MAX_ATTEMPTS,
        f"timeout_seconds must be 1 to {_MAX_SECONDS}": 1 <= subscription.timeout_seconds <= _MAX_SECONDS,
        f"there is no feature {feature}": feature is None or feature in features,
        f"nobody declares the event {subscription.event}; name the plugin that does in requires, or make the "
        "subscription optional": event is not None or subscription.optional,
        f"the event {subscription.event} has no field {where}": event is None or where is None,
        f"its query asks for :{bind}, which is neither a field nor a fact of the event "
        f"{subscription.event}": event is None or bind is None,
    }
    require(f"subscription {name}", rules)
