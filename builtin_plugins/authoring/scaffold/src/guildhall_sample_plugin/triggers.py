"""What happens when a file is uploaded: it is delivered as a job, once it is committed."""

from collections.abc import Sequence

from guildhall_sdk import Actor, EventCall, Subscription, Writer, hookimpl
from guildhall_sdk.subscriptions import OBJECT_WRITTEN, ObjectWritten


async def note_upload(call: EventCall) -> None:
    async with call.host.data.read() as reader:
        who = await call.job.principal(reader)
    if not who.may("files:read"):
        return
    written: ObjectWritten = call.payload
    actor = Actor(who.username, who.user_id, who.org_id, who.team_id)

    async def record(writer: Writer) -> None:
        writer.audit("upload.noticed", ("object", written.object_id), actor=actor)

    # In the transaction that ends the delivery: it happens once, however often it is tried.
    call.on_success(record)


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    return [
        Subscription(
            name="uploads",
            event=OBJECT_WRITTEN.name,
            handler=note_upload,
            doc="Notices each new file in the audit trail.",
            where={"created": True, "derived": False},
        ),
    ]
