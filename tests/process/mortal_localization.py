"""A server that imports and exports a language, and kills itself before one of the steps of that.

A step is a statement or a commit of a write, or a call that changes what is on the disk.
"""

import asyncio
import os
import signal
import sys
from typing import Any

import httpx

from guildhall_testing.servers import listening, running_server, settings_from
from guildhall_testing.statements import StatementCall, before_commits, before_statements

PART = 100
_counted = 0
_under_way = False


def step() -> None:
    global _counted
    _counted += _under_way
    if _under_way and _counted == int(os.environ["DIES_AT"]):
        os.kill(os.getpid(), signal.SIGKILL)


def count_steps() -> None:
    def step_of_a_write(call: StatementCall) -> None:
        if call.writing:
            step()

    before_statements(setattr, step_of_a_write)
    before_commits(setattr, step)
    for name in ("open", "write", "fsync", "fchmod", "replace", "unlink", "mkdir"):
        setattr(os, name, _dying(getattr(os, name)))


def _dying(call: Any) -> Any:
    def counted(*arguments: Any, **options: Any) -> Any:
        step()
        return call(*arguments, **options)

    return counted


async def live() -> None:
    global _under_way
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    async with running_server(settings_from(os.environ)) as server, listening(server) as addresses:
        sys.modules["builtin_plugins.l10n.messages.importing"].PART = PART  # type: ignore[attr-defined]
        count_steps()
        async with httpx.AsyncClient(
            base_url=addresses["main"], headers=headers, trust_env=False, timeout=60
        ) as http:
            _under_way = True
            for what in ("import", "export"):
                answer = await http.post(f"/api/l10n/{what}", json={"locale": "nl"})
                sys.stdout.write(f"{what} {answer.status_code}\n")
            _under_way = False
    sys.stdout.write(f"steps {_counted}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(live())
