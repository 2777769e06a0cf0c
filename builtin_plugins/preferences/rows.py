"""The rows of preferences: every plugin's, for whoever may read and write each."""

from collections.abc import Iterator
from typing import Any

from builtin_plugins.preferences.store import MAX_PREFERENCE_BYTES
from guildhall_sdk import (
    Call,
    Factory,
    NotFound,
    Preference,
    Reply,
    Route,
    SampleClient,
    no_content,
    page,
    rfc3339_or_none,
)
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.schema import anything, boolean, enum, integer, listing, nullable, shape, string, time
from guildhall_sdk.settings import Preferences, StoredPreference

PREFERENCE = shape(
    {
        "plugin": string(),
        "name": string(),
        "title": nullable(string(description="A key of the catalog, or words; null has no form")),
        "help": string(),
        "holder": enum("team", "company", description="Whose it is"),
        "schema": anything(type="object", description="What a value must be"),
        "default": anything(),
        "value": anything(description="The value that holds"),
        "may_write": boolean(description="Whether the caller may change it"),
        "version": integer(0, description="How often it was changed; also its ETag"),
        "updated_at": nullable(time()),
    }
)
_ONE = "/api/preferences/:plugin/:name"

ROUTES = (
    Route(
        "GET",
        "/api/preferences",
        "list_preferences",
        "What the team and the company decide about plugins, as far as the caller may read it",
        reply=listing(PREFERENCE),
    ),
    Route("GET", _ONE, "get_preference", "One of them, with its ETag", reply=PREFERENCE),
    Route(
        "PUT",
        _ONE,
        "put_preference",
        "Change one; the body is the value, by its schema. With If-Match only the version that was read",
        body={},
        reply=PREFERENCE,
        # A character may be written as two escapes of six bytes.
        max_body=12 * MAX_PREFERENCE_BYTES,
    ),
    Route("DELETE", _ONE, "reset_preference", "Go back to the default", status=204),
)


def _readable(call: Call) -> Iterator[tuple[str, Preference[Any]]]:
    """Yields those that the caller may read, of plugins that their team has on."""
    switches = call.service(Features).of(call.principal)
    for plugin_id, one in call.service(Plugins).owned(Preference, switches):
        if one.read_permission is None or call.principal.may(one.read_permission):
            yield plugin_id, one


def _find(call: Call) -> tuple[str, Preference[Any]]:
    wanted = (call.params["plugin"], call.params["name"])
    found = next(((plugin, one) for plugin, one in _readable(call) if (plugin, one.name) == wanted), None)
    if found is None:
        raise NotFound("There is no such preference; GET /api/preferences lists those that you may read.")
    return found


def _public(
    call: Call, plugin_id: str, one: Preference[Any], stored: StoredPreference[Any]
) -> dict[str, Any]:
    return {
        "plugin": plugin_id,
        "name": one.name,
        "title": one.title or None,
        "help": one.help,
        "holder": one.holder,
        "schema": dict(one.schema),
        "default": one.default,
        "value": stored.value,
        "may_write": call.principal.may(one.write_permission),
        "version": stored.version,
        "updated_at": rfc3339_or_none(stored.updated_at),
    }


async def list_preferences(call: Call) -> Reply:
    preferences = call.service(Preferences)
    async with call.read() as reader:
        items = [
            _public(call, plugin_id, one, await preferences.read(reader, call.principal, one))
            for plugin_id, one in _readable(call)
        ]
    return page(items, None)


async def get_preference(call: Call) -> Reply:
    plugin_id, one = _find(call)
    async with call.read() as reader:
        stored = await call.service(Preferences).read(reader, call.principal, one)
    return Reply(_public(call, plugin_id, one, stored), etag=stored.etag)


async def put_preference(call: Call) -> Reply:
    plugin_id, one = _find(call)
    preferences = call.service(Preferences)
    async with call.write() as writer:
        before = await preferences.read(writer, call.principal, one)
        call.check_if_match(before.etag)
        version = before.version if "if-match" in call.headers else None
        stored = await preferences.write(writer, call.principal, one, call.body, version=version)
    return Reply(_public(call, plugin_id, one, stored), etag=stored.etag)


async def reset_preference(call: Call) -> Reply:
    _, one = _find(call)
    preferences = call.service(Preferences)
    async with call.write() as writer:
        before = await preferences.read(writer, call.principal, one)
        call.check_if_match(before.etag)
        version = before.version if "if-match" in call.headers else None
        await preferences.reset(writer, call.principal, one, version=version)
    return no_content()


HANDLERS = {
    handler.__name__: handler
    for handler in (list_preferences, get_preference, put_preference, reset_preference)
}


async def _any_plugin(client: SampleClient, canary: str) -> str:
    return (await _any_one(client, canary)).partition("/")[0]


async def _any_one(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("GET", "/api/preferences")
    first = answer["items"][0]
    return f"{first['plugin']}/{first['name']}"


FACTORIES = (
    Factory("/api/preferences/:plugin", _any_plugin, tenant=False),
    Factory(_ONE, _any_one, tenant=False),
)
