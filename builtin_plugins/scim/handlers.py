"""SCIM over HTTP: people and groups, one at a time."""

from collections.abc import Awaitable, Callable
from typing import Any

from builtin_plugins.scim import group_reading, groups, people, searching
from builtin_plugins.scim.answers import scim_reply
from builtin_plugins.scim.attributes import GROUPS, USERS, Document, Kind, taken
from builtin_plugins.scim.patching import operations_of, patch_steps
from builtin_plugins.scim.searching import Wanted, checked_id, projected, wanted_by
from guildhall_sdk import Call, NotFound, Reader, Reply, Writer, no_content
from guildhall_sdk.errors import MethodNotAllowed
from guildhall_sdk.services.computing import Computing

_LONG = 200
#: Beyond so many members a PATCH of a group is answered without them.
_SHOWN_MEMBERS = 1000
#: Shows the resource of an id, and makes one of a document; returns its id.
Shown = Callable[[Call, Reader, str], Awaitable[Document]]
Create = Callable[[Call, Writer, Document], Awaitable[str]]
Changed = Callable[[people.Person], Awaitable[Document]]


async def one_reply(call: Call, document: Document, wanted: Wanted, status: int = 200) -> Reply:
    """Returns the answer that shows one resource, with where it is and its ETag."""
    meta = document["meta"]
    location = meta["location"] if status == 201 else ""
    (shown,) = await projected(call, [document], wanted)
    return scim_reply(shown, status, location=location, etag=meta["version"])


async def taken_from(call: Call, kind: Kind, body: Any) -> Document:
    """Returns what of a body is taken; a long one is read on a thread."""
    members = body.get("members") if isinstance(body, dict) else None
    if not isinstance(members, list) or len(members) < _LONG:
        return taken(kind, body)
    return await call.service(Computing).run(call.principal.org_id, taken, kind, body)


async def _read(call: Call, shown: Shown) -> Reply:
    wanted = wanted_by(call.query)
    async with call.read() as reader:
        found = await shown(call, reader, checked_id(call.params["id"]))
    return await one_reply(call, found, wanted)


async def _create(call: Call, kind: Kind, create: Create, shown: Shown) -> Reply:
    wanted, document = wanted_by(call.query), await taken_from(call, kind, call.body)
    async with call.write() as writer:
        made = await shown(call, writer, await create(call, writer, document))
    return await one_reply(call, made, wanted, 201)


async def person_shown(call: Call, reader: Reader, user_id: str) -> Document:
    return (await people.shown(call, reader, [await people.find(call, reader, user_id)]))[0]


async def list_users(call: Call) -> Reply:
    return scim_reply(await searching.answer(call, searching.search_people, wanted_by(call.query)))


async def search_users(call: Call) -> Reply:
    return scim_reply(await searching.answer(call, searching.search_people, wanted_by(call.body)))


async def read_user(call: Call) -> Reply:
    return await _read(call, person_shown)


async def create_user(call: Call) -> Reply:
    return await _create(call, USERS, people.create, person_shown)


async def replace_user(call: Call) -> Reply:
    wanted, document = wanted_by(call.query), await taken_from(call, USERS, call.body)

    async def changed(person: people.Person) -> Document:
        return {"active": person.active, **document}

    return await _change_user(call, wanted, changed)


async def patch_user(call: Call) -> Reply:
    wanted, operations = wanted_by(call.query), operations_of(call.body)

    async def changed(person: people.Person) -> Document:
        steps = patch_steps(USERS, person.document, operations)
        return await call.service(Computing).run_steps(call.principal.org_id, steps)

    return await _change_user(call, wanted, changed)


async def _change_user(call: Call, wanted: Wanted, changed: Changed) -> Reply:
    user_id = checked_id(call.params["id"])
    async with call.write() as writer:
        person = await people.find(call, writer, user_id)
        if "if-match" in call.headers:
            call.check_if_match((await people.shown(call, writer, [person]))[0]["meta"]["version"])
        await people.save(call, writer, person, await changed(person))
        shown = await person_shown(call, writer, user_id)
    return await one_reply(call, shown, wanted)


async def delete_user(call: Call) -> Reply:
    user_id = checked_id(call.params["id"])
    async with call.write() as writer:
        if "if-match" in call.headers:
            call.check_if_match((await person_shown(call, writer, user_id))["meta"]["version"])
        await people.remove(call, writer, user_id)
    return no_content()


async def group_shown(call: Call, reader: Reader, group_id: str) -> Document:
    return (await group_reading.shown(call, reader, [await group_reading.find(call, reader, group_id)]))[0]


async def list_groups(call: Call) -> Reply:
    return scim_reply(await searching.answer(call, searching.search_groups, wanted_by(call.query)))


async def search_groups(call: Call) -> Reply:
    return scim_reply(await searching.answer(call, searching.search_groups, wanted_by(call.body)))


async def search_everything(call: Call) -> Reply:
    return scim_reply(await searching.answer_everything(call, wanted_by(call.body)))


async def read_group(call: Call) -> Reply:
    return await _read(call, group_shown)


async def create_group(call: Call) -> Reply:
    return await _create(call, GROUPS, groups.create, group_shown)


async def replace_group(call: Call) -> Reply:
    wanted, document = wanted_by(call.query), await taken_from(call, GROUPS, call.body)
    async with call.write() as writer:
        group = await _group_to_change(call, writer)
        await groups.save(call, writer, group, document, groups.replaced(document))
        shown = await group_shown(call, writer, group.id)
    return await one_reply(call, shown, wanted)


async def patch_group(call: Call) -> Reply:
    wanted, operations = wanted_by(call.query), operations_of(call.body)
    async with call.write() as writer:
        group = await _group_to_change(call, writer)
        steps = groups.patch_steps(group, operations)
        document, changes = await call.service(Computing).run_steps(call.principal.org_id, steps)
        await groups.save(call, writer, group, document, changes)
        there = await group_reading.members_of(call, writer, group, at_most=_SHOWN_MEMBERS + 1)
        shown = None if len(there) > _SHOWN_MEMBERS else await group_shown(call, writer, group.id)
    return no_content() if shown is None else await one_reply(call, shown, wanted)


async def delete_group(call: Call) -> Reply:
    async with call.write() as writer:
        await groups.remove(call, writer, await _group_to_change(call, writer))
    return no_content()


async def _group_to_change(call: Call, reader: Reader) -> group_reading.Group:
    group = await group_reading.find(call, reader, checked_id(call.params["id"]))
    if "if-match" in call.headers:
        call.check_if_match((await group_reading.shown(call, reader, [group]))[0]["meta"]["version"])
    return group


_KNOWN = ("ServiceProviderConfig", "Schemas", "ResourceTypes", "Users", "Groups", "Bulk")


async def unknown(call: Call) -> Reply:
    """Shows who the token acts for at `/Me`, and refuses all else in SCIM's shape."""
    if call.method in ("GET", "HEAD") and call.params["rest"] == "Me":
        async with call.read() as reader:
            return scim_reply(await person_shown(call, reader, call.principal.user_id))
    if call.params["rest"].split("/")[0] in _KNOWN:
        raise MethodNotAllowed(f"{call.method} is not possible here.")
    raise NotFound("There is no such path; /scim/v2/ResourceTypes lists what there is.")
