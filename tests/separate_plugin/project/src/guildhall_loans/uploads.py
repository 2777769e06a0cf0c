"""What somebody uploads can be lent out."""

from guildhall_loans.things import LEND, add_thing
from guildhall_sdk import EventCall, Subscription, Writer, new_id
from guildhall_sdk.services.search import SearchIndex
from guildhall_sdk.subscriptions import OBJECT_WRITTEN, ObjectWritten


async def add_upload(call: EventCall) -> None:
    async with call.host.data.read() as reader:
        who = await call.job.principal(reader)
    if not who.may(LEND):
        return
    written: ObjectWritten = call.payload

    async def add(writer: Writer) -> None:
        await add_thing(
            writer,
            call.host.service(SearchIndex),
            id=new_id("thing", call.at),
            org_id=call.origin.org_id,
            team_id=call.origin.team_id,
            label=f"A file of {written.size} bytes",
            object_id=written.object_id,
        )

    call.on_success(add)


SUBSCRIPTION = Subscription(
    name="uploads",
    event=OBJECT_WRITTEN.name,
    handler=add_upload,
    doc="Lets a new file be lent out.",
    where={"created": True, "derived": False},
)
