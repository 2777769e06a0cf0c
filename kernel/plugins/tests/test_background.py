"""Work that a plugin owns: begun again when it fails, ended before the database closes, and `on_stop`."""

import asyncio
import logging

import pytest

from guildhall_sdk import Statement, Unavailable
from guildhall_sdk.services.tenancy import Directory

pytestmark = pytest.mark.hall_databases("sqlite")

PATIENCE_SECONDS = 60
_ONE = Statement("one", "SELECT 1 AS one", "SELECT 1 AS one")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("libs.coordination.background.FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr("libs.coordination.background.LONGEST_PAUSE_SECONDS", 0.04)


@pytest.fixture
def begin(make_plugin):
    """`begin(run)`: a plugin that begins this at its start; `plugin.works` has what the host gave back."""

    def begin(run, plugin_id="toy", **more):
        works = []

        async def on_start(host):
            works.append(host.background("spinning", lambda: run(host)))

        plugin = make_plugin(plugin_id, on_start=on_start, **more)
        plugin.works = works
        return plugin

    return begin


def logged(caplog, action):
    return [record for record in caplog.records if record.msg == action]


async def test_work_that_fails_is_logged_and_begun_again_later_each_time(open_hall, begin, caplog):
    cancelled = asyncio.get_running_loop().create_future()
    cancelled.cancel()
    faults = [RuntimeError("no"), SystemExit("no"), Unavailable("busy"), cancelled, None]

    async def spin(host):
        match faults.pop(0):
            case None:
                return
            case BaseException() as fault:
                raise fault
            case elsewhere:
                await elsewhere

    plugin = begin(spin)
    with caplog.at_level(logging.WARNING, "guildhall"):
        async with open_hall(plugin), asyncio.timeout(PATIENCE_SECONDS):
            (work,) = plugin.works
            await work.wait()
    assert (work.ended, faults) == (True, [])
    lines = logged(caplog, "background.failed")
    assert {(line.fields["plugin"], line.fields["work"]) for line in lines} == {("toy", "spinning")}
    assert [line.fields["again_seconds"] for line in lines] == [0.01, 0.02, 0.04, 0.04]
    assert [line.levelname for line in lines] == ["ERROR", "ERROR", "WARNING", "ERROR"]


async def test_work_is_ended_and_awaited_while_the_database_is_open(open_hall, begin, caplog):
    seen = []

    async def spin(host):
        try:
            await asyncio.Event().wait()
        finally:
            async with host.data.read() as reader:
                seen.append((await reader.one(_ONE))["one"])

    with caplog.at_level(logging.WARNING, "guildhall"):
        async with open_hall(begin(spin)):
            pass
    assert (seen, caplog.records) == ([1], [])


async def test_work_that_does_not_end_is_named_and_waited_for_no_longer(
    open_hall, begin, caplog, monkeypatch
):
    monkeypatch.setattr("libs.coordination.background.STOP_SECONDS", 0.05)
    free = asyncio.Event()

    async def spin(host):
        while not free.is_set():
            try:
                await free.wait()
            except asyncio.CancelledError:
                continue

    with caplog.at_level(logging.ERROR, "guildhall"):
        async with open_hall(begin(spin)):
            pass
    (line,) = logged(caplog, "background.not_stopped")
    assert (line.fields["plugin"], line.fields["work"]) == ("toy", "spinning")
    free.set()


async def test_work_can_be_ended_by_its_plugin_and_none_begins_after_the_stop(open_hall, begin):
    begun = []

    async def spin(host):
        begun.append(host)
        await asyncio.Event().wait()

    plugin = begin(spin)
    async with open_hall(plugin), asyncio.timeout(PATIENCE_SECONDS):
        (work,) = plugin.works
        assert not work.ended
        await work.cancel()
        assert work.ended
    (host,) = begun
    late = host.background("late", lambda: spin(host))
    await late.wait()
    assert (late.ended, len(begun)) == (True, 1)


async def test_work_is_a_function_and_not_what_it_returns(hall):
    with pytest.raises(TypeError, match="the work spinning of kernel is no function"):
        hall.server.host.background("spinning", asyncio.get_running_loop().create_future())


async def test_the_work_of_a_plugin_that_is_taken_out_ends_with_it(open_with, make_plugin):
    works = []

    async def on_start(host):
        works.append(host.background("spinning", asyncio.Event().wait))
        raise RuntimeError("no")

    async with open_with(make_plugin("toy", on_start=on_start)):
        assert [work.ended for work in works] == [True]


async def test_on_stop_is_called_backwards_when_nothing_else_of_the_plugins_runs(
    open_with, make_plugin, begin, caplog
):
    stopped, works = [], []

    def stopping(plugin_id, fault=None, **more):
        async def on_stop(host):
            async with host.data.read() as reader:
                assert await host.service(Directory).has_users(reader)
            stopped.append((plugin_id, [work.ended for work in works]))
            if fault is not None:
                raise fault

        return {"plugin_id": plugin_id, "on_stop": on_stop, **more}

    async def spin(host):
        await asyncio.Event().wait()

    async def fail(host):
        raise RuntimeError("no")

    first = begin(spin, **stopping("first"))
    plugins = [
        first,
        make_plugin(**stopping("second", SystemExit("no"), requires=["first"])),
        make_plugin(**stopping("failed", on_start=fail)),
        make_plugin(**stopping("third", requires=["second"])),
    ]
    works = first.works
    with caplog.at_level(logging.ERROR, "guildhall"):
        async with open_with(*plugins):
            caplog.clear()
    assert stopped == [("third", [True]), ("second", [True]), ("first", [True])]
    (line,) = logged(caplog, "plugin.hook_failed")
    assert (line.fields["plugin"], line.fields["hook"]) == ("second", "on_stop")


async def test_an_on_stop_that_hangs_is_given_up(open_hall, make_plugin, caplog, monkeypatch):
    monkeypatch.setattr("kernel.plugins.hooks.ON_TIMEOUT", 0.5)

    async def on_stop(host):
        await asyncio.Event().wait()

    with caplog.at_level(logging.ERROR, "guildhall"):
        async with open_hall(make_plugin("toy", on_stop=on_stop)):
            pass
    assert [line.fields["hook"] for line in logged(caplog, "plugin.hook_failed")] == ["on_stop"]


async def test_a_boot_that_is_refused_stops_what_had_started(open_with, make_plugin, begin):
    stopped = []

    async def on_stop(host):
        stopped.append(host.plugin_id)

    async def spin(host):
        await asyncio.Event().wait()

    async def fail(host):
        raise RuntimeError("no")

    first = begin(spin, "first", on_stop=on_stop)
    needed = make_plugin("needed", essential=True, on_start=fail, on_stop=on_stop)
    with pytest.raises(Exception, match="the plugin needed cannot be loaded"):
        async with open_with(first, needed):
            pass
    assert (stopped, [work.ended for work in first.works]) == (["first"], [True])


async def test_work_whose_cancel_scopes_take_back_the_cancellation_ends_all_the_same(
    open_hall, begin, caplog
):
    runs = []

    async def spin(host):
        runs.append(host)
        try:
            await asyncio.sleep(3600)
        finally:
            asyncio.current_task().uncancel()

    with caplog.at_level(logging.WARNING, "guildhall"):
        async with open_hall(begin(spin)):
            await asyncio.sleep(0)
    assert len(runs) == 1
    assert logged(caplog, "background.failed") == []
