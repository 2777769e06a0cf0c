"""The rows of members."""

from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.members import (
    CreatedMember,
    CreatedMemberMember,
    Member,
    MemberInviteReply,
    MemberPage,
)


class AsyncMembers:
    """Calls of members."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(
        self,
        *,
        role: Literal["viewer", "member", "admin", "owner", "translator", "reviewer", "localizer", "worker"],
        username: str,
        display_name: str | Omitted = OMITTED,
        email: str | Omitted = OMITTED,
        locale: str | Omitted = OMITTED,
        password: str | Omitted = OMITTED,
    ) -> CreatedMember:
        """Add a person to the team. A new one gets a first session; a colleague joins as they are.

        `email`: Such as ada@example.com
        `locale`: A language tag, such as nl-BE
        `username`: Unique on the instance, without case
        Needs members:manage.
        """
        reply: CreatedMember = await self._api.call(
            "POST",
            "/api/members",
            fields={
                "display_name": display_name,
                "email": email,
                "locale": locale,
                "password": password,
                "role": role,
                "username": username,
            },
        )
        return reply

    async def delete(self, id: str) -> None:
        """Remove a member from the team; what they hold here ends at once.

        Needs members:manage.
        """
        await self._api.call("DELETE", f"/api/members/{segment(id)}")

    async def invite(self, id: str) -> MemberInviteReply:
        """Make a link by which somebody who has no password yet sets one. Ends the one before, and
        their sessions.

        Needs members:manage.
        """
        reply: MemberInviteReply = await self._api.call("POST", f"/api/members/{segment(id)}/invitation")
        return reply

    async def reset_password(self, id: str) -> MemberInviteReply:
        """Make a link by which somebody of the company who ranks below the caller sets their
        password anew. Their sessions end when it is used.

        Needs members:manage.
        """
        reply: MemberInviteReply = await self._api.call("POST", f"/api/members/{segment(id)}/password-reset")
        return reply

    async def update(
        self,
        id: str,
        *,
        role: Literal["viewer", "member", "admin", "owner", "translator", "reviewer", "localizer", "worker"],
    ) -> CreatedMemberMember:
        """Give a member another role.

        Needs members:manage.
        """
        reply: CreatedMemberMember = await self._api.call(
            "PATCH", f"/api/members/{segment(id)}", fields={"role": role}
        )
        return reply

    def list(self, *, page_size: int | None = None) -> AsyncPages[Member, MemberPage]:
        """The team's members and their roles."""
        return AsyncPages(self._api, "/api/members", query={"limit": page_size})
