"""Plugins made on the spot, for tests about plugins."""

from types import SimpleNamespace

import pytest

from guildhall_sdk import Migrations, Plugin, hookimpl

_LIFECYCLE = ("on_start", "on_stop", "decide_password")


@pytest.fixture
def make_plugin():
    """`make_plugin("toy", routes=[…], handlers={…}, on_start=…)`: a plugin as an object, not a file."""

    def make(plugin_id="toy", *, requires=(), essential=False, **brought):
        plugin = SimpleNamespace(
            PLUGIN=Plugin(
                plugin_id, plugin_id.title(), "1.0", "A toy.", requires=requires, essential=essential
            )
        )
        for name, thing in brought.items():
            if name in _LIFECYCLE:
                setattr(plugin, name, hookimpl(thing))
            else:
                setattr(plugin, f"declare_{name}", _declaration(name, thing))
        return plugin

    return make


def _declaration(name, thing):
    @hookimpl
    def declare():
        return Migrations(thing) if name == "migrations" else thing

    return declare
