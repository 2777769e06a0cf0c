"""The rows of two factor."""

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.types.companies import CreatedCompanyOwner
from guildhall_client.types.two_factor import (
    TwoFactorCreatePasskeyReply,
    TwoFactorEnableReply,
    TwoFactorRecoveryCodes,
)


class TwoFactor:
    """Calls of two factor."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def confirm(self, *, code: str) -> CreatedCompanyOwner:
        """Turn on the two-factor that was begun, with a code of it. Ends all other sessions.

        `code`: The six digits of the authenticator
        """
        reply: CreatedCompanyOwner = self._api.call("POST", "/api/2fa/confirm", fields={"code": code})
        return reply

    def create_passkey(self, *, password: str | Omitted = OMITTED) -> TwoFactorCreatePasskeyReply:
        """Turn two-factor on with one's passkeys in the place of an app; recovery codes are shown
        once. Ends all other sessions.

        `password`: Unless the session began within the last 15 minutes
        """
        reply: TwoFactorCreatePasskeyReply = self._api.call(
            "POST", "/api/2fa/passkeys", fields={"password": password}
        )
        return reply

    def disable(self, *, password: str | Omitted = OMITTED) -> None:
        """Turn two-factor off; seed and recovery codes are forgotten. Ends all other sessions.

        `password`: Unless the session began within the last 15 minutes
        """
        self._api.call("DELETE", "/api/2fa", fields={"password": password})

    def enable(
        self, *, confirm: bool | Omitted = OMITTED, password: str | Omitted = OMITTED
    ) -> TwoFactorEnableReply:
        """Turn two-factor on; the secret and the recovery codes are shown once. Ends all other
        sessions. With confirm it stays off until a code of it came within 15 minutes.

        `confirm`: Leave it off until /api/2fa/confirm had a code
        `password`: Unless the session began within the last 15 minutes
        """
        reply: TwoFactorEnableReply = self._api.call(
            "POST", "/api/2fa/enable", fields={"confirm": confirm, "password": password}
        )
        return reply

    def recovery_codes(self) -> TwoFactorRecoveryCodes:
        """How many recovery codes are unspent."""
        reply: TwoFactorRecoveryCodes = self._api.call("GET", "/api/2fa/recovery-codes")
        return reply

    def renew_recovery_codes(self, *, password: str | Omitted = OMITTED) -> TwoFactorCreatePasskeyReply:
        """A fresh set of recovery codes, shown once; the outstanding ones stop working.

        `password`: Unless the session began within the last 15 minutes
        """
        reply: TwoFactorCreatePasskeyReply = self._api.call(
            "POST", "/api/2fa/recovery-codes", fields={"password": password}
        )
        return reply

    def revoke(self, id: str) -> None:
        """Turn somebody's two-factor off and end their sessions, so that they enrol again.

        Needs instance:manage.
        """
        self._api.call("DELETE", f"/api/admin/users/{segment(id)}/2fa")
