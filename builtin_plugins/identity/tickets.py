"""Tickets: one word of an address that stands for its caller, for a short time and one purpose."""

import json

from guildhall_sdk import Call, Principal
from guildhall_sdk.services.identity import Credentials, Ticket, Vault

#: How long a ticket is good, unless the credential that asked for it ends before.
TICKET_MS = 10 * 60 * 1000
_MAX_CHARACTERS = 1024


class SealedTickets:
    """Implements the SDK's `Tickets`: what a ticket is for is sealed in it, and stored nowhere."""

    def issue(self, call: Call, purpose: str, subject: str = "") -> Ticket:
        caller, ends = call.principal, call.now_ms + TICKET_MS
        if caller.credential.expires_at is not None:
            ends = min(ends, caller.credential.expires_at)
        bound = [caller.credential.id, caller.user_id, caller.team_id, subject, ends]
        return Ticket(text=call.service(Vault).seal(purpose, json.dumps(bound)), expires_at=ends)

    async def holder(self, call: Call, purpose: str, text: str, subject: str = "") -> Principal | None:
        if len(text) > _MAX_CHARACTERS or not text.isascii():
            return None
        opened = call.service(Vault).unseal(purpose, text)
        if opened is None:
            return None
        credential_id, user_id, team_id, bound_subject, ends = json.loads(opened)
        if bound_subject != subject or call.now_ms >= ends:
            return None
        credentials = call.service(Credentials)
        async with call.read() as reader:
            if not await credentials.alive(reader, credential_id):
                return None
            return await credentials.acting(reader, user_id=user_id, team_id=team_id, scope=None)
