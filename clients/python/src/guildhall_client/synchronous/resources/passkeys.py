"""The rows of passkeys."""

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.passkeys import (
    Passkey,
    PasskeyCreateOptionReply,
    PasskeyPage,
    RegisterPasskeyCredential,
)


class Passkeys:
    """Calls of passkeys."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create_option(self) -> PasskeyCreateOptionReply:
        """WebAuthn's options for a new passkey of the caller. Wants a session of the last 15
        minutes.
        """
        reply: PasskeyCreateOptionReply = self._api.call("POST", "/api/passkeys/options")
        return reply

    def delete(self, id: str) -> None:
        """Remove one of the caller's own passkeys; every other session of theirs ends. Wants a
        session of the last 15 minutes.
        """
        self._api.call("DELETE", f"/api/passkeys/{segment(id)}")

    def register(self, *, credential: RegisterPasskeyCredential, name: str | Omitted = OMITTED) -> Passkey:
        """Add the passkey that the browser made for these options.

        `credential`: What the browser answered, as WebAuthn's JSON
        `name`: What its owner calls it
        """
        reply: Passkey = self._api.call(
            "POST", "/api/passkeys/register", fields={"credential": credential, "name": name}
        )
        return reply

    def update(self, id: str, *, name: str) -> Passkey:
        """Give one of the caller's own passkeys another name.

        `name`: What its owner calls it
        """
        reply: Passkey = self._api.call("PATCH", f"/api/passkeys/{segment(id)}", fields={"name": name})
        return reply

    def list(self, *, page_size: int | None = None) -> Pages[Passkey, PasskeyPage]:
        """The caller's own passkeys, newest first."""
        return Pages(self._api, "/api/passkeys", query={"limit": page_size})
