"""The pytest plugin: settings, and the fixtures where what they need is installed."""

import logging
from importlib.util import find_spec

import pytest

NEEDED = ("httpx", "pytest_asyncio")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        "hall_databases",
        "Databases that every test with a hall runs on: sqlite, postgresql",
        type="args",
        default=["sqlite"],
    )
    parser.addini(
        "hall_plugins",
        "Plugins that every hall loads beside the installed ones: modules, or folders of directory plugins",
        type="args",
        default=[],
    )
    parser.addini(
        "conformance_plugins",
        "Ids of the plugins whose rows the conformance tests cover; those of hall_plugins unless told",
        type="args",
        default=[],
    )
    group = parser.getgroup("guildhall")
    group.addoption(
        "--hall-database",
        action="append",
        choices=["sqlite", "postgresql"],
        help="Run tests with a hall on this database only (may be given twice)",
    )
    group.addoption(
        "--every-database",
        action="store_true",
        help="Run tests that are marked any_database on each of the databases, not on the first alone",
    )
    group.addoption(
        "--long-forms",
        action="store_true",
        help="Run the tests that are marked long_form too: more rounds or data of what others show",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves long forms out, unless they are asked for."""
    if config.getoption("--long-forms"):
        return
    long_forms = [item for item in items if item.get_closest_marker("long_form")]
    if long_forms:
        items[:] = [item for item in items if not item.get_closest_marker("long_form")]
        config.hook.pytest_deselected(items=long_forms)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "hall_databases(*names): run this test on these databases only, where they are asked for"
    )
    config.addinivalue_line(
        "markers", "any_database: what this tests is the same on each database, so it runs on the first"
    )
    config.addinivalue_line(
        "markers", "every_database: run this test on each database, in a module that is marked any_database"
    )
    config.addinivalue_line(
        "markers", "long_form: more rounds, data or clients of what a short test shows; run by --long-forms"
    )
    config.addinivalue_line(
        "markers", "hall_settings(**settings): SERVICE_* names and their text for the `hall` of this test"
    )
    config.addinivalue_line(
        "markers", "shared_server: each test has companies of its own, in a server that its module shares"
    )
    config.addinivalue_line(
        "markers", "own_server: this test has a server of its own, in a module that is marked shared_server"
    )
    # What the test client says of its own requests is no line of the server's log.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    if all(find_spec(name) for name in NEEDED):
        from guildhall_testing import fixtures

        config.pluginmanager.register(fixtures, "guildhall-fixtures")
