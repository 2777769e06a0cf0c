"""Plugins made on the spot, and tests for each row of the table."""

from types import SimpleNamespace

import pytest

from guildhall_sdk import Migrations, Permission, Plugin, hookimpl
from kernel.rbac import DeclaredRoles
from kernel.testing.selection import registry_of

_ASYNC_HOOKS = ("on_start", "decide_password", "decide_principal")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "rows(where): the rows that a test with `bound` is for, all unless told"
    )


def pytest_generate_tests(metafunc):
    """The argument `bound` is a row of the table, with its plugin and handler."""
    if "bound" in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker("rows")
        rows = registry_of(metafunc.config).routes()
        chosen = [bound for bound in rows if marker is None or marker.kwargs["where"](bound.row)]
        metafunc.parametrize("bound", chosen, ids=[bound.name for bound in chosen])


@pytest.fixture(scope="session")
def roles(pytestconfig):
    """What the roles hold by the permissions of the plugins that ship."""
    return DeclaredRoles(registry_of(pytestconfig).declared(Permission))


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
            if name in _ASYNC_HOOKS:
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
