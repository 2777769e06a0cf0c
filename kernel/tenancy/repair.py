"""What only who looks after the machine may do: find everybody, and mend what is locked out."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from guildhall_sdk import Conflict, Data, Reader, Writer, load_queries
from guildhall_sdk.services import Team, User
from kernel.tenancy.rows import team_of, user_of

_sql = load_queries(Path(__file__).with_name("queries.sql"))
_PER_READ = 500


@dataclass(frozen=True, slots=True)
class PersonFound:
    """Somebody of the instance, with the slug of their company."""

    user: User
    company: str
    has_password: bool


async def everybody(data: Data, company: str | None = None) -> AsyncIterator[PersonFound]:
    """By id, a read scope for each few hundred; of one company by its slug or id."""
    after = ""
    while True:
        async with data.read() as reader:
            rows = await reader.all(_sql.people, after=after, company=company, limit=_PER_READ)
        for row in rows:
            yield PersonFound(user_of(row), row["org_slug"], bool(row["has_password"]))
        if len(rows) < _PER_READ:
            return
        after = rows[-1]["id"]


async def team_by_ref(reader: Reader, org_id: str, ref: str) -> Team | None:
    """One of the company's, by id or by slug, with or without the company's own in front."""
    row = await reader.one(_sql.team_by_ref, org_id=org_id, ref=ref)
    return None if row is None else team_of(row)


async def set_operator(writer: Writer, user_id: str, operator: bool, *, keep_one: bool) -> bool:
    """Whether that changed anything. With `keep_one` the last who can sign in stays: `last_operator`."""
    await writer.serialize("operators")
    if keep_one and not operator and await writer.one(_sql.another_operator, id=user_id) is None:
        raise Conflict(
            "They are the only operator who can sign in; make someone else one first.", code="last_operator"
        )
    return await writer.one(_sql.set_operator, id=user_id, operator=int(operator)) is not None
