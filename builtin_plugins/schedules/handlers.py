"""HTTP in and out."""

from builtin_plugins.schedules.schedule import Schedule
from builtin_plugins.schedules.service import Schedules
from builtin_plugins.schedules.times import UTC, check_times, times_of, upcoming
from guildhall_sdk import Call, Reply, created, no_content, page, page_bounds, rfc3339
from guildhall_sdk.replies import accepted
from guildhall_sdk.services.workflows import Workflows
from libs.fair_slots import BODIES


async def list_schedules(call: Call) -> Reply:
    before, fetched = page_bounds(call.query)
    schedules, caller = call.service(Schedules), call.principal
    await schedules.ready_made.materialize(caller)
    async with call.read() as reader:
        found, next_cursor = await schedules.page(reader, caller, before, fetched)
    # Times that are years apart take a while to find.
    items = [await BODIES.run(caller.org_id, one.public, call.now_ms) for one in found]
    return page(items, next_cursor)


async def create_schedule(call: Call) -> Reply:
    async with call.write() as writer:
        schedule = await call.service(Schedules).create(writer, call.principal, call.body)
        shown = await _shown(call, schedule)
    return created(shown, f"/api/schedules/{schedule.id}")


async def get_schedule(call: Call) -> Reply:
    async with call.read() as reader:
        schedule = await call.service(Schedules).find(reader, call.principal, call.params["id"])
    return Reply(await _shown(call, schedule))


async def change_schedule(call: Call) -> Reply:
    async with call.write() as writer:
        schedule = await call.service(Schedules).change(writer, call.principal, call.params["id"], call.body)
        shown = await _shown(call, schedule)
    return Reply(shown)


async def delete_schedule(call: Call) -> Reply:
    async with call.write() as writer:
        await call.service(Schedules).delete(writer, call.principal, call.params["id"])
    return no_content()


async def run_schedule(call: Call) -> Reply:
    async with call.write() as writer:
        run = await call.service(Schedules).run_now(writer, call.principal, call.params["id"])
        run_json = await call.service(Workflows).read(writer, call.principal, run.id)
    return accepted(run_json, f"/api/runs/{run.id}")


async def preview_times(call: Call) -> Reply:
    """Answers the next times of what is not saved yet."""
    asked = {"cron": None, "every_seconds": None, "timezone": UTC, **call.query}
    check_times(asked, call.now_ms)
    times = times_of(asked["cron"], asked["every_seconds"], asked["timezone"], call.now_ms)
    found = await BODIES.run(call.principal.org_id, upcoming, times, call.now_ms)
    return Reply({"next": [rfc3339(time) for time in found]})


async def _shown(call: Call, schedule: Schedule) -> dict[str, object]:
    return await BODIES.run(call.principal.org_id, schedule.public, call.now_ms)


HANDLERS = {
    handler.__name__: handler
    for handler in (
        *(list_schedules, create_schedule, get_schedule, change_schedule, delete_schedule),
        *(run_schedule, preview_times),
    )
}
