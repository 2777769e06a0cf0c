"""A run as a stream of events: how its steps have changed, how they change, and how it ends."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

from builtin_plugins.workflows.runs.followers import RunFollowers
from builtin_plugins.workflows.runs.presentation import may_see_contents, step_head, written_if_long
from builtin_plugins.workflows.runs.statements import store_sql
from builtin_plugins.workflows.runs.store import RunStore
from builtin_plugins.workflows.runs.values import decoded
from guildhall_sdk import Host, Principal, Row
from guildhall_sdk.replies import ServerSentEvent

_PAGE = 100
# A longer output is not sent while the run goes on; the run itself has it.
_LONGEST_OUTPUT = 64 * 1024
# News may be lost: then somebody looks.
_LOOK_SECONDS = 15.0


class RunStream:
    """One follower of one run, who has seen everything up to a revision."""

    def __init__(self, host: Host, principal: Principal, run_id: str, after: int) -> None:
        self._host = host
        self._principal = principal
        self._run_id = run_id
        self._after = after
        self._store = RunStore(host)

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """Yields every change behind what the follower has seen, and at last `done` with the run."""
        followers, credential = self._host.service(RunFollowers), self._principal.credential.id
        with followers.following(self._run_id, self) as woken:
            while True:
                woken.clear()
                key = (self._after, credential)
                run, steps, contents = await followers.read_once(self._run_id, key, self._look)
                if len(steps) == _PAGE:  # few are as far behind
                    followers.forget(self._run_id, key)
                for step in steps:
                    yield await _step_event(step, contents=contents)
                    self._after = step["revision"]
                if len(steps) == _PAGE:
                    continue
                if run["state"] != "running":
                    end = await self._end(run)
                    text = await written_if_long(end)
                    data = None if text else end
                    yield ServerSentEvent(id=str(run["revision"]), event="done", data=data, text=text)
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_SECONDS):
                        await woken.wait()

    async def _look(self) -> tuple[Row, Sequence[Row], bool]:
        """Returns the run, and the steps that changed before it was read: its end comes after them."""
        async with self._host.data.read() as reader:
            run = await self._store.find(reader, self._principal, self._run_id)
            contents = await may_see_contents(self._host, reader, self._principal, run)
            steps = await reader.all(
                store_sql.steps_changed,
                run_id=self._run_id,
                after=self._after,
                up_to=run["revision"],
                longest=_LONGEST_OUTPUT if contents else -1,
                limit=_PAGE,
            )
        return run, steps, contents

    async def _end(self, run: Row) -> dict[str, Any]:
        async with self._host.data.read() as reader:
            return await self._store.show(reader, self._principal, run)


async def _step_event(step: Row, *, contents: bool) -> ServerSentEvent:
    data = {"number": step["number"], **step_head(step, contents=contents)}
    if step["output"] is not None:
        data["output"] = await decoded(step["output"])
    return ServerSentEvent(id=str(step["revision"]), event="step", data=data)
