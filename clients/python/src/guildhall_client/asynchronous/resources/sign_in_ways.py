"""The rows of sign in ways."""

from collections.abc import Sequence
from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.sign_in_ways import (
    CreateSignInWayRule,
    PreviewSignInWayClaims,
    SignInWay,
    SignInWayPage,
    SignInWayPreviewReply,
    SignInWayTestReply,
)


class AsyncSignInWays:
    """Calls of sign in ways."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create(
        self,
        *,
        kind: str,
        break_glass: Sequence[str] | Omitted = OMITTED,
        create_people: bool | Omitted = OMITTED,
        default_role: Literal["viewer", "member", "admin", "owner", "translator", "reviewer", "localizer"]
        | Omitted
        | None = OMITTED,
        domains: Sequence[str] | Omitted = OMITTED,
        label: str | Omitted = OMITTED,
        required: bool | Omitted = OMITTED,
        rules: Sequence[CreateSignInWayRule] | Omitted = OMITTED,
        team: str | Omitted | None = OMITTED,
    ) -> SignInWay:
        """Set up a way to sign in elsewhere of the company.

        `break_glass`: People who may still use their password
        `create_people`: Whether somebody new is made a person here
        `domains`: Of the e-mail addresses let in by it
        `label`: What people press to sign in by it
        `required`: Whether passwords do no more, but for those in break_glass
        Needs org:manage.
        """
        reply: SignInWay = await self._api.call(
            "POST",
            "/api/org/sign-in",
            fields={
                "break_glass": break_glass,
                "create_people": create_people,
                "default_role": default_role,
                "domains": domains,
                "kind": kind,
                "label": label,
                "required": required,
                "rules": rules,
                "team": team,
            },
        )
        return reply

    async def delete(self, id: str) -> None:
        """Delete a way to sign in elsewhere of the company; who came in by it stays a person here.

        Needs org:manage.
        """
        await self._api.call("DELETE", f"/api/org/sign-in/{segment(id)}")

    async def get(self, id: str) -> SignInWay:
        """A way to sign in elsewhere of the company, without its secrets.

        Needs org:manage.
        """
        reply: SignInWay = await self._api.call("GET", f"/api/org/sign-in/{segment(id)}")
        return reply

    async def preview(self, id: str, *, claims: PreviewSignInWayClaims) -> SignInWayPreviewReply:
        """What would happen to somebody who comes in by a way of the company with these claims;
        nothing does.

        `claims`: What the other side would say of somebody
        Needs org:manage.
        """
        reply: SignInWayPreviewReply = await self._api.call(
            "POST", f"/api/org/sign-in/{segment(id)}/preview", fields={"claims": claims}
        )
        return reply

    async def test(self, id: str) -> SignInWayTestReply:
        """Try a way to sign in elsewhere of the company without a person; each step says what came
        back.

        Needs org:manage.
        """
        reply: SignInWayTestReply = await self._api.call("POST", f"/api/org/sign-in/{segment(id)}/test")
        return reply

    async def update(
        self,
        id: str,
        *,
        break_glass: Sequence[str] | Omitted = OMITTED,
        create_people: bool | Omitted = OMITTED,
        default_role: Literal["viewer", "member", "admin", "owner", "translator", "reviewer", "localizer"]
        | Omitted
        | None = OMITTED,
        domains: Sequence[str] | Omitted = OMITTED,
        kind: str | Omitted = OMITTED,
        label: str | Omitted = OMITTED,
        required: bool | Omitted = OMITTED,
        rules: Sequence[CreateSignInWayRule] | Omitted = OMITTED,
        team: str | Omitted | None = OMITTED,
    ) -> SignInWay:
        """Change a way to sign in elsewhere of the company; what is not named stays.

        `break_glass`: People who may still use their password
        `create_people`: Whether somebody new is made a person here
        `domains`: Of the e-mail addresses let in by it
        `label`: What people press to sign in by it
        `required`: Whether passwords do no more, but for those in break_glass
        Needs org:manage.
        """
        reply: SignInWay = await self._api.call(
            "PATCH",
            f"/api/org/sign-in/{segment(id)}",
            fields={
                "break_glass": break_glass,
                "create_people": create_people,
                "default_role": default_role,
                "domains": domains,
                "kind": kind,
                "label": label,
                "required": required,
                "rules": rules,
                "team": team,
            },
        )
        return reply

    def list(self, *, page_size: int | None = None) -> AsyncPages[SignInWay, SignInWayPage]:
        """The ways to sign in elsewhere of the company, and the kinds that can be set up.

        Needs org:manage.
        """
        return AsyncPages(self._api, "/api/org/sign-in", query={"limit": page_size})
