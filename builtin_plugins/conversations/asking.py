"""Asking in a conversation: questions, the same answer anew, confirmations of tools, and stopping."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from builtin_plugins.conversations import conversation as conversations
from builtin_plugins.conversations import tools
from builtin_plugins.conversations.choosing import choose_model
from builtin_plugins.conversations.conversation import Conversation, search_words, title_of
from builtin_plugins.conversations.ending import Ended
from builtin_plugins.conversations.events import MESSAGE, NewEvent, add, list_changed
from builtin_plugins.conversations.message import Message, NewMessage, encoded, insert, sql, text_of
from builtin_plugins.conversations.prompting import check_documents
from builtin_plugins.conversations.showing import show_messages
from builtin_plugins.conversations.turn import KIND
from guildhall_sdk import Call, Conflict, Forbidden, Host, InvalidRequest, NewJob, NotFound, Principal, Writer
from guildhall_sdk.services.computing import JsonSchemas
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.search import Retrieval
from libs.fair_slots import BODIES

MAX_MESSAGES = 10_000
MAX_UNDER_WAY = 8
_ASKED = ("sources", "tools", "model", "executor", "temperature", "response_format")

Asked = tuple[dict[str, Any], str | None]


class Place(NamedTuple):
    """Where something is written: the running server, by whom and when."""

    host: Host
    writer: Writer
    caller: Principal
    now_ms: int

    @classmethod
    def of(cls, call: Call, writer: Writer) -> "Place":
        return cls(call.host, writer, call.principal, call.now_ms)


def parts_of(prompt: str | Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns a prompt as a message keeps it."""
    if isinstance(prompt, str):
        return [{"type": "text", "text": prompt}]
    return [dict(part) for part in prompt]


async def prepared(call: Call, conversation: Conversation, body: Mapping[str, Any]) -> NewMessage:
    """Returns a question as it is stored; raises what it would be refused for, before anything is written."""
    parts = parts_of(body["prompt"])
    await check_documents(call.host, call.principal, parts)
    await tools.check_named(call.host, call.principal, body.get("tools", ()))
    sources = body.get("sources")
    _check_sources(sources)
    if sources is not None and (retrieval := call.host.find_service(Retrieval)) is not None:
        await retrieval.check(call.principal, sources)
    if "executor" in body:
        if "model" in body:
            raise InvalidRequest.at("/model", "must not stand beside executor")
        call.require("instance:manage")
    if (wanted := body.get("response_format", {})).get("type") == "json_schema":
        pointer = "/response_format/json_schema/schema"
        schemas = call.service(JsonSchemas)
        await schemas.admit(call.principal.org_id, wanted["json_schema"]["schema"], pointer=pointer)
    async with call.read() as reader:
        await choose_model(call.host, reader, call.principal, body.get("model", conversation.model))
    # Pictures take a while to be written down.
    stored = await BODIES.run(call.principal.org_id, encoded, parts)
    return NewMessage(None, "user", parts, encoded_parts=stored)


def _check_sources(sources: str | Sequence[Mapping[str, Any]] | None) -> None:
    """Raises where a source is named in no way or in two."""
    for number, source in enumerate(sources if isinstance(sources, list) else ()):
        pointer = f"/sources/{number}"
        if ("id" in source) == ("key" in source):
            raise InvalidRequest.at(pointer, "takes id or key, one of them")
        if "key" in source and source["type"] not in ("folder", "object"):
            raise InvalidRequest.at(f"{pointer}/key", "is of folders and objects; name this one by its id")


async def ask(place: Place, conversation_id: str, question: NewMessage, body: Mapping[str, Any]) -> Asked:
    """Stores a question and the answer to come, and has it written; returns that answer and the job's id."""
    conversation = await conversations.hold(place.writer, place.caller, conversation_id, place.now_ms, "edit")
    parent_id = body.get("parent_id", conversation.current_id)
    if parent_id is not None:
        parent = await find(place.writer, conversation, parent_id, "/parent_id")
        if parent.role != "assistant":
            raise InvalidRequest.at("/parent_id", "must be an answer, or null for the beginning")
        if parent.is_under_way:
            raise _busy()
    await _check_room(place, conversation, 2)
    where = (conversation.org_id, conversation.id)
    new = replace(question, parent_id=parent_id)
    question_id = await insert(place.writer, where, place.caller.user_id, new, place.now_ms)
    prompt = text_of(question.parts)
    asked = _asked(body, conversation, prompt)
    return await _begin(place, conversation, question_id, asked, prompt, (question_id,))


async def regenerate(place: Place, conversation_id: str, message_id: str, body: Mapping[str, Any]) -> Asked:
    """Has an answer written once more beside the one that there is, or that of a question."""
    conversation = await conversations.hold(place.writer, place.caller, conversation_id, place.now_ms, "edit")
    message = await find(place.writer, conversation, message_id)
    if message.is_under_way:
        raise _busy()
    await _check_room(place, conversation, 1)
    question_id = message.id if message.role == "user" else message.parent_id
    assert question_id is not None
    _check_sources(body.get("sources"))
    asked = {**message.asked, **_asked(body, conversation, "")} if message.asked else {}
    if not asked:
        question = await find(place.writer, conversation, question_id)
        asked = _asked(body, conversation, question.text)
    return await _begin(place, conversation, question_id, asked, "", ())


def _asked(body: Mapping[str, Any], conversation: Conversation, prompt: str) -> dict[str, Any]:
    asked = {name: body[name] for name in _ASKED if name in body}
    if "model" not in asked and "executor" not in asked and conversation.model is not None:
        asked["model"] = conversation.model
    if asked.get("tools") == tools.AUTO:
        asked["hint"] = prompt[:2_000]
    return asked


async def _check_room(place: Place, conversation: Conversation, more: int) -> None:
    if conversation.many + more > MAX_MESSAGES:
        raise Conflict(
            f"A conversation has at most {MAX_MESSAGES:,} messages; fork it, or begin another.",
            code="conversation_full",
        )
    under_way = await place.writer.all(
        sql.under_way,
        conversation_id=conversation.id,
        org_id=conversation.org_id,
        limit=MAX_UNDER_WAY,
    )
    if len(under_way) >= MAX_UNDER_WAY:
        raise _busy()


def _busy() -> Conflict:
    return Conflict(
        "An answer is still being written here; wait for it, or stop it first.", code="turn_running"
    )


async def _begin(
    place: Place,
    conversation: Conversation,
    question_id: str,
    asked: Mapping[str, Any],
    prompt: str,
    also_new: Sequence[str],
) -> Asked:
    """Stores an answer to come and its job, and shows its branch from now on."""
    where, caller = (conversation.org_id, conversation.id), place.caller
    new = NewMessage(question_id, "assistant", (), state="queued", asked=asked)
    # Behind its question, also where both are of one millisecond.
    answer_id = await insert(place.writer, where, caller.user_id, new, place.now_ms + len(also_new))
    title = title_of(prompt)
    await place.writer.run(
        conversations.sql.grown,
        id=conversation.id,
        org_id=conversation.org_id,
        message_id=answer_id,
        added=1 + len(also_new),
        now=place.now_ms,
        title=title,
        title_words=search_words(title),
    )
    job_id = await _enqueue(place, conversation, answer_id)
    list_changed(place.writer, place.host, conversation.owner_id, caller.user_id)
    events = [NewEvent(MESSAGE, message_id) for message_id in (*also_new, answer_id)]
    await add(place.writer, place.host, where, events, place.now_ms)
    return await _shown(place, conversation, answer_id), job_id


async def _enqueue(place: Place, conversation: Conversation, answer_id: str) -> str:
    caller = place.caller
    new = NewJob(
        KIND,
        caller.org_id,
        caller.team_id,
        caller.user_id,
        {"conversation_id": conversation.id, "message_id": answer_id},
        asked_with=caller.credential.id,
    )
    job = await place.host.service(Jobs).enqueue(place.writer, new)
    await place.writer.run(
        sql.set_job, id=answer_id, org_id=conversation.org_id, job_id=job.id, job_team_id=caller.team_id
    )
    return job.id


async def find(writer: Writer, conversation: Conversation, message_id: str, pointer: str = "") -> Message:
    """Returns a message of the conversation; raises `NotFound`, or `InvalidRequest` at the pointer."""
    row = await writer.one(
        sql.message, id=message_id, conversation_id=conversation.id, org_id=conversation.org_id
    )
    if row is not None:
        return Message.of(row)
    if pointer:
        raise InvalidRequest.at(pointer, "is no message of this conversation")
    raise NotFound()


async def _shown(place: Place, conversation: Conversation, message_id: str) -> dict[str, Any]:
    shown = await show_messages(place.writer, place.host, place.caller, conversation.id, [message_id])
    return shown[0]


async def decide(place: Place, conversation_id: str, message_id: str, number: int, decision: str) -> Asked:
    """Confirms a call of a tool or refuses it; with the last one the answer goes on, in another job."""
    conversation = await conversations.hold(place.writer, place.caller, conversation_id, place.now_ms, "edit")
    message = await find(place.writer, conversation, message_id)
    if not 0 <= number < len(message.tools):
        raise NotFound()
    if message.author_id != place.caller.user_id:
        raise Forbidden(f"Only {message.author_name}, who asked, can confirm what a tool does in their name.")
    if message.state != "waiting" or message.tools[number]["state"] != "waiting":
        raise Conflict("This call waits for nobody any more.", code="already_decided")
    calls = [dict(call) for call in message.tools]
    name = calls[number]["name"]
    calls[number] = (
        tools.refused(calls[number]) if decision == "deny" else {**calls[number], "state": "allowed"}
    )
    if decision == "always":
        await place.writer.run(
            sql.allow,
            conversation_id=conversation.id,
            user_id=place.caller.user_id,
            tool=name,
            org_id=conversation.org_id,
        )
        for call in calls:
            if call["name"] == name and call["state"] == "waiting":
                call["state"] = "allowed"
    await place.writer.run(sql.decide, id=message.id, org_id=message.org_id, tools=encoded(calls))
    place.writer.audit("tool.confirmed", ("tool", name), detail={"decision": decision})
    job_id = None
    if not any(call["state"] == "waiting" for call in calls):
        job_id = await _enqueue(place, conversation, message.id)
    where = (conversation.org_id, conversation.id)
    await add(place.writer, place.host, where, [NewEvent(MESSAGE, message.id)], place.now_ms)
    return await _shown(place, conversation, message.id), job_id


async def stop(place: Place, conversation_id: str, message_id: str) -> dict[str, Any]:
    """Stops an answer that is not whole yet; what it has said is kept."""
    conversation = await conversations.hold(place.writer, place.caller, conversation_id, place.now_ms, "edit")
    message = await find(place.writer, conversation, message_id)
    if not message.is_under_way:
        raise Conflict(f"There is nothing to stop: the message is {message.state}.", code="not_stoppable")
    await end_turn(place.host, place.writer, message)
    return await _shown(place, conversation, message_id)


async def end_turn(host: Host, writer: Writer, message: Message) -> None:
    """Has a turn end: at once where it waits, soon after the commit where it runs."""
    jobs, ended = host.service(Jobs), None
    if message.state != "waiting" and message.job_id and message.job_team_id:
        ended = await jobs.get(writer, message.job_team_id, message.job_id)
        if ended is not None and not ended.ended:
            ended = await jobs.cancel(writer, message.job_team_id, message.job_id)
        if ended is not None and ended.state == "running":
            await jobs.stop_running(writer, message.job_team_id, message.job_id)
            return
    # The end of a job that waited wrote this already.
    end = Ended("stopped", [dict(p) for p in message.parts], [dict(call) for call in message.tools])
    await end.store(host, writer, message)


async def end_turns(host: Host, writer: Writer, conversation: Conversation) -> None:
    """Has all turns of a conversation end, before it is deleted."""
    rows = await writer.all(
        sql.under_way,
        conversation_id=conversation.id,
        org_id=conversation.org_id,
        limit=2 * MAX_UNDER_WAY,
    )
    for row in rows:
        await end_turn(host, writer, await find(writer, conversation, row["id"]))
