"""Tests for each row of the table."""

import pytest

from guildhall_testing.selection import registry_of


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


def pytest_itemcollected(item):
    """What a plugin's statements answer is tried on PostgreSQL, and in the long form on SQLite once more."""
    given = item.callspec.params if hasattr(item, "callspec") else {}
    case, told = given.get("conformance_case"), item.config.getoption
    if case is None or told("--every-database") or told("--hall-database"):
        return
    if case.on_every_database and given["hall_database"] == "sqlite":
        item.add_marker(pytest.mark.long_form)
