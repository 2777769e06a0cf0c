"""A server that imports and exports a language, and kills itself before one of the steps of that.

A step is a statement or a commit of a write, or a call that changes what is on the disk.
"""

import asyncio
import os
import signal
import sys
from typing import Any

import httpx

from guildhall_sdk import Statement
from kernel.boot import Server
from kernel.config import Settings
from kernel.db.scopes import ScopedWriter
from kernel.listening import bound_socket, listen

PART = 100
_counted = 0
_under_way = False


def step() -> None:
    global _counted
    _counted += _under_way
    if _under_way and _counted == int(os.environ["DIES_AT"]):
        os.kill(os.getpid(), signal.SIGKILL)


def count_steps() -> None:
    run, settle = ScopedWriter.all, ScopedWriter.settle

    async def dying_all(self: Any, statement: Statement, **binds: Any) -> Any:
        step()
        return await run(self, statement, **binds)

    async def dying_settle(self: Any) -> None:
        await settle(self)
        step()

    ScopedWriter.all = dying_all  # type: ignore[method-assign,assignment]
    ScopedWriter.settle = dying_settle  # type: ignore[method-assign]
    for name in ("open", "write", "fsync", "fchmod", "replace", "unlink", "mkdir"):
        setattr(os, name, _dying(getattr(os, name)))


def _dying(call: Any) -> Any:
    def counted(*arguments: Any, **options: Any) -> Any:
        step()
        return call(*arguments, **options)

    return counted


async def live() -> None:
    global _under_way
    server = Server(Settings.from_environment(os.environ))
    await server.start()
    sys.modules["builtin_plugins.l10n.messages.importing"].PART = PART  # type: ignore[attr-defined]
    listener, stopping = bound_socket("127.0.0.1:0"), asyncio.Event()
    listening = asyncio.create_task(listen(server.app, listener, stopping))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    count_steps()
    async with httpx.AsyncClient(base_url=url, headers=headers, trust_env=False, timeout=60) as http:
        _under_way = True
        for what in ("import", "export"):
            answer = await http.post(f"/api/l10n/{what}", json={"locale": "nl"})
            sys.stdout.write(f"{what} {answer.status_code}\n")
        _under_way = False
    stopping.set()
    await listening
    await server.stop()
    sys.stdout.write(f"steps {_counted}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(live())
