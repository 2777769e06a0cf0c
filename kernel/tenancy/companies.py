"""Companies: made, changed, suspended."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from guildhall_sdk import Clock, Conflict, NotFound, Reader, Row, Statement, Writer, load_queries, new_id
from guildhall_sdk.data import TENANT
from guildhall_sdk.services.tenancy import Org, Team
from kernel import job_limits
from kernel.tenancy import suspension
from libs.names import free_slugs, slug_of, team_slug_of
from libs.records import record_of, record_or_none

_sql = load_queries(Path(__file__).with_name("queries.sql"))
Made = TypeVar("Made")


class StoredCompanies:
    """The part of the SDK's `Directory` that is about companies and their teams."""

    def __init__(self, clock: Clock, person_changed: Callable[[str], None] = lambda user_id: None) -> None:
        self._clock = clock
        self._person_changed = person_changed

    def _person_changes(self, writer: Writer, user_id: str) -> None:
        """Tells, once it is so, that somebody may not be let in any more."""
        writer.after_commit(lambda: self._person_changed(user_id))

    async def claim_instance(self, writer: Writer) -> bool:
        return await writer.one(_sql.claim_instance, now=str(self._clock.now_ms())) is not None

    async def create_org(self, writer: Writer, name: str, *, slug: str | None = None, plan: str = "") -> Org:
        slugs = iter([slug]) if slug else free_slugs(slug_of(name, "company"))
        row = await self._insert_with_slug(writer, _sql.insert_org, "org", slugs, name=name, plan=plan)
        await job_limits.add_company(writer, row["id"])
        return record_of(Org, row)

    async def create_team(self, writer: Writer, org_id: str, name: str) -> Team:
        org = await self.org(writer, org_id)
        if org is None:
            raise NotFound
        slugs = free_slugs(team_slug_of(org.slug, org.id, name))
        row = await self._insert_with_slug(writer, _sql.insert_team, "team", slugs, org_id=org_id, name=name)
        return record_of(Team, row)

    async def _insert_with_slug(
        self, writer: Writer, statement: Statement, prefix: str, slugs: Iterator[str], **binds: Any
    ) -> Row:
        """Takes the first slug that nobody holds; the unique column settles a race."""
        now = self._clock.now_ms()
        for slug in slugs:
            row = await writer.one(statement, id=new_id(prefix, now), slug=slug, now=now, **binds)
            if row is not None:
                return row
        raise Conflict("That slug is taken; choose another, or leave it out.", code="slug_taken")

    async def org(self, reader: Reader, org_id: str) -> Org | None:
        return record_or_none(Org, await reader.one(_sql.org_by_id, id=org_id))

    async def org_by_ref(self, reader: Reader, ref: str) -> Org | None:
        return record_or_none(Org, await reader.one(_sql.org_by_ref, ref=ref))

    async def orgs(self, reader: Reader, after: str | None, limit: int) -> Sequence[Org]:
        return [record_of(Org, row) for row in await reader.all(_sql.orgs, after=after or "", limit=limit)]

    async def change_org(
        self, writer: Writer, org_id: str, *, name: str | None = None, plan: str | None = None
    ) -> Org:
        return changed(Org, await writer.one(_sql.change_org, id=org_id, name=name, plan=plan))

    async def set_domain(self, writer: Writer, org_id: str, domain: str | None) -> Org:
        if domain is not None:
            await writer.serialize(f"domain:{domain}")
            holder = await writer.value(_sql.org_id_by_domain, domain=domain)
            if holder not in (None, org_id):
                raise Conflict("That hostname belongs to another company.", code="domain_taken")
        return changed(Org, await writer.one(_sql.set_domain, id=org_id, domain=domain))

    async def set_suspended(self, writer: Writer, org_id: str, at_ms: int | None) -> bool:
        await writer.serialize(suspension.key_of(org_id))
        if at_ms is None:
            row = await writer.one(_sql.resume_org, id=org_id)
        else:
            row = await writer.one(_sql.suspend_org, id=org_id, at=at_ms)
        if row is None and await self.org(writer, org_id) is None:
            raise NotFound
        if row is not None:
            await job_limits.set_suspended(writer, org_id, at_ms)
        return row is not None

    async def tenant_suspended_at(self, reader: Reader) -> int | None:
        return await suspension.tenant_suspended_at(reader)

    async def set_tenant_suspended(self, writer: Writer, at_ms: int | None) -> bool:
        await writer.serialize(suspension.key_of(TENANT))
        if at_ms is None:
            return await writer.one(_sql.resume_tenant) is not None
        return await writer.one(_sql.suspend_tenant, at=str(at_ms)) is not None

    async def team(self, reader: Reader, team_id: str) -> Team | None:
        return record_or_none(Team, await reader.one(_sql.team_by_id, id=team_id))

    async def teams_of_org(
        self, reader: Reader, org_id: str, after: str | None, limit: int
    ) -> Sequence[Team]:
        rows = await reader.all(_sql.teams_of_org, org_id=org_id, after=after or "", limit=limit)
        return [record_of(Team, row) for row in rows]


def changed(made: Callable[..., Made], row: Row | None) -> Made:
    """Returns the record of a row that was changed; raises `NotFound` where there is none."""
    if row is None:
        raise NotFound
    return record_of(made, row)
