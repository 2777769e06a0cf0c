"""The child that reads a document is bound and closed before it touches the first byte that matters."""

import asyncio
import json
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from builtin_plugins.repo.extraction import Extractor
from libs.sandbox.launch import ENVIRONMENT, confined_command

PROBE = """
import ctypes, json, os, resource, signal
from libs.sandbox import Bounds, bind, confine
kept = os.dup(0)
bind(Bounds(memory_bytes=200 << 20, cpu_seconds=7, wall_seconds=9), os.getppid())
parents_death, dumpable = ctypes.c_int(0), ctypes.CDLL(None).prctl(3)
ctypes.CDLL(None).prctl(2, ctypes.byref(parents_death))
names = ("AS", "CPU", "FSIZE", "CORE", "NPROC")
limits = {name: resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in names}
alarm = signal.getitimer(signal.ITIMER_REAL)[0]
confine()
def outcome(deed):
    try:
        deed()
    except Exception as error:
        return type(error).__name__
    return "done"
said = {"import": outcome(lambda: __import__("wave")), "descriptor": outcome(lambda: os.read(kept, 1))}
said |= {"parents_death": parents_death.value, "dumpable": dumpable, "limits": limits, "alarm": alarm}
os.write(1, json.dumps(said).encode())
os._exit(0)
"""
ENDLESS = ("a" + "\u0301" * 900_000 + "\u0323" * 900_000).encode()


@pytest.fixture(scope="module")
def probed():
    done = subprocess.run(
        confined_command(PROBE),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=dict(ENVIRONMENT),
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_module_that_is_not_loaded_is_missing_and_nothing_worse(probed):
    """Parsers are used to that: what they can do without, they do without."""
    assert probed["import"] == "ModuleNotFoundError"


def test_a_descriptor_that_was_left_open_is_closed(probed):
    assert probed["descriptor"] == "OSError"


def test_a_bound_child_is_killed_when_its_parent_dies(probed):
    assert probed["parents_death"] == signal.SIGKILL


def test_neighbours_cannot_look_into_a_bound_child(probed):
    assert probed["dumpable"] == 0


def test_a_bound_child_ends_by_itself(probed):
    bounds = {"AS": [200 << 20, 200 << 20], "CPU": [7, 8], "FSIZE": [0, 0], "CORE": [0, 0], "NPROC": [0, 0]}
    assert probed["limits"] == bounds
    assert 0 < probed["alarm"] <= 9


async def test_the_child_that_reads_is_closed_and_leads_its_own_group(tmp_path, monkeypatch):
    """As the kernel tells of it while it reads."""
    started = asyncio.get_running_loop().create_future()
    start = asyncio.create_subprocess_exec

    async def starting(*command, **options):
        child = await start(*command, **options)
        started.set_result(child.pid)
        return child

    monkeypatch.setattr("asyncio.create_subprocess_exec", starting)
    path = tmp_path / "endless"
    path.write_bytes(ENDLESS)
    with path.open("rb") as document:
        reading = asyncio.create_task(Extractor().extract(document, "text/plain", "a.txt"))
        pid = await started
        try:
            status = await asyncio.to_thread(status_once_filtered, pid)
            assert status["NoNewPrivs"] == "1"
            assert os.getpgid(pid) == os.getsid(pid) == pid
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading


def status_once_filtered(pid):
    """Raises when the child ends without a filter: it is not listed then."""
    while True:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        status = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if status["Seccomp"] == "2":
            return status
