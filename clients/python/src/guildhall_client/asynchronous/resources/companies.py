"""The rows of companies."""

from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.companies import (
    Company2,
    CompanyProvisionReply,
    CompanyQuota,
    CreateCompanyOwner,
    CreatedCompany,
    ListedCompany,
    ListedCompanyPage,
)


class AsyncCompanies:
    """Calls of companies."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(
        self,
        *,
        name: str,
        owner: CreateCompanyOwner,
        domain: str | Omitted = OMITTED,
        plan: str | Omitted = OMITTED,
        slug: str | Omitted = OMITTED,
        team: str | Omitted = OMITTED,
    ) -> CreatedCompany:
        """Create a company with its first team and its owner, whose first session is answered.

        `domain`: A hostname, without a port
        `plan`: free, team or enterprise
        `slug`: A natural key: a taken one is refused; without it a free one is derived
        Needs instance:manage.
        """
        reply: CreatedCompany = await self._api.call(
            "POST",
            "/api/orgs",
            fields={"domain": domain, "name": name, "owner": owner, "plan": plan, "slug": slug, "team": team},
        )
        return reply

    async def get(self, ref: str) -> Company2:
        """A company, by id or slug, with its teams and quotas.

        Needs instance:manage.
        """
        reply: Company2 = await self._api.call("GET", f"/api/orgs/{segment(ref)}")
        return reply

    async def provision(
        self,
        *,
        username: str,
        display_name: str | Omitted = OMITTED,
        locale: str | Omitted = OMITTED,
        org: str | Omitted = OMITTED,
        plan: str | Omitted = OMITTED,
        team: str | Omitted = OMITTED,
    ) -> CompanyProvisionReply:
        """Give the hosted instance its company and owner, and an activation link for them. Works
        once.

        `locale`: A language tag, such as nl-BE
        `plan`: free, team or enterprise
        `username`: Unique on the instance, without case
        """
        reply: CompanyProvisionReply = await self._api.call(
            "POST",
            "/api/provision",
            fields={
                "display_name": display_name,
                "locale": locale,
                "org": org,
                "plan": plan,
                "team": team,
                "username": username,
            },
        )
        return reply

    async def resume(self, ref: str) -> ListedCompany:
        """Let a company write again.

        Needs instance:manage.
        """
        reply: ListedCompany = await self._api.call("POST", f"/api/orgs/{segment(ref)}/resume")
        return reply

    async def set_quota(
        self,
        ref: str,
        *,
        dimension: str,
        limit: int | None,
        window: Literal["minute", "hour", "day", "month", "none"],
    ) -> CompanyQuota:
        """Limit what a company may use, its teams together; a limit of null lifts it.

        `limit`: null lifts the limit
        Needs instance:manage.
        """
        reply: CompanyQuota = await self._api.call(
            "POST",
            f"/api/orgs/{segment(ref)}/quota",
            fields={"dimension": dimension, "limit": limit, "window": window},
        )
        return reply

    async def suspend(self, ref: str) -> ListedCompany:
        """Suspend a company, by id or slug: its teams can be read, not written.

        Needs instance:manage.
        """
        reply: ListedCompany = await self._api.call("POST", f"/api/orgs/{segment(ref)}/suspend")
        return reply

    async def update(
        self,
        ref: str,
        *,
        domain: str | Omitted | None = OMITTED,
        name: str | Omitted = OMITTED,
        plan: str | Omitted = OMITTED,
    ) -> ListedCompany:
        """Rename a company, change its plan, which puts its caps anew, or its hostname.

        `plan`: free, team or enterprise
        Needs instance:manage.
        """
        reply: ListedCompany = await self._api.call(
            "PATCH", f"/api/orgs/{segment(ref)}", fields={"domain": domain, "name": name, "plan": plan}
        )
        return reply

    def list(self, *, page_size: int | None = None) -> AsyncPages[ListedCompany, ListedCompanyPage]:
        """Every company, oldest first.

        Needs instance:manage.
        """
        return AsyncPages(self._api, "/api/orgs", query={"limit": page_size})
