"""The fixture `hall` and those that open halls otherwise, and what is judged after every test."""

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

if TYPE_CHECKING:
    from playwright.async_api import Browser

    from guildhall_testing.browser import OpenPage
    from guildhall_testing.conformance import ConformanceCase
    from guildhall_testing.hall import Hall
    from guildhall_testing.shared_servers import SharedServers
    from guildhall_testing.sites import DatabaseName, Sites
    from guildhall_testing.watch import Watch

OpenHall = Callable[..., "AbstractAsyncContextManager[Hall]"]
_SERVER_MARKS = ("shared_server", "own_server")
_watch: "pytest.StashKey[Watch]" = pytest.StashKey()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "conformance_case" in metafunc.fixturenames:
        cases = _conformance_cases(metafunc.config)
        pairs = [
            (name, case)
            for number, name in enumerate(_databases_of(metafunc))
            for case in cases
            if number == 0 or case.on_every_database
        ]
        metafunc.parametrize(
            ("hall_database", "conformance_case"),
            pairs,
            indirect=["hall_database"],
            ids=[f"{name}-{case.id}" for name, case in pairs],
            scope="session",
        )
    elif "hall_database" in metafunc.fixturenames:
        metafunc.parametrize("hall_database", _databases_of(metafunc), indirect=True, scope="session")


def _databases_of(metafunc: pytest.Metafunc) -> list[str]:
    config = metafunc.config
    names: list[str] = config.getoption("--hall-database") or config.getini("hall_databases")
    for marker in metafunc.definition.iter_markers():  # the closest one first
        if marker.name == "hall_databases":
            return [name for name in marker.args if name in names]
        if marker.name == "any_database":
            return names if config.getoption("--every-database") else names[:1]
        if marker.name == "every_database":
            return names
    return names


def _conformance_cases(config: pytest.Config) -> "list[ConformanceCase]":
    from guildhall_testing.conformance import cases_for
    from guildhall_testing.selection import plugins_under_test, registry_of

    registry = registry_of(config)
    return cases_for(registry, plugins_under_test(config, registry))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fails the test whose calls met a reply that its row does not describe, or logged a secret."""
    try:
        result = yield
    except BaseException as failure:
        report_log(item, "call")
        for fault in _faults(item):
            failure.add_note(fault)
        raise
    if faults := _faults(item):
        pytest.fail("\n".join(faults), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Shows with a hall that does not open what its server logged."""
    try:
        return (yield)
    except BaseException:
        report_log(item, "setup")
        raise


def report_log(item: pytest.Item, when: str) -> None:
    """Adds to a failure what the server logged with all fields, where pytest captures the message alone."""
    watch = item.config.stash.get(_watch, None)
    lines = [] if watch is None else watch.last_lines()
    if lines:
        item.add_report_section(when, "server log", "\n".join(lines))


def _faults(item: pytest.Item) -> list[str]:
    watch = item.config.stash.get(_watch, None)
    return [] if watch is None else watch.take_faults()


@pytest.fixture(scope="session")
def hall_watch(request: pytest.FixtureRequest) -> "Iterator[Watch]":
    """Returns what the harness notices by itself; one per session."""
    from guildhall_testing.watch import Watch

    watch = Watch()
    request.config.stash[_watch] = watch
    with watch.listening():
        yield watch


@pytest.fixture(scope="session")
def hall_sites(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Sites]":
    from guildhall_testing.selection import hall_plugins
    from guildhall_testing.sites import Sites

    plugins, folders = hall_plugins(request.config)
    # The folder of the run, in which each process of pytest-xdist has its own.
    shared = tmp_path_factory.getbasetemp().parent if hasattr(request.config, "workerinput") else None
    sites = Sites(tmp_path_factory.mktemp("halls"), plugins, folders, shared)
    yield sites
    sites.close()


@pytest.fixture(scope="session")
def hall_database(request: pytest.FixtureRequest) -> str:
    """Returns the database under test; parametrized by the setting `hall_databases`."""
    return str(request.param)


@pytest.fixture
def open_hall(hall_sites: "Sites", hall_watch: "Watch", hall_database: "DatabaseName") -> OpenHall:
    """Opens a hall: `async with open_hall(plugin, SERVICE_DEMO="on") as hall:`.

    It is for other plugins or settings than `hall` has. `populated=False` gives an instance that nobody has
    set up.
    """
    from guildhall_testing.hall import open_hall

    def opened(*plugins: Any, **settings: Any) -> "AbstractAsyncContextManager[Hall]":
        return open_hall(hall_sites, hall_database, hall_watch, plugins, **settings)

    return opened


@pytest.fixture
async def open_again(
    hall_sites: "Sites", hall_watch: "Watch", hall_database: "DatabaseName"
) -> "AsyncIterator[OpenHall]":
    """Opens halls as `open_hall` does, one after the other on the same data: a server that is restarted."""
    from guildhall_testing.hall import open_hall

    async with hall_sites.lease(hall_database) as site:

        def opened(*plugins: Any, **settings: Any) -> "AbstractAsyncContextManager[Hall]":
            return open_hall(hall_sites, hall_database, hall_watch, plugins, site=site, **settings)

        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared_servers(hall_sites: "Sites", hall_watch: "Watch") -> "AsyncIterator[SharedServers]":
    """Yields the servers of a module that is marked `shared_server`."""
    from guildhall_testing.shared_servers import SharedServers

    servers = SharedServers(hall_sites, hall_watch)
    yield servers
    await servers.close()


@pytest.fixture
def share_hall(
    request: pytest.FixtureRequest,
    open_hall: OpenHall,
    shared_servers: "SharedServers",
    hall_database: "DatabaseName",
) -> OpenHall:
    """Opens a hall as `open_hall` does, for the fixtures of a module that may be marked `shared_server`.

    There the companies are the test's own, and the server is that of all who bring the very same plugins and
    settings.
    """

    def shared(*plugins: Any, **options: Any) -> "AbstractAsyncContextManager[Hall]":
        return shared_servers.visit(hall_database, plugins, options)

    return shared if _shares_server(request.node) else open_hall


@pytest_asyncio.fixture(loop_scope="session")
async def hall(request: pytest.FixtureRequest, share_hall: OpenHall) -> "AsyncIterator[Hall]":
    """Yields a server of the test's own, with two companies, a clock and nobody else's data.

    In a module that is marked `shared_server` the companies are the test's own, and the server is not.
    """
    marks = reversed(list(request.node.iter_markers("hall_settings")))
    settings = {name: text for mark in marks for name, text in mark.kwargs.items()}
    async with share_hall(**settings) as opened:
        yield opened


def _shares_server(test: pytest.Item) -> bool:
    nearest = next((mark.name for mark in test.iter_markers() if mark.name in _SERVER_MARKS), None)
    return nearest == "shared_server"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def module_hall(
    hall_sites: "Sites", hall_watch: "Watch", hall_database: "DatabaseName"
) -> "AsyncIterator[Hall]":
    """Yields one server for those tests of a module that change nothing in it, as where all is refused."""
    from guildhall_testing.hall import open_hall

    async with open_hall(hall_sites, hall_database, hall_watch) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_hall(
    hall_sites: "Sites", hall_watch: "Watch", hall_database: "DatabaseName"
) -> "AsyncIterator[Hall]":
    """Yields one hosted server for the whole session, for tests that leave it as they found it.

    Samples come to it from addresses of their own, as they would through a proxy.
    """
    from guildhall_testing.hall import open_hall

    async with open_hall(
        hall_sites,
        hall_database,
        hall_watch,
        SERVICE_PROVISION_TOKEN="the provisioning token of the shared hall",
        SERVICE_TRUSTED_PROXIES="127.0.0.1",
    ) as opened:
        await opened.give_hostnames()
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> "AsyncIterator[Browser]":
    """Yields one headless browser for the whole session; without one installed, its tests are skipped."""
    pytest.importorskip("playwright", reason="there is no Playwright here")
    from guildhall_testing.browser import find_chromium, running_browser

    if find_chromium() is None:
        pytest.skip("there is no chromium here: install it, or run make test, which does where it can")
    async with running_browser() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(chromium: "Browser") -> "AsyncIterator[OpenPage]":
    """Opens pages: `page = await open_page(viewport=…)`; a complaint of the browser fails the test."""
    from guildhall_testing.browser import Visits

    visits = Visits(chromium)
    yield visits.open_page
    await visits.close()
    if visits.complaints:
        pytest.fail("the browser complained:\n" + "\n".join(visits.complaints), pytrace=False)
