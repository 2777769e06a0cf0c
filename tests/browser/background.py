"""A tab that nobody looks at. Playwright holds every page in front, so this one is driven without it."""

import asyncio
import fcntl
import itertools
import json
import os
import shutil
import subprocess
from contextlib import asynccontextmanager

from guildhall_testing.browser import EXECUTABLE

_ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-pipe")
_ABOVE = 20  # where the ends of the pipes are out of the way of 3 and 4, which Chromium reads and writes


class Chromium:
    """Speaks the DevTools protocol over pipes: commands one at a time."""

    def __init__(self, reader, write_end):
        self._reader, self._write_end = reader, write_end
        self._numbers = itertools.count(1)

    async def call(self, method, session=None, **params):
        number = next(self._numbers)
        command = {"id": number, "method": method, "params": params}
        if session is not None:
            command["sessionId"] = session
        os.write(self._write_end, json.dumps(command).encode() + b"\0")
        while True:
            message = json.loads((await self._reader.readuntil(b"\0"))[:-1])
            if message.get("id") == number:
                return message.get("result", {})  # nothing, where a document went away meanwhile

    async def open_tab(self, url):
        """Opens a tab in front of the others, and returns what evaluates in it."""
        target = (await self.call("Target.createTarget", url=url))["targetId"]
        session = (await self.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]

        async def evaluate(expression):
            found = await self.call(
                "Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True
            )
            assert "exceptionDetails" not in found, found
            return found.get("result", {}).get("value")

        return evaluate


@asynccontextmanager
async def running_chromium(profile):
    """Runs a Chromium whose tabs are in the background unless they are in front."""
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for end in (*os.pipe(), *os.pipe())]
    commands, write_end, read_end, answers = ends

    def connect():
        os.dup2(commands, 3)
        os.dup2(answers, 4)

    process = subprocess.Popen(  # noqa: ASYNC220
        [shutil.which(EXECUTABLE), *_ARGUMENTS, f"--user-data-dir={profile}", "about:blank"],
        preexec_fn=connect,
        close_fds=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(commands)
    os.close(answers)
    reader = asyncio.StreamReader(limit=2**24)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb")
    )
    try:
        yield Chromium(reader, write_end)
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)
        transport.close()
        os.close(write_end)
