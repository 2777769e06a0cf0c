"""Tests for each row of the table."""

import pytest

from guildhall_sdk import Permission
from kernel.rbac import DeclaredRoles
from kernel.testing.selection import registry_of


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
