"""A program runs on uvloop where it can be imported, and else on asyncio's own loop."""

import asyncio
import sys

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
