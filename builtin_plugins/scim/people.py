"""People as SCIM sees them: what is read of them, and what a directory changes."""

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.scim.answers import invalid_value, nobody, taken_name
from builtin_plugins.scim.attributes import ENTERPRISE, USER, Document
from builtin_plugins.scim.tokens import PREFIX, sql
from guildhall_sdk import Call, Conflict, PermissionDenied, Reader, Row, Writer, rfc3339
from guildhall_sdk.services.computing import Computing
from guildhall_sdk.services.notifications import Emails
from guildhall_sdk.services.tenancy import Directory, People, Team, User
from libs.fair_slots import Steps, finished
from libs.names import (
    LOCALE_MAX,
    NAME_MAX,
    USERNAME_MAX,
    locale_fault,
    name_fault,
    username_fault,
    username_key,
)
from libs.names.emails import email_fault

#: What somebody is in the team of the token, until a group says more.
FIRST_ROLE = "member"
_TRIES = 5
# Of people who are shown at once: of more they are shown in steps, beside the event loop.
_FEW_GROUPS = 1000


class Person(NamedTuple):
    """A person of the company, with what a directory said of them; None where none did."""

    id: str
    username: str
    display_name: str
    operator: bool
    org_role: str | None
    active: bool
    created_at: int
    updated_at: int
    document: Document
    is_managed: bool
    address: str | None

    @property
    def user_name(self) -> str:
        return str(self.document["userName"])


def person_of(row: Row) -> Person:
    """Returns the person of a row, with the document of their attributes."""
    if row["attributes"] is not None:
        document = json.loads(row["attributes"])
        document["userName"] = row["user_name"]
    else:
        document = {"userName": row["username"], "displayName": row["display_name"]}
        if row["address"] is not None:
            document["emails"] = [{"value": row["address"], "type": "work", "primary": True}]
    if row["external_id"] is not None:
        document["externalId"] = row["external_id"]
    if row["attributes"] is None or "active" in document:
        document["active"] = row["suspended_at"] is None
    return Person(
        id=row["id"],
        username=row["username"],
        display_name=row["display_name"],
        operator=bool(row["operator"]),
        org_role=row["org_role"],
        active=row["suspended_at"] is None,
        created_at=row["created_at"],
        updated_at=row["updated_at"] or row["created_at"],
        document=document,
        is_managed=row["attributes"] is not None,
        address=row["address"],
    )


def resource_of(
    person: Person, groups: Sequence[Row], base_url: str, *, with_version: bool = True
) -> Document:
    """Returns a person as SCIM shows them."""
    root = base_url + PREFIX
    schemas = [USER, *([ENTERPRISE] if ENTERPRISE in person.document else [])]
    shown: Document = {"schemas": schemas, "id": person.id, **person.document}
    if groups:
        shown["groups"] = [
            {
                "value": row["group_id"],
                "$ref": f"{root}/Groups/{row['group_id']}",
                "display": row["display"],
                "type": "direct",
            }
            for row in groups
        ]
    version = {"version": version_of(shown)} if with_version else {}
    shown["meta"] = {
        "resourceType": "User",
        "created": rfc3339(person.created_at),
        "lastModified": rfc3339(person.updated_at),
        "location": f"{root}/Users/{person.id}",
        **version,
    }
    return shown


def version_of(shown: Mapping[str, Any]) -> str:
    """Returns an ETag of what a resource says."""
    text = json.dumps(shown, sort_keys=True, ensure_ascii=True)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'


async def find(call: Call, reader: Reader, user_id: str) -> Person:
    """Returns a person of the caller's company; raises `NotFound`."""
    row = await reader.one(sql.person, id=user_id, org_id=call.principal.org_id)
    if row is None:
        raise nobody()
    return person_of(row)


async def named(call: Call, reader: Reader, user_name: str) -> Person | None:
    """Returns who has the name in the company: in the directory, or as their username here."""
    org_id, key = call.principal.org_id, username_key(user_name)
    row = await reader.one(sql.person_by_name, org_id=org_id, key=key)
    if row is None and username_fault(user_name) is None:
        user = await call.service(Directory).user_by_name(reader, user_name)
        if user is not None and user.org_id == org_id:
            row = await reader.one(sql.person, id=user.id, org_id=org_id)
    found = None if row is None else person_of(row)
    return found if found is not None and username_key(found.user_name) == key else None


async def shown(call: Call, reader: Reader, people: Sequence[Person]) -> list[Document]:
    """Returns people with their groups."""
    groups = await groups_of(call, reader, [person.id for person in people])
    steps = _resources(people, groups, call.host.settings.base_url)
    if sum(map(len, groups.values())) < _FEW_GROUPS:
        return finished(steps)
    return await call.service(Computing).run_steps(call.principal.org_id, steps)


def _resources(
    people: Sequence[Person], groups: Mapping[str, Sequence[Row]], base_url: str
) -> Steps[list[Document]]:
    found = []
    for person in people:
        found.append(resource_of(person, groups.get(person.id, ()), base_url))
        yield
    return found


def many_groups(documents: Sequence[Document]) -> int:
    """Returns in how many groups they are, taken together."""
    return sum(len(one.get("groups", ())) for one in documents)


async def groups_of(call: Call, reader: Reader, ids: Sequence[str]) -> Mapping[str, Sequence[Row]]:
    """Returns the groups of people, by their ids."""
    found: dict[str, list[Row]] = {}
    if ids:
        given = json.dumps(ids)
        for row in await reader.all(sql.groups_of_people, org_id=call.principal.org_id, ids=given):
            found.setdefault(row["user_id"], []).append(row)
    return found


async def create(call: Call, writer: Writer, document: Document) -> str:
    """Creates a person in the team of the token, and returns their id; raises `Conflict` `uniqueness`."""
    who = call.principal
    is_active = document.setdefault("active", True)
    await writer.serialize(_lock(call))
    user = await _new_user(call, writer, document)
    if await writer.one(sql.insert_person, **_stored(call, user.id, document)) is None:
        raise taken_name("userName")  # and so the account is not made
    if (address := _address_of(document)) is not None:
        await call.service(Emails).give(writer, who.org_id, user.id, address)
    team = Team(who.team_id, who.org_id, "", who.team_name, 0)
    await call.service(People).join(call, writer, user, team, FIRST_ROLE)
    if not is_active:
        await call.service(People).set_suspended(call, writer, user.id, True)
    return user.id


async def _new_user(call: Call, writer: Writer, document: Document) -> User:
    """Makes the account under the name itself where nobody of the instance has it, else under one like it."""
    directory, base = call.service(Directory), _username_like(_name_of(document))
    for attempt in range(_TRIES):
        username = base if not attempt else f"{base[: USERNAME_MAX - 7]}-{secrets.token_hex(3)}"
        try:
            return await directory.create_user(
                writer,
                call.principal.org_id,
                username,
                display_name=_display_name(document),
                locale=_locale(document),
            )
        except Conflict:
            if not attempt and await named(call, writer, username) is not None:
                raise taken_name("userName") from None
    raise taken_name("userName")


def _username_like(name: str) -> str:
    if username_fault(name) is None:
        return name
    cut = "".join(sign for sign in name if sign.isprintable())[:USERNAME_MAX].strip()
    return cut if username_fault(cut) is None else f"person-{secrets.token_hex(4)}"


async def save(call: Call, writer: Writer, person: Person, document: Document) -> bool:
    """Puts a document in place of a person's; returns whether that changed anything.

    Who owns the company, or operates the instance, is changed by tokens of those who do too.
    """
    if document == person.document and person.is_managed:
        return False
    name, active = _name_of(document), document.get("active", person.active)
    _check_over(call, person)
    await writer.serialize(_lock(call))
    if username_key(name) != username_key(person.user_name):
        holder = await named(call, writer, name)
        if holder is not None and holder.id != person.id:
            raise taken_name("userName")
    await writer.run(sql.put_person, **_stored(call, person.id, document))
    display_name, locale = _display_name(document), _locale(document)
    if display_name != person.display_name or locale is not None:
        await call.service(Directory).update_profile(
            writer, person.id, display_name=display_name, locale=locale
        )
    address = _address_of(document)
    if address is not None and address != person.address:
        await call.service(Emails).give(writer, call.principal.org_id, person.id, address)
    if active != person.active:
        await call.service(People).set_suspended(call, writer, person.id, not active)
    else:
        writer.audit("member.provisioned", ("user", person.id), detail={"username": person.username})
    return True


def _check_over(call: Call, person: Person) -> None:
    who = call.principal
    if who.operator:
        return
    if person.operator:
        raise PermissionDenied("instance:manage", "They operate the instance; an operator's token does this.")
    if person.org_role == "org_owner" and who.org_role != "org_owner":
        raise PermissionDenied("org_owner", "They own the company; the token of an org_owner does this.")


async def remove(call: Call, writer: Writer, user_id: str) -> None:
    """Removes a person from the company; what they made stays."""
    await find(call, writer, user_id)
    await call.service(People).remove(call, writer, user_id)
    binds = {"user_id": user_id, "org_id": call.principal.org_id}
    await writer.run(sql.delete_person, **binds)
    await writer.run(sql.delete_memberships, **binds)


def _lock(call: Call) -> str:
    return f"scim:{call.principal.org_id}"


def _stored(call: Call, user_id: str, document: Document) -> dict[str, Any]:
    kept = {name: value for name, value in document.items() if name != "externalId"}
    return {
        "user_id": user_id,
        "org_id": call.principal.org_id,
        "user_name": document["userName"],
        "key": username_key(document["userName"]),
        "external_id": document.get("externalId"),
        "attributes": json.dumps(kept, ensure_ascii=False),
        "now": call.now_ms,
    }


def _name_of(document: Document) -> str:
    name = document.get("userName", "")
    if not name.strip() or not name.isprintable():
        raise invalid_value("userName is a text without control characters, and not blank.")
    return str(name)


def _display_name(document: Document) -> str:
    name = document.get("name", {})
    parts = " ".join(one for one in (name.get("givenName"), name.get("familyName")) if one)
    found = document.get("displayName") or name.get("formatted") or parts or document["userName"]
    cut = str(found)[:NAME_MAX]
    if (fault := name_fault(cut)) is not None:
        raise invalid_value(f"The name that is shown {fault}.")
    return cut


def _locale(document: Document) -> str | None:
    locale = str(document.get("locale", "")).replace("_", "-")[: LOCALE_MAX + 1]
    return locale if locale and locale_fault(locale) is None else None


def _address_of(document: Document) -> str | None:
    """Returns the primary address, or the first; raises for one that is none."""
    given = [one for one in document.get("emails", ()) if one.get("value")]
    chosen = next((one for one in given if one.get("primary")), given[0] if given else None)
    if chosen is None:
        return None
    if (fault := email_fault(chosen["value"])) is not None:
        raise invalid_value(f"The e-mail address {fault}.")
    return str(chosen["value"])
