"""A program's loop, what it waits for, and its silence."""

import asyncio
import logging
import sys
from socket import socket

import pytest

from libs import own_process

uvloop = pytest.importorskip("uvloop")


async def name_of_loop(found):
    found.append(type(asyncio.get_running_loop()).__module__.partition(".")[0])


@pytest.mark.parametrize(("module", "name"), [(uvloop, "uvloop"), (None, "asyncio")])
def test_a_program_runs_on_uvloop_where_it_can_be_imported(monkeypatch, module, name):
    monkeypatch.setitem(sys.modules, "uvloop", module)
    found = []
    own_process.run(name_of_loop(found))
    assert found == [name]
    said = own_process.describe_loop("pip install fast")
    assert said.startswith(name) and said.endswith("pip install fast") is (module is None)


def test_the_only_process_of_a_server_binds_its_socket_once_and_when_it_is_asked_for():
    bound = []
    process = own_process.OnlyProcess(lambda: bound.append(len(bound)) or socket())
    assert (process.is_first, process.group, process.sockets, bound) == (True, None, {}, [])
    with process.listener as listener:
        assert process.listener is listener
    assert bound == [0]


async def test_a_work_is_waited_for_until_an_event_comes():
    event, work = asyncio.Event(), asyncio.get_running_loop().create_future()
    event.set()
    assert await own_process.done_before(work, event) is False
    assert not work.done()
    event.clear()
    work.set_exception(LookupError("told by whoever awaits it"))
    assert await own_process.done_before(work, event) is True
    with pytest.raises(LookupError):
        await work


async def test_work_that_an_event_overtakes_is_cancelled():
    event, ended = asyncio.Event(), []

    async def work(waiting, error=None):
        try:
            await waiting
            if error is not None:
                raise error
        finally:
            ended.append(type(sys.exception()))

    assert await own_process.finished_before(work(asyncio.sleep(0)), event) is True
    with pytest.raises(LookupError):
        await own_process.finished_before(work(asyncio.sleep(0), LookupError()), event)
    event.set()
    forever = asyncio.get_running_loop().create_future()
    assert await own_process.finished_before(work(forever), event) is False
    assert ended == [type(None), LookupError, asyncio.CancelledError]


def test_a_log_is_silent_inside_the_block_alone(caplog):
    log = logging.getLogger("libs.silenced")
    log.setLevel(logging.INFO)
    with pytest.raises(LookupError), own_process.silenced(log):
        log.error("inside")
        raise LookupError
    log.info("behind")
    assert (caplog.messages, log.level) == (["behind"], logging.INFO)
