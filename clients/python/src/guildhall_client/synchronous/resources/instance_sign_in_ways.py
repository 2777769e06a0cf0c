"""The rows of instance sign in ways."""

from collections.abc import Sequence
from typing import Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.instance_sign_in_ways import (
    CreateInstanceSignInWayRule,
    InstanceSignInWay,
    InstanceSignInWayPage,
    InstanceSignInWayPreviewReply,
    InstanceSignInWayTestReply,
    PreviewInstanceSignInWayClaims,
)


class InstanceSignInWays:
    """Calls of instance sign in ways."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
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
        rules: Sequence[CreateInstanceSignInWayRule] | Omitted = OMITTED,
        team: str | Omitted | None = OMITTED,
    ) -> InstanceSignInWay:
        """Set up a way to sign in elsewhere for everybody.

        `break_glass`: People who may still use their password
        `create_people`: Whether somebody new is made a person here
        `domains`: Of the e-mail addresses let in by it
        `label`: What people press to sign in by it
        `required`: Whether passwords do no more, but for those in break_glass
        Needs instance:manage.
        """
        reply: InstanceSignInWay = self._api.call(
            "POST",
            "/api/admin/sign-in",
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

    def delete(self, id: str) -> None:
        """Delete a way to sign in elsewhere for everybody; who came in by it stays a person here.

        Needs instance:manage.
        """
        self._api.call("DELETE", f"/api/admin/sign-in/{segment(id)}")

    def get(self, id: str) -> InstanceSignInWay:
        """A way to sign in elsewhere for everybody, without its secrets.

        Needs instance:manage.
        """
        reply: InstanceSignInWay = self._api.call("GET", f"/api/admin/sign-in/{segment(id)}")
        return reply

    def preview(self, id: str, *, claims: PreviewInstanceSignInWayClaims) -> InstanceSignInWayPreviewReply:
        """What would happen to somebody who comes in by a way for everybody with these claims;
        nothing does.

        `claims`: What the other side would say of somebody
        Needs instance:manage.
        """
        reply: InstanceSignInWayPreviewReply = self._api.call(
            "POST", f"/api/admin/sign-in/{segment(id)}/preview", fields={"claims": claims}
        )
        return reply

    def test(self, id: str) -> InstanceSignInWayTestReply:
        """Try a way to sign in elsewhere for everybody without a person; each step says what came
        back.

        Needs instance:manage.
        """
        reply: InstanceSignInWayTestReply = self._api.call("POST", f"/api/admin/sign-in/{segment(id)}/test")
        return reply

    def update(
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
        rules: Sequence[CreateInstanceSignInWayRule] | Omitted = OMITTED,
        team: str | Omitted | None = OMITTED,
    ) -> InstanceSignInWay:
        """Change a way to sign in elsewhere for everybody; what is not named stays.

        `break_glass`: People who may still use their password
        `create_people`: Whether somebody new is made a person here
        `domains`: Of the e-mail addresses let in by it
        `label`: What people press to sign in by it
        `required`: Whether passwords do no more, but for those in break_glass
        Needs instance:manage.
        """
        reply: InstanceSignInWay = self._api.call(
            "PATCH",
            f"/api/admin/sign-in/{segment(id)}",
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

    def list(self, *, page_size: int | None = None) -> Pages[InstanceSignInWay, InstanceSignInWayPage]:
        """The ways to sign in elsewhere for everybody, and the kinds that can be set up.

        Needs instance:manage.
        """
        return Pages(self._api, "/api/admin/sign-in", query={"limit": page_size})
