"""The rows of oauth."""

from collections.abc import Sequence
from typing import Literal

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.sending import OMITTED, Omitted
from guildhall_client.types.oauth import OauthConsentCheckReply, OauthConsentReply
from guildhall_client.types.permissions import Permission


class AsyncOauth:
    """Calls of oauth."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def consent(
        self,
        *,
        client_id: str,
        decision: Literal["allow", "deny"],
        redirect_uri: str,
        response_type: str,
        code_challenge: str | Omitted = OMITTED,
        code_challenge_method: str | Omitted = OMITTED,
        permissions: Sequence[Permission] | Omitted = OMITTED,
        resource: str | Omitted = OMITTED,
        scope: str | Omitted = OMITTED,
        state: str | Omitted = OMITTED,
    ) -> OauthConsentReply:
        """Allow or refuse what a program asks for, in the team of this session; gives the address
        to go to.

        `permissions`: Those of the asked ones that are allowed; all unless told
        `scope`: Names of permissions; those of a member unless told
        """
        reply: OauthConsentReply = await self._api.call(
            "POST",
            "/api/oauth/consent",
            fields={
                "client_id": client_id,
                "code_challenge": code_challenge,
                "code_challenge_method": code_challenge_method,
                "decision": decision,
                "permissions": permissions,
                "redirect_uri": redirect_uri,
                "resource": resource,
                "response_type": response_type,
                "scope": scope,
                "state": state,
            },
        )
        return reply

    async def consent_check(
        self,
        *,
        client_id: str,
        redirect_uri: str,
        response_type: str,
        code_challenge: str | Omitted = OMITTED,
        code_challenge_method: str | Omitted = OMITTED,
        resource: str | Omitted = OMITTED,
        scope: str | Omitted = OMITTED,
        state: str | Omitted = OMITTED,
    ) -> OauthConsentCheckReply:
        """What a program asks for, in the words of the permissions that the caller could give it.

        `scope`: Names of permissions; those of a member unless told
        """
        reply: OauthConsentCheckReply = await self._api.call(
            "POST",
            "/api/oauth/consent/check",
            fields={
                "client_id": client_id,
                "code_challenge": code_challenge,
                "code_challenge_method": code_challenge_method,
                "redirect_uri": redirect_uri,
                "resource": resource,
                "response_type": response_type,
                "scope": scope,
                "state": state,
            },
        )
        return reply
