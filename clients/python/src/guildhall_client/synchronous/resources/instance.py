"""The rows of instance."""

from typing import Literal

from guildhall_client.sending import segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
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


class Instance:
    """Calls of instance."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def backups(self) -> InstanceBackups:
        """How backups are made on the schedule, and how old the last one is.

        Needs instance:manage.
        """
        reply: InstanceBackups = self._api.call("GET", "/api/admin/backups")
        return reply

    def config(self) -> InstanceConfig:
        """Public configuration of the instance."""
        reply: InstanceConfig = self._api.call("GET", "/api/config")
        return reply

    def delete_email_domain(self, domain: str) -> None:
        """Take a domain from the company that claims it.

        Needs instance:manage.
        """
        self._api.call("DELETE", f"/api/admin/email-domains/{segment(domain)}")

    def email_domains(
        self, *, page_size: int | None = None
    ) -> Pages[InstanceEmailDomain, InstanceEmailDomainPage]:
        """The e-mail domains that companies claim; contested are those that another company's
        people use too.

        Needs instance:manage.
        """
        return Pages(self._api, "/api/admin/email-domains", query={"limit": page_size})

    def explain(
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
        reply: InstanceExplain = self._api.call(
            "GET",
            "/api/explain",
            query={"method": method, "path": path, "user": user, "limit": limit, "team": team},
        )
        return reply

    def health(self) -> InstanceHealth:
        """Whether the server is up."""
        reply: InstanceHealth = self._api.call("GET", "/health")
        return reply

    def health_machine(self) -> InstanceHealthMachine:
        """The same for `guildhall top`, by a pass that the server's own key seals and no token."""
        reply: InstanceHealthMachine = self._api.call("GET", "/api/admin/health/machine")
        return reply

    def mails(
        self,
        *,
        page_size: int | None = None,
        state: Literal["waiting", "sent", "refused", "failed", "expired", "held_back"] | None = None,
    ) -> Pages[InstanceMail, InstanceMailPage]:
        """What was mailed, newest first, and why not; never what a mail says.

        Needs instance:manage.
        """
        return Pages(self._api, "/api/admin/mails", query={"limit": page_size, "state": state})

    def metrics(self) -> InstanceMetrics:
        """Operational metrics: JSON, or Prometheus text for who accepts text/plain.

        Needs instance:manage.
        """
        reply: InstanceMetrics = self._api.call("GET", "/api/metrics")
        return reply

    def ready(self) -> InstanceReady:
        """Whether the server can do its work now: not while it starts or stops, nor without
        database or disk.
        """
        reply: InstanceReady = self._api.call("GET", "/ready")
        return reply

    def seed(self) -> dict[str, InstanceSeedReply]:
        """Give the caller's team sample content; what it has already is left as it is.

        Needs settings:manage.
        """
        reply: dict[str, InstanceSeedReply] = self._api.call("POST", "/api/admin/seed")
        return reply

    def seed_tenants(self) -> InstanceSeedTenantsReply:
        """Put up two demo companies whose passwords everybody knows; only with SERVICE_DEMO.

        Needs instance:manage.
        """
        reply: InstanceSeedTenantsReply = self._api.call("POST", "/api/admin/seed-tenants")
        return reply

    def seeded_tenants(self) -> InstanceSeededTenants:
        """Whether demo companies may be made here.

        Needs instance:manage.
        """
        reply: InstanceSeededTenants = self._api.call("GET", "/api/admin/seed-tenants")
        return reply

    def set_email_domain(self, domain: str, *, org_id: str) -> None:
        """Confirm that a domain is the company's that claims it.

        Needs instance:manage.
        """
        self._api.call("PUT", f"/api/admin/email-domains/{segment(domain)}", fields={"org_id": org_id})

    def state(self) -> InstanceHealthMachine:
        """How the server is now: requests, jobs, streams, slow statements, busy companies.

        Needs instance:manage.
        """
        reply: InstanceHealthMachine = self._api.call("GET", "/api/admin/health")
        return reply

    def status(self) -> InstanceStatus:
        """The state of the instance and how much it holds; of much as it was counted `Age` seconds
        ago.

        Needs instance:manage.
        """
        reply: InstanceStatus = self._api.call("GET", "/api/admin/status")
        return reply
