"""Events that steps wait for: any that plugins declare, and ends of jobs while somebody waits for one."""

import asyncio
import json
from collections.abc import Collection
from contextlib import suppress

from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.statements import STEP_KIND, event_sql, store_sql
from builtin_plugins.workflows.runs.waits import EVENT_KEY
from guildhall_sdk import Event, EventCall, Host, Reader, Subscription, UserError, Writer, rfc3339
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.subscriptions import EVERY_EVENT, JOB_ENDED, Events
from libs.records import content_of

_ON_EVENT = "waits-for-events"
_SUBSCRIPTION = f"workflows.{_ON_EVENT}"
# News may be lost: then somebody looks.
_LOOK_EVERY_SECONDS = 5.0


def check_event(host: Host, name: str) -> None:
    """Raises `UserError` `unknown_event` for what no plugin declares, and never comes."""
    names = {event.name for event in host.service(Plugins).declared(Event)}
    if name not in names:
        message = f"There is no event {name[:80]}; there are {', '.join(sorted(names))}."
        raise UserError(message, code="unknown_event")


async def _end_waits(call: EventCall) -> None:
    """Has the steps of the event's team go on that wait for it, once with the end of the delivery."""
    if call.event == JOB_ENDED.name and call.payload.kind == STEP_KIND:
        return  # a step, such as the one that waits; `run.ended` says what became of the run
    data = content_of(call.payload)
    event = {**data, "type": call.event, "timestamp": rfc3339(call.at), "data": data}
    waits, team_id = call.host.service(RunEngine).waits, call.origin.team_id

    async def may_hear(writer: Writer, run_id: str) -> bool:
        return await _may_hear(call, writer, run_id)

    async def fire(writer: Writer) -> None:
        key = f"{EVENT_KEY}{call.event}"
        await waits.fire(writer, team_id, key, {"event": event}, data=data, begun_by=call.at, may=may_hear)

    call.on_success(fire)


async def _may_hear(call: EventCall, reader: Reader, run_id: str) -> bool:
    """Tells whether whoever a run acts as may hear of the event now."""
    host, team_id = call.host, call.origin.team_id
    events = host.service(Plugins).declared(Event)
    readable = next((one.readable for one in events if one.name == call.event), None)
    run = await reader.one(store_sql.run, id=run_id, team_id=team_id)
    if run is None or readable is None:
        return run is not None
    scope = None if run["scope"] is None else frozenset(json.loads(run["scope"]))
    who = await host.service(Credentials).acting(
        reader, user_id=run["created_by"], team_id=team_id, scope=scope, asked_with=run["asked_with"]
    )
    return who is not None and await readable(host, reader, who, call.payload)


ON_EVENT = Subscription(
    name=_ON_EVENT,
    event=EVERY_EVENT,
    handler=_end_waits,
    doc="Has runs go on that wait for an event.",
    optional=True,
    wanted=event_sql.who_waits,
    possible=event_sql.any_of_team,
)


class EndsOfJobs:
    """Has jobs end without a word where no run of their team waits for one: every step is a job.

    A run that begins to wait for the end of a job is known to this process at once, and to others within
    moments. What the subscription hears of the other events depends on nothing here.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._news = host.news("workflow-waits")
        self._woken = asyncio.Event()
        self._teams: Collection[str] = ()

    def awaited(self, writer: Writer, team_id: str) -> None:
        """Says that a run of a team waits for the end of a job, once the transaction commits."""

        def hear() -> None:
            self._narrow({*self._teams, team_id})
            self._news.announce({})

        writer.after_commit(hear)

    def _narrow(self, teams: Collection[str]) -> None:
        self._teams = teams
        heard: dict[str, Collection[str] | None] = {
            event.name: None for event in self._host.service(Plugins).declared(Event)
        }
        heard.pop(JOB_ENDED.name, None)
        if teams:
            heard[JOB_ENDED.name] = teams
        self._host.service(Events).narrow(_SUBSCRIPTION, heard)

    async def look(self) -> None:
        """Reads whose runs wait for the end of a job."""
        async with self._host.data.read() as reader:
            rows = await reader.all(event_sql.teams_that_wait_for_jobs)
        self._narrow({row["team_id"] for row in rows})

    async def follow(self) -> None:
        """Looks again and again; while that fails every end is heard."""
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_EVERY_SECONDS):
                        await self._woken.wait()
                self._woken.clear()
                await self.look()
        finally:
            self._host.service(Events).narrow(_SUBSCRIPTION, None)

    async def listen(self) -> None:
        """Looks at once where another process says that a run waits."""
        with self._news.listen() as announcements:
            async for _ in announcements:
                self._woken.set()
