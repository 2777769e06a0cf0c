"""Lists of people and groups: by filter, page by page, with the attributes that are asked for."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from builtin_plugins.scim import group_reading, people
from builtin_plugins.scim.answers import invalid_filter, list_of, nobody
from builtin_plugins.scim.attributes import Document
from builtin_plugins.scim.discovery import MAX_RESULTS
from builtin_plugins.scim.filters import Filter, Name, name_of, read_filter
from builtin_plugins.scim.people import Person, person_of
from builtin_plugins.scim.tokens import sql
from guildhall_sdk import Call, InvalidRequest, Reader, Row
from guildhall_sdk.services.computing import Computing
from libs.fair_slots import Steps, finished

_PER_READ = 500
_PER_STEP = 25
#: Parts of documents that are looked at in one step.
_FEW = 1000
#: Each of them is looked for in as many members as a group has.
_MAX_OF_MEMBERS = 10
_ALWAYS = ("schemas", "id")
Kind = TypeVar("Kind")
_MAX_NAMES = 100


class Wanted(NamedTuple):
    """What a list asks for: a filter, a window that begins at 1, and attributes."""

    filter: Filter | None
    start: int
    size: int
    only: Sequence[Name]
    without: Sequence[Name]

    def shows(self, attribute: str) -> bool:
        """Tells whether an attribute is part of the answer."""
        small = attribute.lower()
        if self.only:
            return any(name.parts[0] == small for name in self.only)
        return all(tuple(name.parts) != (small,) for name in self.without)


def wanted_by(given: Mapping[str, Any]) -> Wanted:
    """Returns what a query or the body of `.search` asks for; raises `InvalidRequest`."""
    text = given.get("filter")
    count = given.get("count")
    return Wanted(
        filter=read_filter(text) if text else None,
        start=max(1, given.get("startIndex") or 1),
        size=min(MAX_RESULTS, max(0, MAX_RESULTS if count is None else count)),
        only=_names(given.get("attributes")),
        without=_names(given.get("excludedAttributes")),
    )


def _names(given: Any) -> Sequence[Name]:
    words = given.split(",") if isinstance(given, str) else given or ()
    if len(words) > _MAX_NAMES or not all(isinstance(word, str) for word in words):
        raise InvalidRequest(f"At most {_MAX_NAMES} attributes are named, each by a text.")
    return [name_of(word.strip()) for word in words if word.strip()]


async def projected(call: Call, documents: Sequence[Document], wanted: Wanted) -> list[Document]:
    """Returns documents with the attributes that are wanted, and with what says what each is."""
    names = len(wanted.only) or len(wanted.without)
    if not names:
        return [*documents]
    items = sum(len(value) for one in documents for value in one.values() if isinstance(value, list))
    steps = _projection(documents, wanted)
    if names * (len(documents) + items) < _FEW:
        return finished(steps)
    return await call.service(Computing).run_steps(call.principal.org_id, steps)


def _projection(documents: Sequence[Document], wanted: Wanted) -> Steps[list[Document]]:
    found = []
    for document in documents:
        if wanted.only:
            shown: Document = {name: document[name] for name in _ALWAYS if name in document}
        else:
            shown = dict(document)
        for name in wanted.only or wanted.without:
            parts = [*([name.urn] if name.urn else []), *name.parts]
            yield from _keep(shown, document, parts) if wanted.only else _drop(shown, parts)
        found.append(shown)
        yield
    return found


def _key(document: Mapping[str, Any], small: str) -> str | None:
    return next((key for key in document if key.lower() == small), None)


def _keep(kept: Document, document: Mapping[str, Any], parts: Sequence[str]) -> Steps[None]:
    key = _key(document, parts[0])
    if key is None:
        return
    value = document[key]
    if len(parts) == 1:
        kept[key] = value
    elif isinstance(value, list):
        items = kept.setdefault(key, [{} for _ in value])
        for number, (item, one) in enumerate(zip(items, value, strict=True)):
            if isinstance(one, Mapping):
                yield from _keep(item, one, parts[1:])
            if number % _FEW == _FEW - 1:
                yield
    elif isinstance(value, Mapping):
        yield from _keep(kept.setdefault(key, {}), value, parts[1:])


def _drop(shown: Document, parts: Sequence[str]) -> Steps[None]:
    key = _key(shown, parts[0])
    if key is None or key in _ALWAYS:
        return
    value = shown[key]
    if len(parts) == 1:
        del shown[key]
    elif isinstance(value, list):
        shown[key] = [dict(one) if isinstance(one, Mapping) else one for one in value]
        for number, item in enumerate(shown[key]):
            if isinstance(item, dict):
                yield from _drop(item, parts[1:])
            if number % _FEW == _FEW - 1:
                yield
    elif isinstance(value, Mapping):
        shown[key] = dict(value)
        yield from _drop(shown[key], parts[1:])


async def search_people(call: Call, reader: Reader, wanted: Wanted) -> tuple[list[Document], int]:
    """Returns the people of the window, and how many there are in all."""
    org_id = call.principal.org_id
    if wanted.filter is None:
        binds = {"org_id": org_id, "after": "", "limit": wanted.size, "skipped": wanted.start - 1}
        rows = await reader.all(sql.people, **binds) if wanted.size else []
        total = await reader.value(sql.count_people, org_id=org_id)
        return await people.shown(call, reader, [person_of(row) for row in rows]), int(total)
    window: _Window[Person] = _Window(wanted)
    candidates = await _candidates(call, reader, wanted.filter)
    if candidates is not None:
        documents = await people.shown(call, reader, candidates)
        steps = _tried(wanted.filter, window, list(zip(candidates, documents, strict=True)))
        if len(wanted.filter.terms) * people.many_groups(documents) < _FEW:
            finished(steps)
        else:
            await call.service(Computing).run_steps(org_id, steps)
    else:
        await _try_everybody(call, reader, wanted.filter, window)
    return await people.shown(call, reader, window.found), window.total


class _Window(Generic[Kind]):
    """Counts all that match, and keeps those of the window."""

    def __init__(self, wanted: Wanted) -> None:
        self._from, self._to = wanted.start - 1, wanted.start - 1 + wanted.size
        self.found: list[Kind] = []
        self.total = 0

    def take(self, one: Kind, matches: bool) -> None:
        if matches:
            if self._from <= self.total < self._to:
                self.found.append(one)
            self.total += 1


def _tried(given: Filter, window: _Window[Person], found: Sequence[tuple[Person, Document]]) -> Steps[None]:
    for person, document in found:
        window.take(person, (yield from given.matches_in_steps(document)))
        yield


async def _try_everybody(call: Call, reader: Reader, given: Filter, window: _Window[Person]) -> None:
    """Tries a filter on all people of the company, on a thread: no index knows what it asks for."""
    org_id, base_url = call.principal.org_id, call.host.settings.base_url
    with_version = given.names("meta")
    with_groups = with_version or given.names("groups")

    def steps(rows: Sequence[Row], groups: Mapping[str, Sequence[Row]]) -> Steps[None]:
        for number, row in enumerate(rows):
            person = person_of(row)
            document = people.resource_of(
                person, groups.get(person.id, ()), base_url, with_version=with_version
            )
            window.take(person, (yield from given.matches_in_steps(document)))
            if with_groups or number % _PER_STEP == _PER_STEP - 1:
                yield

    after = ""
    while True:
        rows = await reader.all(sql.people, org_id=org_id, after=after, limit=_PER_READ, skipped=0)
        groups = await people.groups_of(call, reader, [row["id"] for row in rows]) if with_groups else {}
        await call.service(Computing).run_steps(org_id, steps(rows, groups))
        if len(rows) < _PER_READ:
            return
        after = rows[-1]["id"]


async def _candidates(call: Call, reader: Reader, given: Filter) -> Sequence[Person] | None:
    """Returns whom an index finds for what must be equal; None where it takes a look at everybody."""
    org_id, equal = call.principal.org_id, given.equal
    if "id" in equal:
        row = await reader.one(sql.person, id=equal["id"], org_id=org_id)
        return [] if row is None else [person_of(row)]
    if "username" in equal:
        person = await people.named(call, reader, equal["username"])
        return [] if person is None else [person]
    if "externalid" in equal:
        rows = await reader.all(sql.people_by_external_id, org_id=org_id, external_id=equal["externalid"])
        return [person_of(row) for row in rows]
    return None


async def search_groups(call: Call, reader: Reader, wanted: Wanted) -> tuple[list[Document], int]:
    """Returns the groups of the window, and how many there are in all."""
    org_id, shows = call.principal.org_id, wanted.shows("members")
    if wanted.filter is None:
        binds = {"org_id": org_id, "limit": wanted.size, "skipped": wanted.start - 1}
        rows = await reader.all(sql.groups, **binds) if wanted.size else []
        total = await reader.value(sql.count_groups, org_id=org_id)
        found = [group_reading.group_of(row) for row in rows]
        return await group_reading.shown(call, reader, found, members=shows), int(total)
    if wanted.filter.weight_of("members") > _MAX_OF_MEMBERS:
        raise invalid_filter(f"A filter of groups says at most {_MAX_OF_MEMBERS} things of their members.")
    window: _Window[group_reading.Group] = _Window(wanted)
    for group in await _candidate_groups(call, reader, wanted.filter):
        window.take(group, await group_reading.matches(call, reader, group, wanted.filter))
    return await group_reading.shown(call, reader, window.found, members=shows), window.total


async def _candidate_groups(call: Call, reader: Reader, given: Filter) -> Sequence[group_reading.Group]:
    if "id" in given.equal:
        row = await reader.one(sql.group_by_id, org_id=call.principal.org_id, id=given.equal["id"])
        return [] if row is None else [group_reading.group_of(row)]
    member = given.equal.get("members.value", given.equal.get("members"))
    if member is not None:
        rows = await reader.all(sql.groups_of_member, org_id=call.principal.org_id, user_id=member)
        return [group_reading.group_of(row) for row in rows]
    return await group_reading.all_groups(call, reader)


Search = Callable[[Call, Reader, Wanted], Awaitable[tuple[list[Document], int]]]


async def answer(call: Call, search: Search, wanted: Wanted) -> Document:
    """Returns the list that a search finds."""
    async with call.read() as reader:
        found, total = await search(call, reader, wanted)
    return list_of(await projected(call, found, wanted), total, wanted.start)


async def answer_everything(call: Call, wanted: Wanted) -> Document:
    """Returns people and then groups, as one list."""
    async with call.read() as reader:
        found, total = await search_people(call, reader, wanted)
        rest = wanted._replace(start=max(1, wanted.start - total), size=max(0, wanted.size - len(found)))
        more, count = await search_groups(call, reader, rest)
    return list_of(await projected(call, [*found, *more], wanted), total + count, wanted.start)


def checked_id(given: str) -> str:
    """Returns an id that a row can have; raises `NotFound` for any other."""
    if not given or len(given) > 100 or not (given.isascii() and given.isprintable()):
        raise nobody()
    return given
