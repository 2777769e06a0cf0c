"""The rows of account."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.sending import OMITTED, Omitted
from guildhall_client.types.account import (
    Account2,
    AccountActivateReply,
    AccountBootstrapReply,
    AccountChangeTeamReply,
    AccountForgotReply,
    AccountWhoami,
    ConfirmAccountPasskey,
)
from guildhall_client.types.companies import CreatedCompanyOwner


class AsyncAccount:
    """Calls of account."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def activate(self, *, password: str, token: str) -> AccountActivateReply:
        """Set a password with the token of an invitation, or of another link from an admin; it
        works once. Begins a session, unless two-factor is on.
        """
        reply: AccountActivateReply = await self._api.call(
            "POST", "/api/activate", fields={"password": password, "token": token}
        )
        return reply

    async def bootstrap(
        self,
        *,
        password: str,
        username: str,
        display_name: str | Omitted = OMITTED,
        locale: str | Omitted = OMITTED,
        org: str | Omitted = OMITTED,
        team: str | Omitted = OMITTED,
    ) -> AccountBootstrapReply:
        """Set the instance up: the operator, the first company and its team. Works once.

        `locale`: A language tag, such as nl-BE
        `username`: Unique on the instance, without case
        """
        reply: AccountBootstrapReply = await self._api.call(
            "POST",
            "/api/bootstrap",
            fields={
                "display_name": display_name,
                "locale": locale,
                "org": org,
                "password": password,
                "team": team,
                "username": username,
            },
        )
        return reply

    async def change_password(
        self, *, new_password: str, current_password: str | Omitted = OMITTED
    ) -> CreatedCompanyOwner:
        """Change the caller's password; every other session of theirs ends."""
        reply: CreatedCompanyOwner = await self._api.call(
            "POST",
            "/api/password",
            fields={"current_password": current_password, "new_password": new_password},
        )
        return reply

    async def change_team(self, *, team: str) -> AccountChangeTeamReply:
        """Get a session in another of the caller's teams; it ends when this one does.

        `team`: The team's id or slug
        """
        reply: AccountChangeTeamReply = await self._api.call(
            "POST", "/api/session/team", fields={"team": team}
        )
        return reply

    async def confirm(
        self, *, passkey: ConfirmAccountPasskey | Omitted = OMITTED, password: str | Omitted = OMITTED
    ) -> None:
        """Prove once more who is there, by password or passkey, before what asks for it. Without
        either the refusal has the options for a passkey.

        `passkey`: The answer of a passkey, as WebAuthn's JSON, in place of totp
        """
        await self._api.call(
            "POST", "/api/session/confirm", fields={"passkey": passkey, "password": password}
        )

    async def forgot(
        self, *, email: str | Omitted = OMITTED, username: str | Omitted = OMITTED
    ) -> AccountForgotReply:
        """Mail a link to set the password anew, to whoever has this username or address. The answer
        is the same where there is nobody.
        """
        reply: AccountForgotReply = await self._api.call(
            "POST", "/api/password/forgot", fields={"email": email, "username": username}
        )
        return reply

    async def get(self) -> Account2:
        """The caller's profile, with their e-mail address."""
        reply: Account2 = await self._api.call("GET", "/api/profile")
        return reply

    async def login(
        self,
        *,
        password: str,
        username: str,
        link: bool | Omitted = OMITTED,
        passkey: ConfirmAccountPasskey | Omitted = OMITTED,
        recovery_code: str | Omitted = OMITTED,
        team: str | Omitted = OMITTED,
        totp: str | Omitted = OMITTED,
        way: str | Omitted = OMITTED,
    ) -> AccountChangeTeamReply:
        """Sign in with username and password, and with a TOTP or recovery code where two-factor is
        on.

        `link`: Tie what this browser just proved elsewhere to this person
        `passkey`: The answer of a passkey, as WebAuthn's JSON, in place of totp
        `recovery_code`: In place of totp; each works once
        `team`: The team's id or slug
        `totp`: The six digits of the authenticator
        `way`: The id of a way to sign in that takes these
        """
        reply: AccountChangeTeamReply = await self._api.call(
            "POST",
            "/api/login",
            fields={
                "link": link,
                "passkey": passkey,
                "password": password,
                "recovery_code": recovery_code,
                "team": team,
                "totp": totp,
                "username": username,
                "way": way,
            },
            keyed=False,
        )
        return reply

    async def logout(self) -> None:
        """End this session."""
        await self._api.call("POST", "/api/logout", keyed=False)

    async def reset_password(self, *, password: str, token: str) -> AccountActivateReply:
        """Set a password anew with the token of a link from an admin, or of an invitation; it works
        once. Ends all sessions, and begins one unless two-factor is on.
        """
        reply: AccountActivateReply = await self._api.call(
            "POST", "/api/password/reset", fields={"password": password, "token": token}
        )
        return reply

    async def update_profile(
        self,
        *,
        display_name: str | Omitted = OMITTED,
        email: str | Omitted | None = OMITTED,
        locale: str | Omitted = OMITTED,
        password: str | Omitted = OMITTED,
    ) -> Account2:
        """Change the caller's display name, locale and e-mail address. Where mail is set up, a new
        address holds once the link that is mailed there was opened.

        `locale`: A language tag, such as nl-BE
        `password`: For a new e-mail address where mail is set up, unless the session began within
            the last 15 minutes
        """
        reply: Account2 = await self._api.call(
            "POST",
            "/api/profile",
            fields={"display_name": display_name, "email": email, "locale": locale, "password": password},
        )
        return reply

    async def whoami(self) -> AccountWhoami:
        """Who the caller is and what they may do."""
        reply: AccountWhoami = await self._api.call("GET", "/api/whoami")
        return reply
