"""The rows of company."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.downloads import AsyncDownload
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.branding import Brand
from guildhall_client.types.company import (
    Company3,
    CompanyAuditDays,
    CompanyAuditEvent,
    CompanyAuditEventPage,
    CompanyCreateExecutorReply,
    CompanyCreateMemberReply,
    CompanyEmailDomain,
    CompanyEmailDomainPage,
    CompanyExportReply,
    CompanyResumeMemberReply,
    CompanyResumeMemberReplyPage,
    CompanyScimToken,
    CompanyScimTokenPage,
    CompanyTeam2,
    CompanyTeam2Page,
    CompanyUsage,
    CompanyUsagePage,
)


class AsyncCompany:
    """Calls of company."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    def audit(
        self,
        *,
        actor: str | None = None,
        action: str | None = None,
        target: str | None = None,
        q: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        page_size: int | None = None,
    ) -> AsyncPages[CompanyAuditEvent, CompanyAuditEventPage]:
        """The company's audit trail, newest first.

        `actor`: What this user did, by id
        `action`: Such as token.issued, or the noun alone for all its verbs
        `target`: What was done to this, by its id
        `q`: Words that all stand in what is shown of an event
        `from_`: From this time on, RFC 3339
        `to`: Before this time, RFC 3339
        Needs org:read.
        """
        return AsyncPages(
            self._api,
            "/api/org/audit",
            query={
                "actor": actor,
                "action": action,
                "target": target,
                "q": q,
                "from": from_,
                "to": to,
                "limit": page_size,
            },
        )

    async def audit_days(
        self, *, actor: str | None = None, from_: str | None = None, to: str | None = None
    ) -> CompanyAuditDays:
        """How many events of the company each day has; the last 30 without from and to, at most 92.

        `actor`: What this user did, by id
        `from_`: From this time on, RFC 3339
        `to`: Before this time, RFC 3339
        Needs org:read.
        """
        reply: CompanyAuditDays = await self._api.call(
            "GET", "/api/org/audit/days", query={"actor": actor, "from": from_, "to": to}
        )
        return reply

    async def branding(self) -> Brand:
        """The company's branding; what it has not set is the instance's.

        Needs org:read.
        """
        reply: Brand = await self._api.call("GET", "/api/org/branding")
        return reply

    async def create_executor(
        self,
        *,
        mode: Literal["pull", "push"],
        name: str,
        capabilities: Sequence[str] | Omitted = OMITTED,
        key: str | Omitted = OMITTED,
        model: str | Omitted = OMITTED,
        url: str | Omitted = OMITTED,
    ) -> CompanyCreateExecutorReply:
        """Create an executor bound to the caller's company. Where work is pushed to must be public.

        `key`: Sent to url as a bearer token; never shown
        `mode`: pull: a worker claims jobs; push: work is sent to url
        `url`: Of an OpenAI-compatible endpoint, with its /v1; /chat/completions is put behind it
        Needs org:manage.
        """
        reply: CompanyCreateExecutorReply = await self._api.call(
            "POST",
            "/api/org/executors",
            fields={
                "capabilities": capabilities,
                "key": key,
                "mode": mode,
                "model": model,
                "name": name,
                "url": url,
            },
        )
        return reply

    async def create_member(
        self,
        *,
        role: Literal["viewer", "member", "admin", "owner", "translator", "reviewer", "localizer", "worker"],
        team: str,
        username: str,
        display_name: str | Omitted = OMITTED,
        email: str | Omitted = OMITTED,
        org_role: Literal["org_reader", "org_admin", "org_owner"] | Omitted = OMITTED,
        password: str | Omitted = OMITTED,
    ) -> CompanyCreateMemberReply:
        """Add a person to a team, with a role in the company too. A new one gets a first session
        there.

        `email`: A new person is invited by it
        `team`: The team's id
        `username`: Unique on the instance, without case
        Needs org:manage.
        """
        reply: CompanyCreateMemberReply = await self._api.call(
            "POST",
            "/api/org/members",
            fields={
                "display_name": display_name,
                "email": email,
                "org_role": org_role,
                "password": password,
                "role": role,
                "team": team,
                "username": username,
            },
        )
        return reply

    async def create_team(self, *, name: str) -> CompanyTeam2:
        """Create a team; nobody is in it yet.

        Needs org:manage.
        """
        reply: CompanyTeam2 = await self._api.call("POST", "/api/org/teams", fields={"name": name})
        return reply

    async def delete_member(self, id: str) -> None:
        """Remove a person from the company and all its teams; what they hold ends at once.

        Needs org:manage.
        """
        await self._api.call("DELETE", f"/api/org/members/{segment(id)}")

    async def delete_scim_token(self, id: str) -> None:
        """Revoke the token of a directory.

        Needs org:manage.
        """
        await self._api.call("DELETE", f"/api/org/scim-tokens/{segment(id)}")

    async def delete_team(self, id: str, *, move_to: str | Omitted = OMITTED) -> None:
        """Delete a team that is empty, or whose people and things go to the team of move_to.

        `move_to`: The id of the team that gets all of it
        Needs org:manage.
        """
        await self._api.call("DELETE", f"/api/org/teams/{segment(id)}", fields={"move_to": move_to})

    async def drop_branding(self) -> None:
        """Drop the company's branding, its logo too.

        Needs org:manage.
        """
        await self._api.call("DELETE", "/api/org/branding")

    def email_domains(
        self, *, page_size: int | None = None
    ) -> AsyncPages[CompanyEmailDomain, CompanyEmailDomainPage]:
        """The e-mail domains that the company claims by its ways; one contested waits for the
        operator.

        Needs org:manage.
        """
        return AsyncPages(self._api, "/api/org/email-domains", query={"limit": page_size})

    async def export(self) -> CompanyExportReply:
        """Put all that the company has into a file, as a job whose result is its address, good for
        24 hours. Passwords, tokens and secrets are not in it.

        Needs org:manage.
        """
        reply: CompanyExportReply = await self._api.call("POST", "/api/org/export")
        return reply

    def export_download(self, *, token: str | None = None) -> AsyncDownload:
        """The file of an export, by the token in its address."""
        return AsyncDownload(self._api, "/api/org/export/download", query={"token": token})

    async def get(self) -> Company3:
        """The caller's company with its teams and quotas.

        Needs org:read.
        """
        reply: Company3 = await self._api.call("GET", "/api/org")
        return reply

    def members(
        self, *, page_size: int | None = None
    ) -> AsyncPages[CompanyResumeMemberReply, CompanyResumeMemberReplyPage]:
        """The company's people with their teams, their role in each, and their role in the company.

        Needs org:read.
        """
        return AsyncPages(self._api, "/api/org/members", query={"limit": page_size})

    async def resume_member(self, id: str) -> CompanyResumeMemberReply:
        """Let a suspended person in again.

        Needs org:manage.
        """
        reply: CompanyResumeMemberReply = await self._api.call(
            "POST", f"/api/org/members/{segment(id)}/resume"
        )
        return reply

    def scim_tokens(
        self, *, page_size: int | None = None
    ) -> AsyncPages[CompanyScimToken, CompanyScimTokenPage]:
        """The tokens of the company's directories, newest first.

        Needs org:manage.
        """
        return AsyncPages(self._api, "/api/org/scim-tokens", query={"limit": page_size})

    async def set_branding(
        self,
        *,
        logo: str | Omitted | None = OMITTED,
        tagline: str | Omitted = OMITTED,
        theme: Mapping[str, Any] | Omitted = OMITTED,
        title: str | Omitted = OMITTED,
    ) -> Brand:
        """Set the company's branding; fields that are left out stay as they are.

        `theme`: Colours as #rrggbb: bg, surface, text, muted, border, accent, on-accent, danger,
            on-danger, focus, and each with dark- in front; radius: 0 to 24
        Needs org:manage.
        """
        reply: Brand = await self._api.call(
            "PUT",
            "/api/org/branding",
            fields={"logo": logo, "tagline": tagline, "theme": theme, "title": title},
        )
        return reply

    async def set_branding_logo(
        self,
        *,
        content_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"],
        data: str,
    ) -> Brand:
        """Upload the company's logo.

        `content_type`: Must be what the data is by its content
        `data`: The picture in base64, at most 524288 bytes
        Needs org:manage.
        """
        reply: Brand = await self._api.call(
            "POST", "/api/org/branding/logo", fields={"content_type": content_type, "data": data}
        )
        return reply

    async def suspend_member(self, id: str) -> CompanyResumeMemberReply:
        """Suspend a person: their credentials answer 403, and what they asked for ends.

        Needs org:manage.
        """
        reply: CompanyResumeMemberReply = await self._api.call(
            "POST", f"/api/org/members/{segment(id)}/suspend"
        )
        return reply

    def teams(self, *, page_size: int | None = None) -> AsyncPages[CompanyTeam2, CompanyTeam2Page]:
        """The teams of the company.

        Needs org:read.
        """
        return AsyncPages(self._api, "/api/org/teams", query={"limit": page_size})

    async def update_member(
        self, id: str, *, org_role: Literal["org_reader", "org_admin", "org_owner"] | None
    ) -> CompanyResumeMemberReply:
        """Set or clear a person's role in the company; never one's own.

        Needs org:manage.
        """
        reply: CompanyResumeMemberReply = await self._api.call(
            "PATCH", f"/api/org/members/{segment(id)}", fields={"org_role": org_role}
        )
        return reply

    async def update_team(self, id: str, *, name: str) -> CompanyTeam2:
        """Give a team another name; its slug stays.

        Needs org:manage.
        """
        reply: CompanyTeam2 = await self._api.call(
            "PATCH", f"/api/org/teams/{segment(id)}", fields={"name": name}
        )
        return reply

    def usage(
        self, *, from_: str | None = None, to: str | None = None, page_size: int | None = None
    ) -> AsyncPages[CompanyUsage, CompanyUsagePage]:
        """How much each team of the company has used of the models.

        `from_`: With by: what was used from this time on, RFC 3339
        `to`: With by: what was used before this time, RFC 3339
        Needs org:read.
        """
        return AsyncPages(self._api, "/api/org/usage", query={"from": from_, "to": to, "limit": page_size})
