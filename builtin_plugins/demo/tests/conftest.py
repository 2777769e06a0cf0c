"""`guildhall dev` in a process of its own, whose words are read as they come."""

import asyncio
import signal

import pytest

from tests import commands


class Session:
    """A running `guildhall dev`, whose words are read as they come."""

    def __init__(self, process):
        self.process = process
        self.said = ""

    async def until(self, words):
        begun = len(self.said)
        async with asyncio.timeout(120):
            while words not in self.said[begun:]:
                line = await self.process.stdout.readline()
                assert line, self.said
                self.said += line.decode()
        return self.said[begun:]


@pytest.fixture
async def dev(tmp_path):
    """`await dev(path, …)`: a session, ended by Ctrl-C, that leaves nothing behind."""
    folder, browser = tmp_path / "temporary", tmp_path / "browser"
    folder.mkdir()
    browser.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\n')
    browser.chmod(0o700)
    sessions = []

    async def start(*words):
        environ = commands.bare_environment(TMPDIR=str(folder), BROWSER=f"{browser} %s")
        process = await commands.start(environ, "dev", "--port", "0", *words)
        sessions.append(Session(process))
        return sessions[-1]

    yield start
    for session in sessions:
        session.process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(session.process.wait(), 60) == 0, session.said
    assert list(folder.iterdir()) == []
