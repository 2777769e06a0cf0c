"""For every test of this repository: where it writes, and which examples property tests draw."""

import asyncio
import compileall
import faulthandler
import gc
import os
import shutil
import signal
import ssl
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count, groupby
from multiprocessing.util import Finalize
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any, NoReturn

import httpx._transports.default as httpx_transports
import pytest
from hypothesis import HealthCheck, settings

from guildhall_sdk import Migrations, Plugin, hookimpl

# The same examples each time, at any pace; `make soak` draws many more.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=300 if "SOAK_ROUNDS" in os.environ else 40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

# Every commit waits for the disk, and nothing that a test writes has to last: where there is room in memory,
# pytest has its folders there.
_MEMORY, _ROOM = Path("/dev/shm"), 4 * 1024**3
if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
_TEMPORARY = os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())

# What processes leave behind that tests kill goes with the tests, after the folder of multiprocessing itself.
os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(prefix="guildhall-tests-", dir=_TEMPORARY)
Finalize(None, shutil.rmtree, (tempfile.tempdir, True), exitpriority=-200)

if sys.dont_write_bytecode:
    # Every process of a test would compile all that it imports; so they share it, away from the sources.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parent / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Hundreds of children import these where they cannot write any more.
compileall.compile_dir(Path(__file__).parent / "builtin_plugins/repo/extraction/reading", quiet=1)

# A hall makes a hundred thousand objects: at the usual pace looking at them is a quarter of a test's time.
# What is there after so many tests is looked at no more.
gc.set_threshold(200_000, 10, 1_000_000)
_SETTLED_AFTER = 250


_make_ssl_context = httpx_transports.create_ssl_context
_usual_ssl_context = cache(_make_ssl_context)


def _share_ssl_context(verify: Any = True, cert: Any = None, trust_env: bool = True) -> ssl.SSLContext:
    """Makes the usual context of a client once: it takes longer than most tests, and nearly none uses it."""
    named = trust_env and {"SSL_CERT_FILE", "SSL_CERT_DIR"} & os.environ.keys()
    if verify is not True or cert or named:
        return _make_ssl_context(verify, cert, trust_env)
    return _usual_ssl_context()


httpx_transports.create_ssl_context = _share_ssl_context  # type: ignore[attr-defined]

# Far beyond the slowest: a test that takes longer waits for what never comes, and would hold up all others.
_HANGS_SECONDS = 900 if "SOAK_ROUNDS" in os.environ or "SOAK_TURNS" in os.environ else 600
# What a test closes once it failed so may wait for ever, too.
_CLOSES_SECONDS, _CLOSES_TIMES = 60, 3


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fails a test that hangs, where it hangs; where it does not end then either, its process ends."""
    times = 0

    def give_up(*_: object) -> None:
        nonlocal times
        times += 1
        if times > _CLOSES_TIMES:
            _end_process()
        raise TimeoutError(f"{item.nodeid} hangs: it is not done after {_HANGS_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, _HANGS_SECONDS, _CLOSES_SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def pytest_sessionfinish() -> None:
    """Ends a process of tests that does not end once they are done: the others' report would wait for it."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        signal.signal(signal.SIGALRM, _end_unless_it_waits)
        signal.setitimer(signal.ITIMER_REAL, _CLOSES_SECONDS, _CLOSES_SECONDS)


def _end_unless_it_waits(_: int, frame: FrameType | None) -> None:
    """It may wait for the tests of the others, and is told then when to end."""
    while frame is not None:
        if frame.f_code.co_name == "integrate_as_primary_thread":
            return
        frame = frame.f_back
    _end_process()


def _end_process() -> NoReturn:
    faulthandler.dump_traceback(file=sys.__stderr__)
    os._exit(70)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--backwards", action="store_true", help="Run the tests of each module from its last to its first"
    )
    parser.addoption("--uvloop", action="store_true", help="Run the tests on the event loop of uvloop")


class OnUvloop:
    """Runs tests, and the halls that they open, on the event loop of uvloop."""

    def pytest_asyncio_loop_factories(self) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
        import uvloop

        return {"uvloop": uvloop.new_event_loop}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "short_on(*names): on other databases than these it runs with --long-forms alone"
    )
    if config.getoption("--uvloop"):
        config.pluginmanager.register(OnUvloop())


@pytest.hookimpl(tryfirst=True, specname="pytest_collection_modifyitems")
def pytest_leave_one_database(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Has `any_database` count for the databases without a server too: `url` and `database_url`."""
    if config.getoption("--every-database"):
        return
    on_sqlite = {item.nodeid for item in items if "sqlite" in item.nodeid}
    twins = [item for item in items if _is_second(item) and _twin(item.nodeid) in on_sqlite]
    if twins:
        left_out = {item.nodeid for item in twins}
        items[:] = [item for item in items if item.nodeid not in left_out]
        config.hook.pytest_deselected(items=twins)


def _is_second(item: pytest.Item) -> bool:
    marks = ("any_database", "every_database", "hall_databases")
    nearest = next((mark.name for mark in item.iter_markers() if mark.name in marks), None)
    given = getattr(item, "callspec", None)
    names = () if given is None else (given.params.get("url"), given.params.get("database_url"))
    return nearest == "any_database" and "postgresql" in names


def _twin(nodeid: str) -> str:
    head, _, parameters = nodeid.rpartition("[")
    return f"{head}[{parameters.replace('postgresql', 'sqlite')}"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Has `short_on` leave other databases to the long forms, unless some are asked for."""
    mark, given = item.get_closest_marker("short_on"), getattr(item, "callspec", None)
    if mark is None or given is None or item.config.getoption("--every-database"):
        return
    database = given.params.get("hall_database")
    if database not in (None, *mark.args) and not item.config.getoption("--hall-database"):
        item.add_marker(pytest.mark.long_form)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shows with `--backwards` which tests of a module depend on those before them."""
    if config.getoption("--backwards"):
        modules = groupby(items, key=lambda item: (item.path, "postgresql" in item.name))
        items[:] = [item for _, tests in modules for item in reversed(list(tests))]


def pytest_collection_finish() -> None:
    """Spares the garbage collector what was imported and collected: it stays."""
    _settle()


_finished = count(1)


def pytest_runtest_logfinish() -> None:
    if next(_finished) % _SETTLED_AFTER == 0:
        _settle()


def _settle() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Nobody collects garbage meanwhile: that of all tests before would count as what is measured here."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def slowness() -> Callable[[], float]:
    """How many times longer code takes here and now than where the limits of tests were written."""
    from guildhall_testing import heartbeat

    return heartbeat.slowness


@pytest.fixture
def thread_steps(
    monkeypatch: pytest.MonkeyPatch, no_collection: None, slowness: Callable[[], float]
) -> list[float]:
    """How many seconds of a processor each step took on the threads that all companies share.

    A slow or busy machine is allowed for.
    """
    from libs.fair_slots import FairThread, Steps

    machine = slowness()
    taken: list[float] = []
    run_steps = FairThread.run_steps

    def timed(steps: Steps[object]) -> Steps[object]:
        while True:
            begun = time.thread_time()
            try:
                next(steps)
            except StopIteration as end:
                return end.value
            finally:
                taken.append((time.thread_time() - begun) / machine)
            yield

    async def run_timed(thread: FairThread, holder: str, steps: Steps[object]) -> object:
        return await run_steps(thread, holder, timed(steps))

    monkeypatch.setattr(FairThread, "run_steps", run_timed)
    return taken


@pytest.fixture(scope="session")
def roles(pytestconfig: pytest.Config) -> Any:
    """What the roles hold by the permissions of the plugins that ship."""
    from guildhall_testing.selection import roles_of

    return roles_of(pytestconfig)


@pytest.fixture
def make_plugin() -> Callable[..., Any]:
    """`make_plugin("toy", routes=[…], handlers={…}, on_start=…)`: a plugin as an object, not a file."""

    def make(
        plugin_id: str = "toy", *, requires: Sequence[str] = (), essential: bool = False, **brought: Any
    ) -> Any:
        title = plugin_id.title()
        manifest = Plugin(plugin_id, title, "1.0", "A toy.", requires=requires, essential=essential)
        plugin = SimpleNamespace(PLUGIN=manifest)
        for name, thing in brought.items():
            if name.startswith(("on_", "decide_")):
                setattr(plugin, name, hookimpl(thing))
            else:
                setattr(plugin, f"declare_{name}", _declaration(name, thing))
        return plugin

    return make


def _declaration(name: str, thing: Any) -> Callable[[], Any]:
    @hookimpl
    def declare() -> Any:
        return Migrations(thing) if name == "migrations" else thing

    return declare
