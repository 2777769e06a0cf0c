"""`guildhall top` beside a server of its own process, in a terminal and without one."""

import asyncio
import os
import pty
import sys
from pathlib import Path

import pytest

from tests import commands
from tests.process.conftest import serving
from tests.processes import free_port

ROOT = Path(__file__).resolve().parents[2]


def environment(site, address):
    bind = address.removeprefix("http://")
    return {**commands.bare_environment(), **site.environment(), "SERVICE_BIND": bind, "TERM": "xterm"}


async def run_top(environ, *options, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE):
    return await asyncio.create_subprocess_exec(
        *(Path(sys.executable).with_name("guildhall"), "top", *options),
        stdin=stdin,
        stdout=stdout,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, **environ},
    )


@pytest.mark.short_on("sqlite")
async def test_top_needs_no_token_and_ends_by_q(hall_sites, hall_database):
    async with hall_sites.lease(hall_database) as site, serving(site) as server, asyncio.timeout(60):
        environ = environment(site, server.base_url)
        once = await run_top(environ, "--once")
        printed, errors = await once.communicate()
        assert once.returncode == 0, errors
        assert b"requests" in printed and b"ready" in printed and hall_database.encode() in printed

        ours, theirs = pty.openpty()
        live = await run_top(environ, "--every", "0.2", stdin=theirs, stdout=theirs)
        os.close(theirs)
        shown = b""
        while shown.count(b"busy companies") < 3:  # it goes on by itself
            shown += await asyncio.to_thread(os.read, ours, 65536)
        os.write(ours, b"q")
        while b"\x1b[?1049l" not in shown:  # the terminal is as it was
            shown += await asyncio.to_thread(os.read, ours, 65536)
        assert await live.wait() == 0
        os.close(ours)


@pytest.mark.short_on("sqlite")
async def test_top_says_where_nobody_answers(hall_sites, hall_database):
    async with hall_sites.lease(hall_database) as site, asyncio.timeout(60):
        address = f"http://127.0.0.1:{free_port()}"
        alone = await run_top(environment(site, address), "--once")
        printed, errors = await alone.communicate()
        assert alone.returncode == 2 and not printed
        assert address.encode() in errors and b"guildhall serve" in errors
        assert errors.count(b"\n") == 1
