"""The rows of passkeys."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.types.passkeys import (
    Passkey,
    PasskeyCreateOptionReply,
    PasskeyPage,
    RegisterPasskeyCredential,
)


class AsyncPasskeys:
    """Calls of passkeys."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def create_option(self) -> PasskeyCreateOptionReply:
        """WebAuthn's options for a new passkey of the caller. Wants a session of the last 15
        minutes.
        """
        reply: PasskeyCreateOptionReply = await self._api.call("POST", "/api/passkeys/options")
        return reply

    async def delete(self, id: str) -> None:
        """Remove one of the caller's own passkeys; every other session of theirs ends. Wants a
        session of the last 15 minutes.
        """
        await self._api.call("DELETE", f"/api/passkeys/{segment(id)}")

    async def register(
        self, *, credential: RegisterPasskeyCredential, name: str | Omitted = OMITTED
    ) -> Passkey:
        """Add the passkey that the browser made for these options.

        `credential`: What the browser answered, as WebAuthn's JSON
        `name`: What its owner calls it
        """
        reply: Passkey = await self._api.call(
            "POST", "/api/passkeys/register", fields={"credential": credential, "name": name}
        )
        return reply

    async def update(self, id: str, *, name: str) -> Passkey:
        """Give one of the caller's own passkeys another name.

        `name`: What its owner calls it
        """
        reply: Passkey = await self._api.call("PATCH", f"/api/passkeys/{segment(id)}", fields={"name": name})
        return reply

    def list(self, *, page_size: int | None = None) -> AsyncPages[Passkey, PasskeyPage]:
        """The caller's own passkeys, newest first."""
        return AsyncPages(self._api, "/api/passkeys", query={"limit": page_size})
