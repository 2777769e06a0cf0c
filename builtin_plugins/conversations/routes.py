"""The rows of conversations, and conversations for the conformance tests."""

from collections.abc import Callable
from functools import partial

from builtin_plugins.conversations import schemas
from builtin_plugins.conversations.conversation import FEATURE, USE
from guildhall_sdk import PAGE_QUERY, Factory, Route, SampleClient
from guildhall_sdk.replies import EVENT_STREAM
from guildhall_sdk.schema import listing

_PATH = "/api/conversations"
_ONE, _MESSAGE = f"{_PATH}/:id", f"{_PATH}/:id/messages/:message"
_FOLDERS = "/api/conversation-folders"
_row: Callable[..., Route] = partial(Route, permission=USE, feature=FEATURE)

ROUTES = (
    _row(
        "GET",
        _PATH,
        "list_conversations",
        "One's own conversations, pinned ones first, or those that others share",
        query=schemas.LIST_QUERY,
        reply=listing(schemas.CONVERSATION),
    ),
    _row(
        "POST",
        _PATH,
        "create_conversation",
        "Begin a conversation",
        body=schemas.CREATE,
        reply=schemas.WHOLE,
        status=201,
        max_body=schemas.MAX_PROMPT,
    ),
    _row("GET", _ONE, "get_conversation", "A conversation with its current branch", reply=schemas.WHOLE),
    _row(
        "PATCH",
        _ONE,
        "change_conversation",
        "Rename, file or pin a conversation, or show another branch; what is left out stays",
        body=schemas.CHANGE,
        reply=schemas.WHOLE,
    ),
    _row("DELETE", _ONE, "delete_conversation", "Delete a conversation with its messages", status=204),
    _row(
        "GET",
        f"{_ONE}/messages",
        "list_messages",
        "All messages of a conversation, in the order in which they were written, or those of a branch",
        query=schemas.MESSAGES_QUERY,
        reply=listing(schemas.MESSAGE),
    ),
    _row(
        "POST",
        f"{_ONE}/messages",
        "ask",
        "Ask something; the answer to come is written in the background",
        body=schemas.ASK,
        reply=schemas.ASKED,
        status=202,
        max_body=schemas.MAX_PROMPT,
    ),
    _row(
        "GET",
        f"{_ONE}/events",
        "follow_conversation",
        "What happens in a conversation as server-sent events: message, delta, tool, status and done",
        content_type=EVENT_STREAM,
    ),
    _row(
        "POST",
        f"{_MESSAGE}/stop",
        "stop_message",
        "Stop an answer; what it has said until then is kept",
        reply=schemas.STOPPED,
        status=202,
    ),
    _row(
        "POST",
        f"{_MESSAGE}/regenerate",
        "regenerate",
        "Have an answer written once more, beside the one that there is",
        body=schemas.REGENERATE,
        reply=schemas.ASKED,
        status=202,
    ),
    _row(
        "POST",
        f"{_MESSAGE}/tools/:number",
        "decide_tool",
        "Confirm or refuse a call of a tool that writes",
        body=schemas.DECIDE,
        reply=schemas.ASKED,
        status=202,
    ),
    _row(
        "POST",
        f"{_ONE}/fork",
        "fork_conversation",
        "Begin a conversation of one's own with the branch up to a message",
        body=schemas.FORK,
        reply=schemas.WHOLE,
        status=201,
    ),
    _row(
        "GET",
        f"{_ONE}/export",
        "export_conversation",
        "A conversation as a file: its current branch as Markdown, or all of it as JSON",
        query=schemas.EXPORT_QUERY,
        content_type="text/markdown",
        also_answers=("application/json",),
    ),
    _row(
        "POST",
        f"{_ONE}/share",
        "share_conversation",
        "Let somebody, or a team, read a conversation or go on with it; a second time changes it",
        body=schemas.SHARE,
        reply=schemas.GRANTS,
    ),
    _row(
        "POST",
        f"{_ONE}/unshare",
        "unshare_conversation",
        "Share a conversation with somebody, or a team, no more",
        body=schemas.UNSHARE,
        reply=schemas.GRANTS,
    ),
    _row(
        "GET",
        f"{_ONE}/grants",
        "list_conversation_grants",
        "Whom a conversation is shared with, the expired too",
        query=PAGE_QUERY,
        reply=schemas.GRANTS,
    ),
    _row(
        "GET",
        _FOLDERS,
        "list_folders",
        "One's own folders of conversations",
        query=PAGE_QUERY,
        reply=listing(schemas.FOLDER),
    ),
    _row(
        "POST",
        _FOLDERS,
        "create_folder",
        "Make a folder of conversations",
        body=schemas.NAME_FOLDER,
        reply=schemas.FOLDER,
        status=201,
    ),
    _row("GET", f"{_FOLDERS}/:id", "get_folder", "A folder of conversations", reply=schemas.FOLDER),
    _row(
        "PATCH",
        f"{_FOLDERS}/:id",
        "rename_folder",
        "Rename a folder of conversations",
        body=schemas.NAME_FOLDER,
        reply=schemas.FOLDER,
    ),
    _row("DELETE", f"{_FOLDERS}/:id", "delete_folder", "Delete a folder; what is in it stays", status=204),
)


async def make_conversation(client: SampleClient, canary: str) -> str:
    said = [{"role": "user", "text": canary}, {"role": "assistant", "text": f"So it is: {canary}"}]
    _, answer = await client.call("POST", _PATH, {"title": canary, "messages": said})
    return str(answer["id"])


async def make_message(client: SampleClient, canary: str) -> str:
    conversation_id = await make_conversation(client, canary)
    _, answer = await client.call("GET", f"{_PATH}/{conversation_id}")
    return f"{conversation_id}/{answer['current_id']}"


async def make_call(client: SampleClient, canary: str) -> str:
    return f"{await make_message(client, canary)}/0"


async def make_folder(client: SampleClient, canary: str) -> str:
    _, answer = await client.call("POST", _FOLDERS, {"name": canary[:60]})
    return str(answer["id"])


FACTORIES = (
    Factory(_ONE, make_conversation),
    Factory(_MESSAGE, make_message),
    Factory(f"{_MESSAGE}/tools/:number", make_call, tenant=False),  # a place in a list
    Factory(f"{_FOLDERS}/:id", make_folder),
)
