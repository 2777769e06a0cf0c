"""Groups as they are read: the company's teams, and roles in these or in the company."""

from collections.abc import Sequence
from typing import NamedTuple

from builtin_plugins.scim import people
from builtin_plugins.scim.answers import nobody
from builtin_plugins.scim.attributes import GROUP, Document
from builtin_plugins.scim.filters import Filter
from builtin_plugins.scim.tokens import PREFIX, sql
from guildhall_sdk import Call, Reader, Row, rfc3339
from guildhall_sdk.services.computing import Computing
from libs.fair_slots import Steps, finished

PER_READ = 1000
#: Members in one answer of several groups: those of more come with the next page.
MAX_LISTED = 20_000


class Group(NamedTuple):
    """A team as a group, or a role in one; without a team, a role in the company."""

    id: str
    name: str
    team_id: str | None
    role: str | None
    external_id: str | None
    created_at: int
    updated_at: int

    @property
    def is_team(self) -> bool:
        return self.role is None


class Changes(NamedTuple):
    """What a write does to the members of a group; `all` takes away whoever is not added."""

    add: dict[str, None]
    remove: dict[str, None]
    all: bool = False


def group_of(row: Row) -> Group:
    return Group(
        id=row["id"],
        name=row["display_name"],
        team_id=row["team_id"],
        role=row["role"],
        external_id=row["external_id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"] or row["created_at"],
    )


async def find(call: Call, reader: Reader, group_id: str) -> Group:
    """Returns a group of the caller's company; raises `NotFound`."""
    row = await reader.one(sql.group_by_id, org_id=call.principal.org_id, id=group_id)
    if row is None:
        raise nobody()
    return group_of(row)


async def members_of(call: Call, reader: Reader, group: Group, *, at_most: int | None = None) -> list[Row]:
    """Returns all members, read page by page, or so many of them at least."""
    statement = sql.members_of_team if group.is_team else sql.members_of_group
    found: list[Row] = []
    after = ""
    while True:
        rows = await reader.all(
            statement, id=group.id, org_id=call.principal.org_id, after=after, limit=PER_READ
        )
        found += rows
        if len(rows) < PER_READ or (at_most is not None and len(found) >= at_most):
            return found
        after = rows[-1]["user_id"]


def resource_steps(group: Group, members: Sequence[Row], base_url: str) -> Steps[Document]:
    """Returns a group as SCIM shows it, some of its members in each step."""
    root = base_url + PREFIX
    shown: Document = {"schemas": [GROUP], "id": group.id, "displayName": group.name}
    if group.external_id is not None:
        shown["externalId"] = group.external_id
    ids = [row["user_id"] for row in members]
    version = people.version_of({**shown, "members": ids})
    if members:
        shown["members"] = listed = []
    for start in range(0, len(ids), PER_READ):
        yield
        listed += [
            {"value": user_id, "$ref": f"{root}/Users/{user_id}", "type": "User"}
            for user_id in ids[start : start + PER_READ]
        ]
    shown["meta"] = {
        "resourceType": "Group",
        "created": rfc3339(group.created_at),
        "lastModified": rfc3339(group.updated_at),
        "location": f"{root}/Groups/{group.id}",
        "version": version,
    }
    return shown


async def shown(
    call: Call, reader: Reader, found: Sequence[Group], *, members: bool = True
) -> list[Document]:
    """Returns groups; with those of many members fewer than are found, and at least one."""
    documents: list[Document] = []
    room = MAX_LISTED
    for group in found:
        rows = await members_of(call, reader, group) if members else []
        if documents and len(rows) > room:
            break
        room -= len(rows)
        documents.append(await _resource_of(call, group, rows))
    return documents


async def _resource_of(call: Call, group: Group, members: Sequence[Row]) -> Document:
    steps = resource_steps(group, members, call.host.settings.base_url)
    if len(members) < PER_READ:
        return finished(steps)
    return await call.service(Computing).run_steps(call.principal.org_id, steps)


async def matches(call: Call, reader: Reader, group: Group, wanted: Filter) -> bool:
    """Tells whether a filter finds a group."""
    members = await members_of(call, reader, group) if wanted.names("members") else []
    document = await _resource_of(call, group, members)
    steps = wanted.matches_in_steps(document)
    if len(members) < PER_READ:
        return finished(steps)
    return await call.service(Computing).run_steps(call.principal.org_id, steps)


async def all_groups(call: Call, reader: Reader) -> list[Group]:
    """Returns every group of the company: there are about as many as teams."""
    binds = {"org_id": call.principal.org_id, "limit": 100_000, "skipped": 0}
    return [group_of(row) for row in await reader.all(sql.groups, **binds)]
