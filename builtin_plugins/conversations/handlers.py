"""HTTP in and out."""

from builtin_plugins.conversations import asking, service, sharing, showing
from builtin_plugins.conversations import conversation as conversations
from builtin_plugins.conversations.asking import Asked, Place
from builtin_plugins.conversations.conversation import Conversation
from builtin_plugins.conversations.events import (
    ConversationFollowers,
    ConversationStream,
    list_changed,
    notify,
)
from builtin_plugins.conversations.exporting import as_json, as_markdown
from guildhall_sdk import (
    Call,
    InvalidRequest,
    NotFound,
    Reader,
    Reply,
    Writer,
    created,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.replies import accepted, encode_cursor, event_stream
from guildhall_sdk.services import notifications
from libs.grants import holder_in

_PATH = "/api/conversations"


async def list_conversations(call: Call) -> Reply:
    after, fetched = page_bounds(call.query)
    async with call.read() as reader:
        found = await service.page(reader, call.principal, call.query, after, fetched, call.now_ms)
    return page(*found)


async def create_conversation(call: Call) -> Reply:
    async with call.write() as writer:
        made = await service.create(Place.of(call, writer), call.body)
        shown = await _whole(call, writer, made)
    return created(shown, f"{_PATH}/{made.id}")


async def get_conversation(call: Call) -> Reply:
    async with call.read() as reader:
        found = await conversations.find(reader, call.principal, call.params["id"], call.now_ms)
        return Reply(await _whole(call, reader, found))


async def _whole(call: Call, reader: Reader, conversation: Conversation) -> dict[str, object]:
    """Returns a conversation with the end of its current branch, and which event that was read behind."""
    messages, before = await showing.show_branch(
        reader, call.host, call.principal, conversation, conversation.current_id, showing.SHOWN_OF_BRANCH
    )
    return {
        **conversation.public(call.principal, call.now_ms),
        "messages": messages,
        "earlier": before,
        "last_event_id": str(conversation.event_number),
    }


async def change_conversation(call: Call) -> Reply:
    async with call.write() as writer:
        changed = await service.change(Place.of(call, writer), call.params["id"], call.body)
        shown = await _whole(call, writer, changed)
    return Reply(shown)


async def delete_conversation(call: Call) -> Reply:
    async with call.write() as writer:
        await service.delete(Place.of(call, writer), call.params["id"])
    return no_content()


async def fork_conversation(call: Call) -> Reply:
    async with call.write() as writer:
        made = await service.fork(Place.of(call, writer), call.params["id"], call.body["message_id"])
        shown = await _whole(call, writer, made)
    return created(shown, f"{_PATH}/{made.id}")


async def list_messages(call: Call) -> Reply:
    """Answers all messages, or with `branch` those of the branch that ends there, the newest last."""
    after, fetched = page_bounds(call.query)
    async with call.read() as reader:
        found = await conversations.find(reader, call.principal, call.params["id"], call.now_ms)
        if "branch" in call.query:
            leaf = after or call.query["branch"]
            messages, before = await showing.show_branch(
                reader, call.host, call.principal, found, leaf, fetched - 1
            )
            return page(messages, None if before is None else encode_cursor(before))
        return page(*await showing.show_all(reader, call.host, call.principal, found, after or "", fetched))


async def ask(call: Call) -> Reply:
    async with call.read() as reader:
        found = await conversations.find(reader, call.principal, call.params["id"], call.now_ms, "edit")
    question = await asking.prepared(call, found, call.body)
    async with call.write() as writer:
        asked = await asking.ask(Place.of(call, writer), found.id, question, call.body)
    return _accepted(asked)


async def regenerate(call: Call) -> Reply:
    async with call.write() as writer:
        asked = await asking.regenerate(
            Place.of(call, writer), call.params["id"], call.params["message"], call.body
        )
    return _accepted(asked)


async def decide_tool(call: Call) -> Reply:
    given = call.params["number"]
    number = int(given) if given.isascii() and given.isdigit() and len(given) < 5 else -1
    async with call.write() as writer:
        place, decision = Place.of(call, writer), call.body["decision"]
        asked = await asking.decide(place, call.params["id"], call.params["message"], number, decision)
    return _accepted(asked)


def _accepted(asked: Asked) -> Reply:
    message, job_id = asked
    job = None if job_id is None else {"id": job_id}
    return accepted({"message": message, "job": job}, None if job_id is None else f"/api/jobs/{job_id}")


async def stop_message(call: Call) -> Reply:
    async with call.write() as writer:
        stopped = await asking.stop(Place.of(call, writer), call.params["id"], call.params["message"])
    return accepted({"message": stopped})


async def follow_conversation(call: Call) -> Reply:
    """Streams what happens in a conversation: from `Last-Event-ID` on, or what is new from now on."""
    seen = call.headers.get("last-event-id", "").strip()
    if seen and not (seen.isascii() and seen.isdigit() and len(seen) < 16):
        raise InvalidRequest("Last-Event-ID is not the id of an event of this conversation; leave it out.")
    async with call.read() as reader:
        found = await conversations.find(reader, call.principal, call.params["id"], call.now_ms)
    after = int(seen) if seen else found.event_number
    stream = ConversationStream(call.host, call.principal, found.id, after)
    followers = call.service(ConversationFollowers)
    followers.admit(stream, credential=call.principal.credential.id, company=call.principal.org_id)
    return event_stream(stream.events())


async def export_conversation(call: Call) -> Reply:
    async with call.read() as reader:
        found = await conversations.find(reader, call.principal, call.params["id"], call.now_ms)
    if call.query.get("format", "md") == "json":
        stream, ending, kind = as_json(call.host, call.principal, found), "json", "application/json"
    else:
        stream, ending, kind = (
            as_markdown(call.host, call.principal, found),
            "md",
            "text/markdown; charset=utf-8",
        )
    name = f'attachment; filename="conversation-{found.id}.{ending}"'
    return Reply(stream=stream, content_type=kind, headers={"Content-Disposition": name})


async def share_conversation(call: Call) -> Reply:
    async with call.write() as writer:
        found = await conversations.hold(writer, call.principal, call.params["id"], call.now_ms, "manage")
        await sharing.share(writer, call.principal, found, call.body, call.now_ms)
        notice = sharing.share_notice(call.principal, found, holder_in(call.body, InvalidRequest.at))
        await notifications.notify(call.host, writer, notice)
        _shared(call, writer, found)
        return await sharing.page_of_grants(writer, found, call.now_ms)


async def unshare_conversation(call: Call) -> Reply:
    async with call.write() as writer:
        found = await conversations.hold(writer, call.principal, call.params["id"], call.now_ms, "manage")
        await sharing.unshare(writer, found, call.body)
        _shared(call, writer, found)
        return await sharing.page_of_grants(writer, found, call.now_ms)


def _shared(call: Call, writer: Writer, conversation: Conversation) -> None:
    """Has streams look again at who may read, and the lists of those whom it is about."""
    notify(writer, call.host, conversation.id)
    list_changed(writer, call.host, conversation.owner_id, holder_in(call.body, InvalidRequest.at).id)


async def list_conversation_grants(call: Call) -> Reply:
    async with call.read() as reader:
        found = await conversations.find(reader, call.principal, call.params["id"], call.now_ms, "manage")
        return await sharing.page_of_grants(reader, found, call.now_ms, *page_bounds(call.query))


async def list_folders(call: Call) -> Reply:
    async with call.read() as reader:
        return page(*await service.folders(reader, call.principal, *page_bounds(call.query)))


async def create_folder(call: Call) -> Reply:
    async with call.write() as writer:
        made = await service.make_folder(Place.of(call, writer), call.body["name"])
    return created(made, f"/api/conversation-folders/{made['id']}")


async def get_folder(call: Call) -> Reply:
    async with call.read() as reader:
        found = await service.folder(reader, call.principal, call.params["id"])
    if found is None:
        raise NotFound()
    return Reply(found)


async def rename_folder(call: Call) -> Reply:
    async with call.write() as writer:
        return Reply(
            await service.rename_folder(Place.of(call, writer), call.params["id"], call.body["name"])
        )


async def delete_folder(call: Call) -> Reply:
    async with call.write() as writer:
        await service.delete_folder(Place.of(call, writer), call.params["id"])
    return no_content()


HANDLERS = {
    handler.__name__: handler
    for handler in (
        *(list_conversations, create_conversation, get_conversation, change_conversation),
        *(delete_conversation, fork_conversation, list_messages, ask, regenerate, decide_tool, stop_message),
        *(follow_conversation, export_conversation, share_conversation, unshare_conversation),
        *(list_conversation_grants, list_folders, create_folder, get_folder, rename_folder, delete_folder),
    )
}
