"""Events on their way to webhooks: what each address wants of them, and whom a webhook acts as meanwhile."""

from builtin_plugins.webhooks.hearing import Hearing
from builtin_plugins.webhooks.hook import hook_sql
from builtin_plugins.webhooks.waiting import Happened, Waiting, system
from builtin_plugins.webhooks.webhook import FEATURE, IN_LIST, ON_EVENT, SEND, Webhook, list_changed, sql
from guildhall_sdk import EventCall, Subscription
from guildhall_sdk.subscriptions import EVERY_EVENT, JOB_ENDED, MEMBER_RESUMED
from libs.records import content_of


async def tell(call: EventCall) -> None:
    """Stores an event for each address that wants it, each in a transaction of its own."""
    if call.event == JOB_ENDED.name and call.payload.kind == SEND:
        return  # it would cause itself
    host, team_id = call.host, call.origin.team_id
    async with host.data.read() as reader:
        given = {"team_id": team_id, "event": call.event}
        ids = call.matches or [row["webhook_id"] for row in await reader.all(sql.subscribed, **given)]
        rows = [await reader.one(sql.webhook, id=webhook_id, team_id=team_id) for webhook_id in ids]
    happened, data = Happened(call.event_id, call.event, call.at, call.job.id), content_of(call.payload)
    for webhook in [Webhook.of(row) for row in rows if row is not None]:
        if webhook.goes_on and webhook.wants(data):
            async with host.data.write(system(webhook)) as writer:
                await host.service(Waiting).add(writer, webhook, happened, data)


async def go_on_with_person(call: EventCall) -> None:
    """Turns on again what stopped when its owner was suspended."""
    host, team_id = call.host, call.origin.team_id
    async with host.data.read() as reader:
        rows = await reader.all(sql.resting_of, team_id=team_id, user_id=call.payload.user_id)
    for row in rows:
        async with host.data.write() as writer:
            await writer.one(sql.lock, id=row["id"], team_id=team_id)
            await writer.run(sql.revive, id=row["id"])
            found = await writer.one(sql.webhook, id=row["id"], team_id=team_id)
            if found is not None:
                webhook = Webhook.of(found)
                for event in webhook.events:
                    await writer.run(sql.add_event, team_id=team_id, event=event, id=webhook.id)
                await host.service(Waiting).wake(writer, webhook)
                host.service(Hearing).changed(writer, team_id, webhook.events)
    async with host.data.write() as writer:
        await writer.run(hook_sql.revive_of, team_id=team_id, user_id=call.payload.user_id)
        list_changed(host, writer, IN_LIST, team_id)


SUBSCRIPTIONS = (
    Subscription(
        name=ON_EVENT,
        event=EVERY_EVENT,
        handler=tell,
        doc="Has events sent to the addresses that want them.",
        optional=True,
        feature=FEATURE,
        wanted=sql.subscribed,
    ),
    Subscription(
        name="on-resumption",
        event=MEMBER_RESUMED.name,
        handler=go_on_with_person,
        doc="Has webhooks go on, both ways, that rested with a suspended person.",
        optional=True,
    ),
)
