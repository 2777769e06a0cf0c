"""What becomes of schedules with whom they act as: they rest with a suspension, and stop with a leave."""

from dataclasses import replace

from builtin_plugins.schedules.planning import Planner
from builtin_plugins.schedules.schedule import Schedule, sql
from builtin_plugins.schedules.starting import stop
from guildhall_sdk import Actor, EventCall, Subscription
from guildhall_sdk.subscriptions import MEMBER_LEFT, MEMBER_RESUMED, MEMBER_SUSPENDED

_LEFT = (
    "person_removed",
    "Whoever this acts as is not in the team any more; turn it on to have it act as you.",
)
_SUSPENDED = ("person_suspended", "Whoever this acts as is suspended; it goes on when they are back.")


async def stop_with_person(call: EventCall) -> None:
    """Stops each in a transaction of its own; one of somebody who has come back meanwhile goes on."""
    host, team_id = call.host, call.origin.team_id
    code, message = _SUSPENDED if call.event == MEMBER_SUSPENDED.name else _LEFT
    async with host.data.read() as reader:
        rows = await reader.all(sql.going_on_of, team_id=team_id, user_id=call.payload.user_id)
    for row in rows:
        async with host.data.write(_system(call)) as writer:
            await writer.one(sql.lock, id=row["id"], team_id=team_id)
            found = await writer.one(sql.schedule, id=row["id"], team_id=team_id)
            schedule = None if found is None else Schedule.of(found)
            if schedule is None or schedule.owner_id != call.payload.user_id or not schedule.goes_on:
                continue
            await stop(host, writer, schedule, code, message)
            await host.service(Planner).forget(writer, team_id, schedule.job_id)


async def go_on_with_person(call: EventCall) -> None:
    """Has those go on that rested, with their next time: in a rest nothing was missed."""
    host, team_id = call.host, call.origin.team_id
    async with host.data.read() as reader:
        rows = await reader.all(sql.resting_of, team_id=team_id, user_id=call.payload.user_id)
    for row in rows:
        async with host.data.write(_system(call)) as writer:
            await writer.one(sql.lock, id=row["id"], team_id=team_id)
            found = await writer.one(sql.schedule, id=row["id"], team_id=team_id)
            schedule = None if found is None else Schedule.of(found)
            if schedule is None or schedule.stop is None or schedule.stop.code != _SUSPENDED[0]:
                continue
            due_at = schedule.times.after(host.clock.now_ms()) if schedule.enabled else None
            going_on = replace(schedule, stop=None, due_at=due_at)
            await writer.run(sql.update_schedule, **going_on.stored())
            await host.service(Planner).plan(writer, going_on)


def _system(call: EventCall) -> Actor:
    return Actor("system", org_id=call.origin.org_id, team_id=call.origin.team_id)


SUBSCRIPTIONS = tuple(
    Subscription(name=name, event=event.name, handler=handler, doc=doc)
    for name, event, handler, doc in (
        (
            "on-suspension",
            MEMBER_SUSPENDED,
            stop_with_person,
            "Has the schedules of a suspended person rest.",
        ),
        ("on-leaving", MEMBER_LEFT, stop_with_person, "Stops the schedules of who left the team."),
        ("on-resumption", MEMBER_RESUMED, go_on_with_person, "Has the schedules go on that rested."),
    )
)
