"""Plugins that listen, made on the spot."""

from collections import namedtuple

import pytest

from guildhall_sdk import Subscription

Ear = namedtuple("Ear", "plugin heard")


@pytest.fixture
def make_ear(make_plugin):
    """`make_ear("note.changed", handler)`: a plugin with that subscription, and what it heard."""

    def make(event="note.changed", react=None, plugin_id="ear", brought=None, **options):
        heard = []

        async def hear(call):
            heard.append(call)
            if react is not None:
                await react(call)

        given = {"name": "hear", "event": event, "handler": hear, "doc": "Hears.", **options}
        return Ear(make_plugin(plugin_id, subscriptions=[Subscription(**given)], **(brought or {})), heard)

    return make


@pytest.fixture
def rows():
    """`await rows(hall, "SELECT …")`."""
    from guildhall_sdk import Statement

    async def rows(hall, text, **binds):
        async with hall.server.data.read() as reader:
            return [dict(row) for row in await reader.all(Statement("rows", text, text), **binds)]

    return rows
