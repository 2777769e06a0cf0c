"""The rows of instance."""

from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import segment
from guildhall_client.types.instance import (
    InstanceBackups,
    InstanceConfig,
    InstanceEmailDomain,
    InstanceEmailDomainPage,
    InstanceExplain,
    InstanceHealth,
    InstanceHealthMachine,
    InstanceMail,
    InstanceMailPage,
    InstanceMetrics,
    InstanceReady,
    InstanceSeededTenants,
    InstanceSeedReply,
    InstanceSeedTenantsReply,
    InstanceStatus,
)


class AsyncInstance:
    """Calls of instance."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def backups(self) -> InstanceBackups:
        """How backups are made on the schedule, and how old the last one is.

        Needs instance:manage.
        """
        reply: InstanceBackups = await self._api.call("GET", "/api/admin/backups")
        return reply

    async def config(self) -> InstanceConfig:
        """Public configuration of the instance."""
        reply: InstanceConfig = await self._api.call("GET", "/api/config")
        return reply

    async def delete_email_domain(self, domain: str) -> None:
        """Take a domain from the company that claims it.

        Needs instance:manage.
        """
        await self._api.call("DELETE", f"/api/admin/email-domains/{segment(domain)}")

    def email_domains(
        self, *, page_size: int | None = None
    ) -> AsyncPages[InstanceEmailDomain, InstanceEmailDomainPage]:
        """The e-mail domains that companies claim; contested are those that another company's
        people use too.

        Needs instance:manage.
        """
        return AsyncPages(self._api, "/api/admin/email-domains", query={"limit": page_size})

    async def explain(
        self,
        *,
        method: Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] | None = None,
        path: str | None = None,
        user: str | None = None,
        limit: str | None = None,
        team: str | None = None,
    ) -> InstanceExplain:
        """Why somebody may send a request or may not: what each gate says, and who could change it.

        `limit`: A dimension that is looked at too, where others than the row's plugin count it
        Needs members:manage.
        """
        reply: InstanceExplain = await self._api.call(
            "GET",
            "/api/explain",
            query={"method": method, "path": path, "user": user, "limit": limit, "team": team},
        )
        return reply

    async def health(self) -> InstanceHealth:
        """Whether the server is up."""
        reply: InstanceHealth = await self._api.call("GET", "/health")
        return reply

    async def health_machine(self) -> InstanceHealthMachine:
        """The same for `guildhall top`, by a pass that the server's own key seals and no token."""
        reply: InstanceHealthMachine = await self._api.call("GET", "/api/admin/health/machine")
        return reply

    def mails(
        self,
        *,
        page_size: int | None = None,
        state: Literal["waiting", "sent", "refused", "failed", "expired", "held_back"] | None = None,
    ) -> AsyncPages[InstanceMail, InstanceMailPage]:
        """What was mailed, newest first, and why not; never what a mail says.

        Needs instance:manage.
        """
        return AsyncPages(self._api, "/api/admin/mails", query={"limit": page_size, "state": state})

    async def metrics(self) -> InstanceMetrics:
        """Operational metrics: JSON, or Prometheus text for who accepts text/plain.

        Needs instance:manage.
        """
        reply: InstanceMetrics = await self._api.call("GET", "/api/metrics")
        return reply

    async def ready(self) -> InstanceReady:
        """Whether the server can do its work now: not while it starts or stops, nor without
        database or disk.
        """
        reply: InstanceReady = await self._api.call("GET", "/ready")
        return reply

    async def seed(self) -> dict[str, InstanceSeedReply]:
        """Give the caller's team sample content; what it has already is left as it is.

        Needs settings:manage.
        """
        reply: dict[str, InstanceSeedReply] = await self._api.call("POST", "/api/admin/seed")
        return reply

    async def seed_tenants(self) -> InstanceSeedTenantsReply:
        """Put up two demo companies whose passwords everybody knows; only with SERVICE_DEMO.

        Needs instance:manage.
        """
        reply: InstanceSeedTenantsReply = await self._api.call("POST", "/api/admin/seed-tenants")
        return reply

    async def seeded_tenants(self) -> InstanceSeededTenants:
        """Whether demo companies may be made here.

        Needs instance:manage.
        """
        reply: InstanceSeededTenants = await self._api.call("GET", "/api/admin/seed-tenants")
        return reply

    async def set_email_domain(self, domain: str, *, org_id: str) -> None:
        """Confirm that a domain is the company's that claims it.

        Needs instance:manage.
        """
        await self._api.call("PUT", f"/api/admin/email-domains/{segment(domain)}", fields={"org_id": org_id})

    async def state(self) -> InstanceHealthMachine:
        """How the server is now: requests, jobs, streams, slow statements, busy companies.

        Needs instance:manage.
        """
        reply: InstanceHealthMachine = await self._api.call("GET", "/api/admin/health")
        return reply

    async def status(self) -> InstanceStatus:
        """The state of the instance and how much it holds; of much as it was counted `Age` seconds
        ago.

        Needs instance:manage.
        """
        reply: InstanceStatus = await self._api.call("GET", "/api/admin/status")
        return reply
